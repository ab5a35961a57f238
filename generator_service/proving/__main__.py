"""`python -m generator_service.proving`: the large-n validity tests of every benchmark; reports go to docs/proof."""

import argparse
import sys
from collections.abc import Sequence

from generator_service.proving.findings import Sizes
from generator_service.proving.proof import prove
from generator_service.registry import find_benchmarks


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generator_service.proving", description=__doc__)
    parser.add_argument("--size", type=int, default=Sizes().items, help="items for each draw, others in proportion")
    parser.add_argument("--benchmark", action="append", help="only this one; may be repeated")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    names = given.benchmark or sorted({one.name for one in find_benchmarks()})
    sizes = Sizes().scaled(given.size / Sizes().items)
    holding = [prove(name, sizes, given.processes) for name in names]
    return 0 if all(holding) else 1


if __name__ == "__main__":
    sys.exit(main())

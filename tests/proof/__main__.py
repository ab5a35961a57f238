"""`python -m tests.proof`: the large-n validity tests of every benchmark, one report each under docs/proof."""

import argparse
import sys
from collections.abc import Sequence

from generator_service.registry import find_benchmarks
from tests.proof.findings import Sizes
from tests.proof.proving import prove


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__)
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

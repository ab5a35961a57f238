"""`python -m generator_service.proving`: the large-n validity tests of every benchmark, and the page docs/proof.md."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from generator_service.finding import RegistryError, benchmark_folders
from generator_service.proving.choosing import add_arguments, choose
from generator_service.proving.findings import Sizes
from generator_service.proving.proof import prove
from generator_service.proving.report import mark_behind


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m generator_service.proving", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, help="where the reports go; docs/proof.md then stays as it is")
    parser.add_argument("--size", type=int, default=Sizes().items, help="items for each draw, others in proportion")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--behind", action="store_true", help="prove nothing: say that the page is of earlier items")
    given = parser.parse_args(arguments)
    try:
        asked_for = choose(given)
        folders = benchmark_folders(os.environ, given.folder)
    except RegistryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if given.behind:
        for benchmark in asked_for.benchmarks:
            mark_behind(benchmark.name)
        return 0
    unserved = list(asked_for.unserved_tracks())
    for benchmark, track, lacking in unserved:
        sys.stderr.write(f"{benchmark.name}, track {track}: not proved: {lacking}\n")
    names = sorted(
        {benchmark.name for benchmark in asked_for.benchmarks} - {benchmark.name for benchmark, _, _ in unserved}
    )
    sizes = Sizes().scale(given.size / Sizes().items)
    try:
        holding = [
            prove(name, sizes, given.processes, out=given.out, bank=given.bank, folders=folders) for name in names
        ]
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0 if all(holding) and not unserved else 1


if __name__ == "__main__":
    sys.exit(main())

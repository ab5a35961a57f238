"""`python -m bench [ROW ...]`: one table of speeds and sizes, each with its aim."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from bench.costs import costs
from bench.edits import edits
from bench.evaluating import evaluations
from bench.fairness import fairness
from bench.gateway import calls, calls_without_end, starting
from bench.generating import keys, scenes, scoring, trials
from bench.growing import board, listeners, reads
from bench.measuring import Bench, Line, Scale
from bench.mining import mining
from bench.photographs import photographs
from bench.puzzles import puzzles
from bench.readers import readers
from bench.running import runner
from bench.serving import images, memory, submission
from bench.situations import situations
from bench.sources import sources
from bench.trial import trial
from bench.triton import triton
from tests.instance import Instance

ROWS: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "trials": trials,
    "keys": keys,
    "costs": costs,
    "puzzles": puzzles,
    "edits": edits,
    "situations": situations,
    "scenes": scenes,
    "scoring": scoring,
    "board": board,
    "reads": reads,
    "listeners": listeners,
    "gateway-start": starting,
    "gateway": calls,
    "triton": triton,
}
OF_INSTANCE: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "memory": memory,  # first: idle is before anything was served
    "images": images,
    "trial": trial,
    "submission": submission,
    "runner": runner,
    "fairness": fairness,
}
"""Rows that share an instance."""
SLOW: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "readers": readers,
    "sources": sources,
    "mining": mining,
    "photographs": photographs,
    "gateway-memory": calls_without_end,
    "evaluations": evaluations,
}
"""Rows that take minutes and gigabytes: measured where they are named."""
EVERY = {**ROWS, **OF_INSTANCE, **SLOW}
MARKS = {True: "met", False: "MISSED", None: ""}


class UnknownRowError(LookupError):
    """A row is asked for that there is not."""


def measure(names: Sequence[str], scale: Scale, running: Instance | None = None) -> list[Line]:
    """Measure these rows, or all but the slow ones, in the order of the table; `running` as Bench has it.

    Raises:
        UnknownRowError: there is no such row.
    """
    usual = {**ROWS, **OF_INSTANCE}
    unknown = [name for name in names if name not in EVERY]
    if unknown:
        raise UnknownRowError(f"no row {', '.join(unknown)}; rows are {', '.join(EVERY)}")
    bench = Bench(scale=scale, running=running)
    try:
        return [line for name, row in EVERY.items() if name in (names or usual) for line in row(bench)]
    finally:
        bench.close()


def show(lines: Sequence[Line]) -> None:
    table = Table("row", "value", "in relation", "aim", "", title=f"bench, {os.cpu_count()} cores, {_load()}")
    for line in lines:
        table.add_row(line.name, line.value, line.ratio, line.aim, MARKS[line.met])
    Console(width=None if sys.stdout.isatty() else 190).print(table)


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} at the end"


def main() -> None:
    parser = ArgumentParser(prog="python -m bench", description="One table of speeds and sizes, each with its aim.")
    usual = f"all but {', '.join(SLOW)} where none is named, for these take minutes and gigabytes"
    parser.add_argument("row", nargs="*", help=f"{', '.join(EVERY)}; {usual}")
    try:
        show(measure(parser.parse_args().row, Scale()))
    except UnknownRowError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()

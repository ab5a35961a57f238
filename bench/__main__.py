"""`python -m bench [ROW ...]`: one table of speeds and sizes, each with its aim; a row is printed when it is done."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from bench.costs import costs
from bench.datasets import bulk_workers, datasets
from bench.edits import edits
from bench.evaluating import evaluations
from bench.extraction import extraction
from bench.fairness import fairness
from bench.gateway import calls, calls_without_end, starting
from bench.generating import keys, scenes, scoring, trials
from bench.growing import board, listeners, reads
from bench.isolation import isolation
from bench.measuring import Bench, Line, Scale, load, tell
from bench.mining import mining
from bench.pages import item_pages, pages
from bench.peers import peers
from bench.photographs import photographs
from bench.puzzles import puzzles
from bench.readers import jobs, readers
from bench.running import runner
from bench.serving import images, memory, submission
from bench.situations import situations
from bench.size import size
from bench.sizing import sizing
from bench.sources import sources
from bench.training import training
from bench.trial import trial
from bench.triton import triton
from bench.watching import watching_costs
from tests.instance import Instance

ROWS: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "trials": trials,
    "keys": keys,
    "costs": costs,
    "puzzles": puzzles,
    "edits": edits,
    "situations": situations,
    "scenes": scenes,
    "datasets": datasets,
    "scoring": scoring,
    "extraction": extraction,
    "board": board,
    "pages": pages,
    "reads": reads,
    "listeners": listeners,
    "watched": watching_costs,
    "gateway-start": starting,
    "gateway": calls,
    "triton": triton,
}
OF_INSTANCE: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "memory": memory,  # first: idle is before anything was served
    "images": images,
    "item-pages": item_pages,
    "trial": trial,
    "training": training,
    "submission": submission,
    "runner": runner,
    "fairness": fairness,
}
"""Rows that share an instance."""
SLOW: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "readers": readers,
    "jobs": jobs,
    "isolation": isolation,
    "bulk-workers": bulk_workers,
    "sources": sources,
    "mining": mining,
    "photographs": photographs,
    "gateway-memory": calls_without_end,
    "evaluations": evaluations,
    "peers": peers,
    "size": size,
    "sizing": sizing,
}
"""Rows that take minutes and gigabytes: measured where they are named."""
EVERY = {**ROWS, **OF_INSTANCE, **SLOW}
COLUMNS = (27, 8, 35, 15, 4)  # shares of the width
MARKS = {True: "met", False: "MISSED", None: ""}


class UnknownRowError(LookupError):
    """A row is asked for that there is not."""


def measure(names: Sequence[str], scale: Scale, running: Instance | None = None) -> Iterator[Line]:
    """Measure these rows, or all but the slow ones, in the order of the table; `running` as Bench has it.

    Each line comes when it is measured.

    Raises:
        UnknownRowError: there is no such row.
    """
    usual = {**ROWS, **OF_INSTANCE}
    unknown = [name for name in names if name not in EVERY]
    if unknown:
        raise UnknownRowError(f"no row {', '.join(unknown)}; rows are {', '.join(EVERY)}")
    return _measure({name: row for name, row in EVERY.items() if name in (names or usual)}, scale, running)


def _measure(
    rows: Mapping[str, Callable[[Bench], Iterator[Line]]], scale: Scale, running: Instance | None
) -> Iterator[Line]:
    bench = Bench(scale=scale, running=running)
    try:
        for name, row in rows.items():
            tell(f"measuring {name}")
            yield from row(bench)
    finally:
        bench.close()


def show(lines: Iterable[Line]) -> None:
    """Print each line as it comes, with the load of the machine before the first and after the last."""
    console = Console(width=None if sys.stdout.isatty() else 190)
    console.print(f"bench, {os.cpu_count()} cores, {load()} at the start")
    _print(console, Line(name="row", value="value", ratio="in relation", aim="aim"))
    for line in lines:
        _print(console, line)
    console.print(f"{load()} at the end")


def _print(console: Console, line: Line) -> None:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    for share in COLUMNS:
        table.add_column(ratio=share)
    table.add_row(line.name, line.value, line.ratio, line.aim, MARKS[line.met])
    console.print(table)


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

"""Print tables for people, JSON for machines, and errors on standard error."""

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tetrad.contracts.wire import UNPRINTABLE

JsonOption: TypeAlias = Annotated[bool, Parameter(help="print JSON.")]
console = Console()
errors = Console(stderr=True)
FOLDED = 16  # characters: a longer cell may take several lines before a column is left out
FEWEST_COLUMNS = 5  # of a table that is fitted: what it can't do without
PIPE_COLUMNS = 240  # width of a table in a file or a pipe, where nothing must be cut off


_UNPRINTABLE = re.compile(rf"[{UNPRINTABLE}]")
_UNPRINTABLE_BUT_LINES = re.compile(rf"(?![\t\n])[{UNPRINTABLE}]")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return the text with what would move the cursor, or turn the direction of text, written as \\u001b.

    Texts from elsewhere could otherwise pass themselves off as something else on a terminal. With `lines`, line feeds
    and tabs stay. In JSON it changes nothing of what is meant: none of it stands outside strings there but line feeds.
    """
    pattern = _UNPRINTABLE_BUT_LINES if lines else _UNPRINTABLE
    return pattern.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(document: Any) -> None:
    """Write one JSON document on standard output."""
    text = msgspec.json.format(msgspec.json.encode(document)).decode()
    sys.stdout.write(printable(text, lines=True) + "\n")


def print_line(record: Any) -> None:
    """Write one record as a line of JSON and flush it, because another program may wait for it."""
    sys.stdout.write(f"{printable(msgspec.json.encode(record).decode())}\n")
    sys.stdout.flush()


def say(*lines: str) -> None:
    """Print lines, however long, on standard output."""
    for line in lines:
        console.print(printable(line, lines=True), highlight=False, markup=False, emoji=False, soft_wrap=True)


def say_apart(*lines: str) -> None:
    """Print lines on standard error, beside what a program reads."""
    for line in lines:
        errors.print(printable(line, lines=True), highlight=False, markup=False, emoji=False, soft_wrap=True)


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table. Its cells come from elsewhere, so they are not interpreted as markup."""
    printed = Table(title=Text(printable(title)), title_justify="left")
    for column in columns:
        printed.add_column(column, overflow="fold")
    for row in rows:
        printed.add_row(*(Text(printable(cell)) for cell in row))
    printer = console if console.is_terminal else Console(width=PIPE_COLUMNS)
    printer.print(printed)


def fitted_table(title: str, columns: list[str], rows: list[list[str]], least_needed: Sequence[str]) -> None:
    """Print a table that fits the terminal: columns are left out until it does, and told of below it.

    `least_needed` are left out first, in this order, then the last columns but for the first five. What is still too
    wide is folded within its cell, and never cut off.
    """
    shown = list(columns)
    order = [*least_needed, *reversed([name for name in columns[FEWEST_COLUMNS:] if name not in least_needed])]
    width = console.width if console.is_terminal else PIPE_COLUMNS
    left_out = []
    for name in order:
        if _width(shown, columns, rows) <= width:
            break
        if name in shown:
            shown.remove(name)
            left_out.append(name)
    places = [columns.index(name) for name in shown]
    table(title, shown, [[row[place] for place in places] for row in rows])
    if left_out:
        note(f"Left out at this width: {', '.join(left_out)}; --json has all.")


def _width(shown: Sequence[str], columns: list[str], rows: list[list[str]]) -> int:
    """Return the width of a table with these columns, long cells folded."""
    cells = [[name, *(row[columns.index(name)] for row in rows)] for name in shown]
    return 1 + sum(3 + min(FOLDED, max(map(len, column))) for column in cells)


def note(*texts: str, indent: int = 0) -> None:
    """Print texts below a table, wrapped to the terminal's width."""
    width = console.width if console.is_terminal else PIPE_COLUMNS
    for text in texts:
        begin = " " * indent
        lines = textwrap.wrap(
            printable(text),
            width,
            initial_indent=begin,
            subsequent_indent=f"{begin}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        say(*lines)


def leave_at_once(status: int) -> NoReturn:
    """End this process with all output written, although threads still wait for something, such as a model's reply."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def progress_bar() -> Progress:
    """Return a progress bar on standard error. It shows nothing if that is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors, disable=not errors.is_terminal)

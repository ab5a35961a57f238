"""Print tables for people, JSON for machines, and errors on standard error."""

import re
import sys
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tetrad.contracts.wire import UNPRINTABLE

console = Console()
errors = Console(stderr=True)
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


def table(title: str, columns: list[str], rows: list[list[str]], *, lines: bool = False) -> None:
    """Print a table. Its cells come from elsewhere, so they are not interpreted as markup.

    With `lines`, a cell may have several.
    """
    shown = Table(title=Text(printable(title)), title_justify="left")
    for column in columns:
        shown.add_column(column)
    for row in rows:
        shown.add_row(*(Text(printable(cell, lines=lines)) for cell in row))
    printer = console if console.is_terminal else Console(width=PIPE_COLUMNS)
    printer.print(shown)


def progress_bar() -> Progress:
    """Return a progress bar on standard error. It shows nothing if that is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors, disable=not errors.is_terminal)

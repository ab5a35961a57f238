"""Print tables for people, JSON for machines, and errors on standard error."""

import sys
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

console = Console()
errors = Console(stderr=True)
PIPE_COLUMNS = 240  # of a table that goes to a file or a pipe: nothing is cut to a screen there


def print_json(document: Any) -> None:
    """Write one JSON document on standard output."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")


def print_line(record: Any) -> None:
    """Write one record as a line of JSON and flush it, because another program may wait for it."""
    sys.stdout.write(f"{msgspec.json.encode(record).decode()}\n")
    sys.stdout.flush()


def say(*lines: str) -> None:
    """Print lines as they are, however long, on standard output."""
    for line in lines:
        console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table. Its cells come from elsewhere, so they are not interpreted as markup."""
    shown = Table(title=Text(title), title_justify="left")
    for column in columns:
        shown.add_column(column)
    for row in rows:
        shown.add_row(*map(Text, row))
    printer = console if console.is_terminal else Console(width=PIPE_COLUMNS)
    printer.print(shown)


def progress_bar() -> Progress:
    """Return a progress bar on standard error. It shows nothing if that is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors, disable=not errors.is_terminal)

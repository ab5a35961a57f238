"""What the commands print: tables for people, JSON for machines, errors on standard error."""

import sys
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

console = Console()
errors = Console(stderr=True)


def print_json(document: Any) -> None:
    """Write one JSON document on standard output."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    shown = Table(title=title, title_justify="left")
    for column in columns:
        shown.add_column(column)
    for row in rows:
        shown.add_row(*row)
    console.print(shown)


def progress_bar() -> Progress:
    """Return a bar on standard error, so that standard output stays clean."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"

"""Files that a command makes: written, or compared with what is checked in."""

import sys
from collections.abc import Sequence
from pathlib import Path


def write_or_compare(path: Path, made: str, arguments: Sequence[str], remedy: str) -> int:
    """Write a file, or with --check say that the one that is there differs and what to run; return the exit status.

    On any other argument, such as --help, nothing is written, and the status is 2.
    """
    if list(arguments) not in ([], ["--check"]):
        sys.stderr.write(f"without an argument {path.name} is written; --check compares it and writes nothing\n")
        return 2
    if not arguments:
        path.write_text(made)
    elif not path.exists() or path.read_text() != made:
        sys.stderr.write(f"{path.name} is not what it is made from: run {remedy}\n")
        return 1
    return 0

"""Report why a command failed. It stands alone because a command that does not fail need not import it."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from rich.markup import escape

from tetrad.ci.failure import results_folder, write_error
from tetrad.cli.credentials import with_origin
from tetrad.cli.output import errors, printable
from tetrad.errors import TetradError
from tetrad.files import UNFINISHED

CI_ERROR = 3


def print_error(error: TetradError | OSError) -> str:
    """Print the error, and return its message."""
    message = with_origin(error) if isinstance(error, TetradError) else describe_file_error(error)
    _print_message(message)
    return message


def describe_file_error(error: OSError) -> str:
    """Return which file or folder it was, what is wrong with it, and what to do."""
    if error.filename is None or error.strerror is None:
        return str(error)
    path = Path(os.fsdecode(error.filename))
    place = path.parent if path.name.startswith(UNFINISHED) else path
    return f"{place}: {error.strerror}; name another place, or mend this one"


def leave_with_error(given: Sequence[str], message: str) -> NoReturn:
    """Write the error of `tetrad ci` where CI systems look, and exit."""
    try:
        write_error(results_folder(given), message)
    except OSError as error:
        _print_message(f"the error can't be written for CI: {describe_file_error(error)}")
    sys.exit(CI_ERROR)


def _print_message(message: str) -> None:
    errors.print(
        f"[bold red]tetrad:[/] {escape(printable(message, lines=True))}", highlight=False, emoji=False, soft_wrap=True
    )

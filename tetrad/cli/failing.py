"""Report why a command failed. It stands alone because a command that does not fail need not import it."""

import sys
from collections.abc import Sequence
from typing import NoReturn

from rich.markup import escape

from tetrad.ci.failure import results_folder, write_error
from tetrad.cli.credentials import with_origin
from tetrad.cli.output import errors, printable
from tetrad.errors import TetradError

CI_ERROR = 3


def print_error(error: TetradError | OSError) -> str:
    """Print the error, and return its message."""
    message = with_origin(error) if isinstance(error, TetradError) else str(error)
    _print_message(message)
    return message


def leave_with_error(given: Sequence[str], message: str) -> NoReturn:
    """Write the error of `tetrad ci` where CI systems look, and exit."""
    try:
        write_error(results_folder(given), message)
    except OSError as error:
        _print_message(f"the error can't be written for CI: {error}")
    sys.exit(CI_ERROR)


def _print_message(message: str) -> None:
    errors.print(
        f"[bold red]tetrad:[/] {escape(printable(message, lines=True))}", highlight=False, emoji=False, soft_wrap=True
    )

"""The command line's entry point. A command's module is imported when the command runs, or when help lists it."""

import sys
from typing import NoReturn

import cyclopts
from rich.markup import escape

from tetrad.ci.failure import results_folder, write_error
from tetrad.cli.credentials import with_origin
from tetrad.cli.output import errors, printable
from tetrad.errors import TetradError
from tetrad.versions import find_version

COMMANDS = {
    "benchmarks": "tetrad.cli.team.benchmarks:benchmarks",
    "items": "tetrad.cli.team.items:items",
    "submit": "tetrad.cli.team.submit:submit",
    "eval": "tetrad.cli.team.evaluate:evaluate",
    "ci": "tetrad.cli.team.ci.command:ci",
    "submissions": "tetrad.cli.team.submissions:submissions",
    "status": "tetrad.cli.team.submissions:status",
    "finish": "tetrad.cli.team.submissions:finish",
    "questions": "tetrad.cli.team.submissions:questions",
    "answers": "tetrad.cli.team.submissions:answers",
    "events": "tetrad.cli.team.submissions:events",
    "report": "tetrad.cli.team.submissions:report",
    "export": "tetrad.cli.team.publishing:export",
    "leaderboard": "tetrad.cli.team.board:leaderboard",
    "baseline": "tetrad.cli.team.baseline:app",
    "verify": "tetrad.cli.team.verify:verify",
    "keys": "tetrad.cli.team.keys:app",
    "whoami": "tetrad.cli.team.speaking_for:whoami",
    "use": "tetrad.cli.team.speaking_for:use",
    "versions": "tetrad.cli.team.versions:versions",
    "models": "tetrad.cli.team.models:app",
    "completion": "tetrad.cli.completing:completion",
    "source": "tetrad.cli.operator.source:app",
    "admin": "tetrad.cli.operator:app",
    "up": "tetrad.server.embedded.up:up",
}
HELP = {"--help", "-h"}
CI_ERROR = 3

ABOUT = """Visual-analogy benchmarks over HTTP.

TETRAD_URL is the address of the service (http://127.0.0.1:8000 by default). TETRAD_KEY is an API key to use instead of
the kept ones, and TETRAD_PROFILE the name of a kept one.
"""
app = cyclopts.App(name="tetrad", help=ABOUT, version=find_version)
for name, place in COMMANDS.items():
    app.command(place, name=name)


def main(arguments: list[str] | None = None) -> None:
    """Run one command. Exit 1 with the reason if it fails, 2 if there is no such command, 130 on Ctrl-C.

    `tetrad ci` keeps 1 and 2 for its decisions: there, both are 3.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if HELP & set(given) or set(given) <= {"admin"}:  # a group alone prints its help
        import_commands(app)
    decides = given[:1] == ["ci"]
    try:
        app(given, exit_on_error=not decides)
    except (TetradError, OSError) as error:
        message = with_origin(error) if isinstance(error, TetradError) else str(error)
        _print_error(message)
        if decides:
            _leave_with_error(given, message)
        sys.exit(1)
    except cyclopts.CycloptsError as error:  # it is printed by then
        _leave_with_error(given, str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def import_commands(group: cyclopts.App) -> None:
    """Import every command of a group and of its subgroups. Help can't describe a command that is not imported."""
    for command in [group[name] for name in group if not name.startswith("-")]:
        import_commands(command)


def _leave_with_error(given: list[str], message: str) -> NoReturn:
    """Write the error where CI systems look, and exit."""
    try:
        write_error(results_folder(given), message)
    except OSError as error:
        _print_error(f"the error can't be written for CI: {error}")
    sys.exit(CI_ERROR)


def _print_error(message: str) -> None:
    errors.print(
        f"[bold red]tetrad:[/] {escape(printable(message, lines=True))}", highlight=False, emoji=False, soft_wrap=True
    )

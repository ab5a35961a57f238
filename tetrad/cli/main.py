"""The command line's entry point: one app, errors as one clear line."""

import sys

import cyclopts
from rich.markup import escape

from tetrad import __version__
from tetrad.cli import operator as admin
from tetrad.cli.operator import source
from tetrad.cli.output import errors
from tetrad.cli.team import board, catalogue, keys, submissions, submit, verify
from tetrad.cli.team import items as puzzles
from tetrad.client import TetradError

app = cyclopts.App(name="tetrad", help="Visual-analogy benchmarks over HTTP.", version=__version__)
app.command(catalogue.benchmarks)
app.command(puzzles.items)
app.command(submit.submit)
app.command(submissions.questions)
app.command(submissions.answers)
app.command(submissions.events)
app.command(submissions.report)
app.command(board.leaderboard)
app.command(verify.verify)
app.command(keys.app)
app.command(source.app)
app.command(source.corpus)
app.command(admin.app)


@app.command
def up() -> None:
    """Run the whole service on this machine (TETRAD_PORT, TETRAD_HOME); Ctrl-C stops it."""
    from tetrad.server.embedded.up import up as start  # noqa: PLC0415 -- needs the services' libraries, clients don't

    start()


def main(arguments: list[str] | None = None) -> None:
    """Run one command; exit 1 with the reason where it fails, 2 where it is none, 130 on Ctrl-C."""
    from tetrad.server.embedded.data_directory import EmbeddedError  # noqa: PLC0415 -- see `up`

    try:
        app(arguments)
    except (TetradError, EmbeddedError, OSError) as error:
        errors.print(f"[bold red]tetrad:[/] {escape(str(error))}", highlight=False, emoji=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

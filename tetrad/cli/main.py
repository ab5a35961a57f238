"""The command line's entry point. A command's module is imported when the command runs."""

import sys
from collections.abc import Sequence

import cyclopts

from tetrad.cli.groups import Command, add_commands
from tetrad.cli.operator import admin_app
from tetrad.errors import TetradError
from tetrad.versions import find_version

COMMANDS = {
    "benchmarks": Command(
        "tetrad.cli.team.benchmarks:benchmarks",
        "List the benchmarks, or show the tracks, settings, parameters and sources of one.",
    ),
    "items": Command(
        "tetrad.cli.team.items:items",
        "Write fresh practice items with their pictures and solutions, one row a question.",
    ),
    "export-task": Command(
        "tetrad.cli.team.export_task:export_task",
        "Write practice items with their pictures and solutions as a task of another harness: its data and its files.",
    ),
    "datasets": Command(
        "tetrad.cli.team.datasets:app",
        "Order data sets of practice items by the million; list, fetch and check them.",
    ),
    "submit": Command(
        "tetrad.cli.team.submit:submit",
        "Answer a whole submission, wait until it is scored, and print the report.",
    ),
    "eval": Command(
        "tetrad.cli.team.evaluate:evaluate",
        "Evaluate a model that runs on this machine, or is reached from it, and print the report.",
    ),
    "ci": Command("tetrad.cli.team.ci.command:ci", "Evaluate a model, decide the gates, and write reports for CI."),
    "submissions": Command("tetrad.cli.team.submissions:submissions", "List your team's submissions, newest first."),
    "status": Command(
        "tetrad.cli.team.submissions:status",
        "Show how far a submission is, and what can be done with it.",
    ),
    "finish": Command(
        "tetrad.cli.team.submissions:finish",
        "Finish an open submission now. Questions without an answer count as wrong.",
    ),
    "questions": Command(
        "tetrad.cli.team.submissions:questions",
        "Write all open questions with their pictures to one tar file: questions.ndjson, submission.json and images/.",
    ),
    "answers": Command(
        "tetrad.cli.team.submissions:answers",
        "Seal the answers of a file: .csv, .ndjson, .jsonl or .json, or one of these packed with gzip (.csv.gz).",
    ),
    "events": Command(
        "tetrad.cli.team.submissions:events",
        "Show the events of a submission. With --follow, show new ones as they happen, until it is scored.",
    ),
    "report": Command("tetrad.cli.team.submissions:report", "Print the report of a scored submission."),
    "export": Command(
        "tetrad.cli.team.publishing:export",
        "Write the report of a scored submission for other platforms.",
    ),
    "leaderboard": Command("tetrad.cli.team.board:leaderboard", "Show the board of a benchmark's track and setting."),
    "baseline": Command(
        "tetrad.cli.team.baseline:app",
        "Answer analogies by a model's embeddings, as they are or after training.",
    ),
    "verify": Command(
        "tetrad.cli.team.verify:verify",
        "Confirm a scored submission: its place in the public log, its answer keys, its verdicts, its score.",
    ),
    "keys": Command("tetrad.cli.team.keys:app", "Register a team; make, list and revoke its API keys."),
    "whoami": Command(
        "tetrad.cli.team.speaking_for:whoami",
        "Show the team that commands speak for, where its API key is from, and what it may still do.",
    ),
    "use": Command(
        "tetrad.cli.team.speaking_for:use",
        "Let commands speak for another team whose API key is kept, from now on. "
        "TETRAD_PROFILE does it for one command.",
    ),
    "versions": Command(
        "tetrad.cli.team.versions:versions",
        "Show the versions of this client and of the service, and the line that installs the service's own client.",
    ),
    "models": Command(
        "tetrad.cli.team.models:app",
        "List your team's models and those behind the instance's gateway; register one.",
    ),
    "completion": Command("tetrad.cli.completing:completion", "Print the script that completes tetrad in a shell."),
    "source": Command(
        "tetrad.cli.operator.source:app",
        "Add pictures, annotations and published items; list, check, mine and remove them.",
    ),
    "up": Command(
        "tetrad.server.embedded.up:up",
        "Run the whole service on this machine (TETRAD_PORT, TETRAD_GATEWAY_PORT, TETRAD_HOME); Ctrl-C stops it.",
    ),
}
ABOUT = """Visual-analogy benchmarks over HTTP.

TETRAD_URL is the address of the service (http://127.0.0.1:8000 by default).
TETRAD_KEY is an API key to use instead of the kept ones, and TETRAD_PROFILE the
name of a kept one.

Begin with: tetrad keys new --team NAME, then tetrad submit. Without a service,
tetrad up starts one in a clone of the repository.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run one command. Exit 1 with the reason if it fails, 2 if there is no such command, 130 on Ctrl-C.

    `tetrad ci` keeps 1 and 2 for its decisions: there, both are 3.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:  # cyclopts would import rich to print it
        sys.stdout.write(f"{find_version()}\n")
        return
    try:
        run_command(given)
    except KeyboardInterrupt:
        sys.exit(130)


def run_command(given: Sequence[str]) -> None:
    """Run one command, and exit with the reason if it fails."""
    decides = list(given[:1]) == ["ci"]
    try:
        make_app(given)(given, exit_on_error=not decides)
    except (TetradError, OSError, cyclopts.CycloptsError) as error:
        from tetrad.cli import failing  # noqa: PLC0415 -- the client, rich and XML: most commands don't fail

        # cyclopts has printed its own errors
        message = str(error) if isinstance(error, cyclopts.CycloptsError) else failing.print_error(error)
        if decides:
            failing.leave_with_error(given, message)
        sys.exit(1)


def make_app(given: Sequence[str]) -> cyclopts.App:
    """Return the command line with all commands, to run these words."""
    no_empty_lists = cyclopts.Parameter(negative_iterable=())  # --empty-parameter and the like
    app = cyclopts.App(name="tetrad", help=ABOUT, version=find_version, default_parameter=no_empty_lists)
    app.command(admin_app(given))
    add_commands(app, COMMANDS, given)
    return app

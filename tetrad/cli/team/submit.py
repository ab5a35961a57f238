"""`tetrad submit`: open a submission, answer it with a model, wait for the report."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Group, Parameter

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import errors, leave_at_once, print_json, say, say_apart
from tetrad.cli.team.answering import NOTHING_GIVEN, Answering, AnsweringOptions, SubmitError, answer_with_bar
from tetrad.cli.team.opening import DrawOptions, Entry, check_same, check_solver, note_rank, open_with_model
from tetrad.cli.team.rehearsing import rehearse
from tetrad.cli.team.reports import INTERRUPTED, FailUnder, check_report, page_of, wait_scored, without_rank
from tetrad.cli.team.submissions import write_bundle
from tetrad.client import Client, TetradError
from tetrad.contracts.submissions import Submission
from tetrad.reporting.markdown import ASKED
from tetrad.runner import ReplyError, RunError, StalledError

ANY_DRAW = DrawOptions()


@Parameter(name="*", group=Group("The run", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Who sees the submission, where it begins, and where it ends."""

    private: bool | None = None
    """Keep it off the board."""
    nonce: str | None = None
    """Your part of the seed; drawn for you by default."""
    bundle: Path | None = None
    """Only open it, and write its questions and pictures to this tar file, to be answered offline."""
    resume: str | None = None
    """Id of a submission of yours to go on with, instead of opening one: benchmark, model and all are its own."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the report as JSON; with --bundle the submission and the file."""
    fail_under: FailUnder = None
    """Exit 4 if the score is below this share, for example 0.5."""


ONE_RUN = RunOptions()


def submit(
    *, draw: DrawOptions = ANY_DRAW, answering: AnsweringOptions = NOTHING_GIVEN, run: RunOptions = ONE_RUN
) -> None:
    """Answer a whole submission, wait until it is scored, and print the report.

    The model answers here, on this machine: a solver by its name, such as random (docs/models.md, "Solvers"); or any
    command (--command) that reads a question's JSON on its input and prints its reply; or a server (--base-url).
    """
    entry = Entry(draw=draw, answering=answering, is_private=run.private, nonce=run.nonce)
    if run.resume is not None:
        with connect_with_key(run.url) as client:
            _resume(client, entry, run, run.resume)
        return
    request = entry.request()
    if run.bundle is not None and run.bundle.exists():
        raise SubmitError(f"--bundle {run.bundle} is there already; name another file: it belongs to one submission")
    if run.bundle is not None and not os.access(run.bundle.parent, os.W_OK):
        raise SubmitError(
            f"--bundle {run.bundle}: no file can be written to {run.bundle.parent}; make that folder first"
        )
    ready = None if run.bundle is not None else answering.answering(request.model)
    with connect_with_key(run.url) as client:
        if ready is not None:
            check_solver(client, answering, request)
            rehearse(client, request, ready.plan, ready.responder)
        note_rank(client, request)
        _go_on(client, entry, run, open_with_model(client, request), ready)


def _resume(client: Client, entry: Entry, run: RunOptions, name: str) -> None:
    """Continue a submission as it was opened. If it takes no more answers, only wait for the report."""
    submission = client.submission(name)
    check_same(entry, submission)
    is_answered_here = run.bundle is None and submission.state == "open"
    ready = entry.answering.answering(submission.model) if is_answered_here else None
    _go_on(client, entry, run, submission, ready)


def _go_on(client: Client, entry: Entry, run: RunOptions, submission: Submission, ready: Answering | None) -> None:
    asked = ASKED[submission.conversation]
    errors.print(
        f"{submission.id}: {submission.size} items, {asked}, commitment {submission.commitment}", soft_wrap=True
    )
    if run.bundle is not None:
        _bundle(client, submission, run.bundle, json=run.json)
        return
    try:
        if ready is not None:
            answer_with_bar(client, submission, ready)
        report = wait_scored(client, submission.id)
    except (RunError, ReplyError, StalledError) as error:
        raise SubmitError("\n".join([str(error), *_what_now(client, entry, run, submission)])) from error
    except KeyboardInterrupt:
        say_apart("stopped", *_what_now(client, entry, run, submission))
        leave_at_once(INTERRUPTED)
    if run.json:
        print_json(report)
    else:
        say(client.report_text(submission.id, "markdown"))
        say_apart(*without_rank(client, submission, report), page_of(run.url, submission))
    check_report(report, run.fail_under)


def _what_now(client: Client, entry: Entry, run: RunOptions, submission: Submission) -> list[str]:
    """Return how far a submission is, and what can be done with it, as commands to copy."""
    try:
        current = client.submission(submission.id)
    except TetradError as error:
        state = [f"{submission.id}: its state can't be read now ({error})"]
    else:
        done = f"{current.progress.items_finished} of {current.size} items done"
        state = [f"{submission.id} is {current.state}: {done}; it takes answers until {current.deadline_at}"]
    again = entry.answering.as_line(submission.model) + ("" if run.url is None else f" --url {shlex.quote(run.url)}")
    return [
        *state,
        f"go on:       tetrad submit --resume {submission.id}{again}",
        f"or give up:  tetrad finish {submission.id}   (what is missing counts as wrong)",
    ]


def _bundle(client: Client, submission: Submission, out: Path, *, json: bool) -> None:
    write_bundle(client, submission.id, out)
    if json:
        print_json({"submission": submission, "bundle": str(out)})
        return
    steps = (
        f"tetrad answers {submission.id} FILE.csv   (item,question,answer: or response, the whole reply)",
        f"tetrad questions {submission.id} --out {out}   until no question is left, by {submission.deadline_at}",
        f"tetrad report {submission.id}",
    )
    earlier = ", and in `earlier` the turns before each" if submission.conversation == "joined" else ""
    say(f"{out} holds the open questions and their pictures{earlier}. Then:", *steps)

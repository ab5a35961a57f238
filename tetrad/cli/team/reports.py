"""Wait for a report, say what is to be said beside it, and give CI an exit status.

It stands alone because `tetrad submit`, `tetrad eval` and `tetrad report` all end with a report.
"""

import sys
import time
from typing import Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import address
from tetrad.cli.output import say_apart
from tetrad.cli.team.answering import SubmitError
from tetrad.cli.team.parameters import keep_given
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import Submission
from tetrad.reporting.units import in_unit

BELOW = 4
"""The exit status of a score below --fail-under. 1 is for a command that failed."""
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended

FailUnder: TypeAlias = Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))]
MUCH_UNREAD = 0.5
NO_SOURCES = "none"  # the `bank` of an identity whose items need no source
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 120


def wait_scored(client: Client, submission: str) -> Report:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        current = client.submission(submission)
        if current.state == "scored":
            return client.report(submission)
        if current.state in {"failed", "void"}:
            raise SubmitError(f"{submission} is {current.state}: {current.failure or current.void_reason}")
        time.sleep(POLL_SECONDS)
    raise SubmitError(
        f"{submission} is {current.state} after {PATIENCE_SECONDS} s; look again with: --resume {submission}"
    )


def check_report(report: Report, fail_under: float | None) -> None:
    """Warn where half of the replies or more could not be read, and exit 4 if the score is below the threshold."""
    say_apart(*warnings(report))
    if fail_under is None:
        return
    headline = report.headline
    if headline.value is None or headline.value < fail_under:
        shown, least = in_unit(headline.value, headline.unit), in_unit(fail_under, headline.unit)
        say_apart(f"{headline.name} is {shown}, below --fail-under {least}")
        sys.exit(BELOW)


def warnings(report: Report) -> list[str]:
    """Return what a reader should know before believing the score."""
    given = report.questions_asked - report.missing
    if not given or report.unread / given < MUCH_UNREAD:
        return []
    much = "no reply" if report.unread == given else f"only {given - report.unread} of {given} replies"
    reasons = (question.reason for question in report.questions if question.verdict == "unread" and question.reason)
    example = next(reasons, "")
    because = f" The first one: {example}." if example else ""
    advice = "The question says in which form to answer; look at what your model says."
    return [f"Warning: {much} could be read.{because} All others count as wrong. {advice}"]


def page_of(url: str | None, submission: Submission) -> str:
    """Return the line that names the page of a scored submission."""
    shown = "" if submission.visibility == "public" else " (shown to whoever signed in with a key of your team)"
    return f"Its page, with each wrong answer: {address(url)}/submissions/{submission.id}{shown}"


def without_rank(client: Client, submission: Submission, report: Report) -> list[str]:
    """Return why a public submission's model has no rank yet, or nothing."""
    identity = submission.identity
    card = client.benchmark(identity.benchmark).card
    if submission.visibility == "private" or card.corpus is not None:
        return []
    ranked = {parameter.name: identity.parameters[parameter.name] for parameter in card.parameters if parameter.ranked}
    place = keep_given(
        track=identity.track,
        setting=identity.setting,
        conversation=submission.conversation,
        source=None if identity.bank == NO_SOURCES else identity.bank,
    )
    board = client.leaderboard(identity.benchmark, **{**ranked, **place}, version=identity.version)
    own = [row for row in board.rows if (row.team, row.model) == (submission.team, submission.model)]
    if not own or own[0].rank_best is not None:
        return []
    counted, least = own[0].items, board.least_items
    of_this = f"{report.headline.items} of {report.size} items of this submission counted"
    return [f"No rank yet: the board ranks from {least} counted items; {submission.model} has {counted} ({of_this})."]

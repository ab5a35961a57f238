"""Warn of a report that is hardly readable, and give CI an exit status: for `tetrad submit` and `tetrad report`."""

import sys
from typing import Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.output import say_apart
from tetrad.contracts.reports import Report
from tetrad.reporting.units import in_unit

BELOW = 4
"""The exit status of a score below --fail-under. 1 is for a command that failed."""

FailUnder: TypeAlias = Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))]
MUCH_UNREAD = 0.5


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
    example = next((one.reason for one in report.questions if one.verdict == "unread" and one.reason), "")
    because = f" The first one: {example}." if example else ""
    advice = "The question says in which form to answer; look at what your model says."
    return [f"Warning: {much} could be read.{because} All others count as wrong. {advice}"]

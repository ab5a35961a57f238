"""Write a report as one HTML file: style and script inside, allowed by their hashes, and pictures as data.

The file asks nothing from anywhere, so it can be kept, sent, or attached to a build.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import RevealedItem
from tetrad.reporting.pages import ENLARGE, STYLE
from tetrad.reporting.pages.environment import page_environment
from tetrad.reporting.pages.report import ReportView, WrongAnswer, report_view, wrong_answers

MOST_ANSWERS = 50  # with four or five pictures each, some 5 MB


@dataclass(frozen=True, kw_only=True)
class ReportFile:
    """All that the file shows. `reason` says why it has no wrong answers."""

    report: ReportView
    model: str
    team: str
    answers: tuple[WrongAnswer, ...]
    total: int
    reason: str


def wanted_questions(report: Report, most: int = MOST_ANSWERS) -> list[tuple[int, str]]:
    """Return the first questions that were not answered right, by item and id."""
    wrong = [(result.item, result.question) for result in report.questions if result.verdict != "correct"]
    return wrong[:most]


def report_file(
    report: Report,
    card: Card | None,
    items: Iterable[RevealedItem],
    pictures: Mapping[str, bytes],
    *,
    model: str,
    team: str,
) -> str:
    """Return the page. `items` are those of `wanted_questions`; `pictures` are PNGs by their addresses."""
    data = {address: f"data:image/png;base64,{base64.b64encode(png).decode()}" for address, png in pictures.items()}
    wanted = set(wanted_questions(report))
    answers = wrong_answers(items, wanted, picture=data, address={}, card=card)
    style, script = STYLE.read_text("utf-8"), ENLARGE.read_text("utf-8")
    view = ReportFile(
        report=report_view(report, card),
        model=model,
        team=team,
        answers=tuple(answers),
        total=sum(result.verdict != "correct" for result in report.questions),
        reason="A fixed corpus: no single question is shown." if report.aggregates_only else "",
    )
    template = page_environment().get_template("report_file.html")
    # Both texts are this package's own, and neither holds an end tag.
    inside = {"style": Markup(style), "script": Markup(script)}  # noqa: S704
    return template.render(view=view, policy=write_policy(style, script), **inside)


def write_policy(style: str, script: str) -> str:
    """Return a policy that lets in this style and this script by their hashes, pictures as data, and nothing else."""
    return "; ".join(
        ["default-src 'none'", f"style-src {_hash(style)}", f"script-src {_hash(script)}", "img-src data:"]
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def picture_addresses(items: Iterable[RevealedItem], wanted: Sequence[tuple[int, str]]) -> list[str]:
    """Return the addresses of all pictures of these questions, each once."""
    asked = set(wanted)
    return list(
        dict.fromkeys(
            picture.url
            for item in items
            for revealed in item.questions
            if (item.item, revealed.question.id) in asked
            for picture in revealed.question.pictures
            if picture.url
        )
    )

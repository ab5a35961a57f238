"""The report of `tetrad report --format html`: one file with the first wrong answers and their pictures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import RevealedItem
from tetrad.reporting.pages.report import ReportView, WrongAnswer, report_view, stops_of, wrong_answers
from tetrad.reporting.pages.whole_file import data_addresses, whole_file

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
    wanted = set(wanted_questions(report))
    shown, stops = data_addresses(pictures), stops_of(report)
    answers = wrong_answers(items, wanted, picture=shown, address={}, card=card, stops=stops)
    view = ReportFile(
        report=report_view(report, card),
        model=model,
        team=team,
        answers=tuple(answers),
        total=sum(result.verdict != "correct" for result in report.questions),
        reason="A fixed corpus: no single question is shown." if report.aggregates_only else "",
    )
    return whole_file("report_file.html", view)


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

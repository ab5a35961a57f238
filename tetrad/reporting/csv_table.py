"""Write tables as CSV (RFC 4180, UTF-8). A report's has one line a question, with a column for each facet and outcome.

Answers, reasons and names are texts of strangers. Spreadsheets would run a cell that begins with = + - @, a tab or a
carriage return as a formula, so it gets an apostrophe in front (OWASP, CSV injection). Remove the apostrophe to compare
cells.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from tetrad.contracts.reports import QuestionResult, Report

COLUMNS = ("item", "question", "verdict", "answer", "key", "reason", "reply_digest", "stop")
FACET, OUTCOME = "facet.", "outcome."
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def report_csv(report: Report) -> str:
    """Return the table with its header. A report without questions gives a header alone."""
    facets = sorted({name for result in report.questions for name in result.facets})
    outcomes = sorted({name for result in report.questions for name in result.outcome})
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    named = [*(FACET + name for name in facets), *(OUTCOME + name for name in outcomes)]
    writer.writerow([*COLUMNS, *map(harmless, named)])
    writer.writerows(_cells(result, facets, outcomes) for result in report.questions)
    return text.getvalue()


def write_table(columns: Sequence[str], rows: Iterable[Mapping[str, object]], missing: str = "") -> str:
    """Return the table with its header. A row may lack columns, which then hold `missing`; None is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval=missing)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def harmless(cell: str) -> str:
    """Return the cell, with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{cell}" if cell.startswith(DANGEROUS) else cell


def _cells(result: QuestionResult, facets: list[str], outcomes: list[str]) -> list[str]:
    own = (result.question, result.verdict, result.answer, result.key, result.reason)
    texts = (*own, result.reply_digest, result.stop)
    shown = [*texts, *(result.facets.get(name) for name in facets), *(result.outcome.get(name) for name in outcomes)]
    return [str(result.item), *(harmless(text or "") for text in shown)]

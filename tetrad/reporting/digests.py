"""Compute one digest over all answers: a report whose answers were changed no longer fits it."""

from collections.abc import Iterable

from tetrad.canonical import rows_hexdigest
from tetrad.contracts.reports import QuestionResult


def answers_digest(results: Iterable[QuestionResult]) -> str:
    """Return SHA-256 (64 hex digits) over (item, question, answer read, digest of the reply), missing ones apart."""
    given = [
        (result.item, (result.question, result.answer, result.reply_digest))
        for result in results
        if result.verdict != "missing"
    ]
    try:
        given.sort()
    except TypeError:  # a claimed report may name a question twice, and None does not compare with text
        given.sort(key=_order)
    return rows_hexdigest("tetrad/answers/1", given)


def _order(row: tuple[int, tuple[str, str | None, str | None]]) -> tuple[int, str, str, str]:
    item, (question, answer, reply) = row
    return item, question, answer or "", reply or ""

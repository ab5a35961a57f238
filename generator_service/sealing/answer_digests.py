"""Digests of a draw's sealed answers: of each, of all, and of those to each range of its items.

A reveal freezes them. From then on keys are given only for these answers, of all items at once or by ranges.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from tetrad.canonical import hexdigest
from tetrad.contracts.answers import SealedAnswer

Row: TypeAlias = tuple[int, str, str]
"""An item's index, a question of it, and the digest of the answer."""


class AnswerRanges(msgspec.Struct, frozen=True, kw_only=True):
    """The digests of the answers to a draw's items, `by` items each."""

    by: int
    digests: list[str]


def answer_digest(answer: SealedAnswer) -> str:
    """Return the digest of one answer as sent."""
    return hexdigest("tetrad/answer/1", answer.answer, answer.response)


def answer_rows(answers: Iterable[SealedAnswer]) -> list[Row]:
    """Return the digest of each answer with its place, in order, whatever order they come in."""
    known: dict[tuple[str | None, str | None], str] = {}  # many replies are the same few words
    rows = []
    for answer in answers:
        sent = answer.answer, answer.response
        if sent not in known:
            known[sent] = answer_digest(answer)
        rows.append((answer.item, answer.question, known[sent]))
    return sorted(rows)


def frozen_digest(rows: Sequence[Row]) -> str:
    """Return the digest that a reveal freezes: of all answers of a draw, or of those to a range of its items.

    The digest is over JSON, which takes a twentieth of the time of canonical bytes. JSON is safe here because only the
    generator makes and compares this digest.
    """
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()


def answer_ranges(rows: Sequence[Row], size: int, by: int) -> AnswerRanges:
    """Return the digests of all ranges of a draw of this size."""
    ranges: list[list[Row]] = [[] for _ in range(0, size, by)]
    for row in rows:
        ranges[row[0] // by].append(row)
    return AnswerRanges(by=by, digests=[frozen_digest(part) for part in ranges])

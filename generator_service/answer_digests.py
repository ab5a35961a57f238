"""Digests of a draw's sealed answers: of each, of all, and of those to each range of its items.

A reveal freezes them, so that keys are given for just these answers, whether of all items at once or by ranges.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
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
    return sorted((answer.item, answer.question, answer_digest(answer)) for answer in answers)


def answers_digest(rows: Iterable[Row]) -> str:
    """Return one digest of all answers of a draw."""
    return hexdigest("tetrad/answers/1", *chain.from_iterable(rows))


def range_digest(rows: Iterable[Row]) -> str:
    """Return one digest of the answers to a range of items."""
    return hexdigest("tetrad/answers-of-range/1", *chain.from_iterable(rows))


def answer_ranges(rows: Sequence[Row], size: int, by: int) -> AnswerRanges:
    """Return the digests of all ranges of a draw of this size."""
    ranges: list[list[Row]] = [[] for _ in range(0, size, by)]
    for row in rows:
        ranges[row[0] // by].append(row)
    return AnswerRanges(by=by, digests=[range_digest(one) for one in ranges])

"""The rows of answers that were gated on: a digest of what was sent, and what was read of it, by item and question."""

from collections.abc import Collection
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa

from generator_service.sealing.answer_digests import Row, answer_digest
from generator_service.sealing.record_tables import gated
from tetrad.contracts.answers import SealedAnswer

Place: TypeAlias = tuple[int, str]
"""An item's index and a question of it."""


class Gated(NamedTuple):
    """An answer that was gated on: the digest of what was sent, and what was read of it.

    A record from before readings were kept has only the digest; the answer is read when it is sent again.
    """

    digest: str
    kept: bool
    reading: str | None


def gated_of(connection: sa.Connection, submission: str, items: Collection[int]) -> dict[Place, Gated]:
    """Return the answers to these items."""
    query = sa.select(gated.c.item, gated.c.question, gated.c.digest, gated.c.reading)
    return {
        (item, question): Gated(digest, reading is not None, reading or None)
        for item, question, digest, reading in connection.execute(_of(query, submission, items)).all()
    }


def readings_of(connection: sa.Connection, submission: str, items: range) -> dict[int, dict[str, str | None]]:
    """Return what was read of the answers to these items, by item and question, where that was kept."""
    query = sa.select(gated.c.item, gated.c.question, gated.c.reading).where(gated.c.reading.is_not(None))
    found: dict[int, dict[str, str | None]] = {}
    for item, question, reading in connection.execute(_of(query, submission, items)).all():
        found.setdefault(item, {})[question] = reading or None
    return found


def rows_of(connection: sa.Connection, submission: str) -> set[Row]:
    """Return the digest of every answer with its place."""
    query = sa.select(gated.c.item, gated.c.question, gated.c.digest).where(gated.c.submission == submission)
    return {(item, question, digest) for item, question, digest in connection.execute(query).all()}


def gated_row(submission: str, answer: SealedAnswer, read: str | None) -> dict[str, object]:
    """Return the row of an answer and what is read of it."""
    return {
        "submission": submission,
        "item": answer.item,
        "question": answer.question,
        "digest": answer_digest(answer),
        "reading": read or "",
    }


def keep_reading(connection: sa.Connection, submission: str, answer: SealedAnswer, read: str | None) -> None:
    """Write down what is read of an answer that is there without."""
    place = (gated.c.submission == submission, gated.c.item == answer.item, gated.c.question == answer.question)
    connection.execute(sa.update(gated).where(*place).values(reading=read or ""))


def _of(query: sa.Select[Any], submission: str, items: Collection[int]) -> sa.Select[Any]:
    query = query.where(gated.c.submission == submission)
    if isinstance(items, range):
        return query.where(gated.c.item >= items.start, gated.c.item < items.stop)
    return query.where(gated.c.item.in_(items))

"""The generator's own write-once record: sealed draws, and the answers it has gated on.

What is written here never changes: a second, different answer to a question is refused, whoever sends it, so
nobody can probe the gating with invented answers. Revealing a draw freezes the digest of all its answers.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from generator_service.sealing.answer_digests import (
    AnswerRanges,
    answer_digest,
    answer_ranges,
    answer_rows,
    frozen_digest,
    older_digest,
)
from generator_service.sealing.gated_answers import (
    Gated,
    Place,
    gated_of,
    gated_row,
    keep_reading,
    readings_of,
    rows_of,
)
from generator_service.sealing.open_draws import IS_OPEN, OpenDrawsRecord
from generator_service.sealing.record_tables import draws, gated, make_tables
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import SealedDraw
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_rows, make_engine, read_transaction, write_transaction
from tetrad.server.garbage_collection import collector_paused

CLOSING = "remove it when they are finished (tetrad admin secrets closes those that nobody can answer any more)"
"""What to do about open draws that hold on to a bank or corpus: one whose submission was made void stays open."""


class RecordConflictError(Exception):
    """Something already written would have to change; the message names it."""


class StoredDraw(msgspec.Struct, frozen=True, kw_only=True):
    sealed: SealedDraw
    nonce: str
    revealed: bool
    closed: bool
    secret: str | None
    seed: str | None
    ranges: AnswerRanges | None


class Record:
    """The two tables, in SQLite or Postgres.

    SQLite has one writer at a time. On Postgres, a draw's row is locked before its answers are compared and
    written: those who come together come one after the other.
    """

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url)
        with write_transaction(self._engine) as connection:
            make_tables(connection)
        self.open = OpenDrawsRecord(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def is_up(self) -> bool:
        with read_transaction(self._engine) as connection:
            return connection.execute(sa.select(sa.literal(1))).scalar() == 1

    def find(self, submission: str) -> StoredDraw | None:
        with read_transaction(self._engine) as connection:
            row = connection.execute(sa.select(draws).where(draws.c.submission == submission)).one_or_none()
        return None if row is None else _stored(row)

    def unrevealed(self) -> dict[tuple[str, int, str], int]:
        """Count the draws that are neither revealed nor closed, by benchmark, version and bank digest."""
        counts: dict[tuple[str, int, str], int] = {}
        with read_transaction(self._engine) as connection:
            for text in connection.execute(sa.select(draws.c.identity).where(IS_OPEN)).scalars():
                identity = msgspec.json.decode(text, type=DrawIdentity)
                key = (identity.benchmark, identity.version, identity.bank)
                counts[key] = counts.get(key, 0) + 1
        return counts

    def revealed_of(self, banks: Collection[str]) -> int:
        """Count the revealed draws whose sources have one of these digests."""
        query = sa.select(draws.c.identity).where(draws.c.revealed_at.is_not(None))
        with read_transaction(self._engine) as connection:
            texts = connection.execute(query).scalars()
            return sum(msgspec.json.decode(text, type=DrawIdentity).bank in banks for text in texts)

    def seal(self, draw: SealedDraw, nonce: str, secret: str) -> SealedDraw:
        """Write a draw once, with the id of its secret; the same again gives what is there.

        Raises:
            RecordConflictError: the submission has another draw already.
        """
        with write_transaction(self._engine) as connection:
            _insert_unless_there(connection, _draw_row(draw, nonce, secret))
            row = connection.execute(sa.select(draws).where(draws.c.submission == draw.submission)).one()
        stored = _stored(row)
        if (stored.sealed, stored.nonce) != (draw, nonce):
            raise RecordConflictError(f"submission {draw.submission} is sealed with another draw already")
        return stored.sealed

    def gated(self, submission: str, items: Collection[int]) -> dict[Place, Gated]:
        """Return the answers to these items that were gated on."""
        with read_transaction(self._engine) as connection:
            return gated_of(connection, submission, items)

    def readings(self, submission: str, items: range) -> dict[int, dict[str, str | None]]:
        """Return what was read of the answers that were gated on, by item and question, where that was kept."""
        with read_transaction(self._engine) as connection:
            return readings_of(connection, submission, items)

    def gate(self, submission: str, answers: Mapping[SealedAnswer, str | None]) -> None:
        """Write each answer once, with what is read of it. All or nothing.

        Raises:
            RecordConflictError: there is no such draw, it is revealed or closed, or an answer differs from the one
                gated on before.
        """
        with write_transaction(self._engine) as connection:
            row = _locked(connection, submission)
            if row.revealed_at is not None or row.closed_at is not None:
                raise RecordConflictError(f"submission {submission} is revealed; its draw is closed")
            known = gated_of(connection, submission, {answer.item for answer in answers})
            fresh = []
            for answer, read in answers.items():
                there = known.get((answer.item, answer.question))
                compare(there, answer)
                if there is None:
                    fresh.append(gated_row(submission, answer, read))
                elif not there.kept:
                    keep_reading(connection, submission, answer, read)
            insert_rows(connection, gated, fresh)

    @collector_paused()
    def reveal(self, submission: str, answers: Sequence[SealedAnswer], seed: str, by: int | None = None) -> None:
        """Close the draw, freeze its answers and keep its seed, public from now on; the same again is fine.

        With `by`, the answers to each range of so many items are frozen, too.

        Raises:
            RecordConflictError: there is no such draw, an answer that was gated on is missing or differs, or the
                draw was revealed with other answers.
        """
        rows = answer_rows(answers)
        total = frozen_digest(rows)
        with write_transaction(self._engine) as connection:
            draw = _locked(connection, submission)
            if changed := rows_of(connection, submission).difference(rows):
                item, question, _ = min(changed)
                raise RecordConflictError(f"item {item}, {question}: not the answer that was gated on")
            if draw.answers not in {None, total} and draw.answers != older_digest(rows):
                raise RecordConflictError(f"submission {submission} was revealed with other answers")
            connection.execute(
                sa.update(draws)
                .where(draws.c.submission == submission, draws.c.revealed_at.is_(None))
                .values(revealed_at=now_ms(), answers=total, seed=seed)
            )
            if by is not None:
                ranges = msgspec.json.encode(answer_ranges(rows, draw.size, by)).decode()
                connection.execute(sa.update(draws).where(draws.c.submission == submission).values(ranges=ranges))


def draws_of(url: str | None, banks: Collection[str]) -> tuple[int, int]:
    """Count the draws of these digests in the record at this URL, where there is one: those open, those revealed."""
    if url is None:
        return 0, 0
    record = Record(url)
    try:
        opened = sum(count for (_, _, bank), count in record.unrevealed().items() if bank in banks)
        return opened, record.revealed_of(banks)
    finally:
        record.close()


def _insert_unless_there(connection: sa.Connection, row: dict[str, object]) -> None:
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(insert(draws).values(row).on_conflict_do_nothing())


def _locked(connection: sa.Connection, submission: str) -> sa.Row[tuple[object, ...]]:
    """Return the draw's row; until this transaction ends no other one gets past here for the same draw."""
    query = sa.select(draws).where(draws.c.submission == submission).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise RecordConflictError(f"submission {submission} has no sealed draw")
    return row


def _stored(row: sa.Row[tuple[object, ...]]) -> StoredDraw:
    identity = msgspec.json.decode(row.identity, type=DrawIdentity)
    sealed = SealedDraw(submission=row.submission, identity=identity, size=row.size, commitment=row.commitment)
    return StoredDraw(
        sealed=sealed,
        nonce=row.nonce,
        revealed=row.revealed_at is not None,
        closed=row.closed_at is not None,
        secret=row.secret,
        seed=row.seed,
        ranges=None if row.ranges is None else msgspec.json.decode(row.ranges, type=AnswerRanges),
    )


def _draw_row(draw: SealedDraw, nonce: str, secret: str) -> dict[str, object]:
    return {
        "submission": draw.submission,
        "nonce": nonce,
        "identity": msgspec.json.encode(draw.identity).decode(),
        "size": draw.size,
        "commitment": draw.commitment,
        "sealed_at": now_ms(),
        "secret": secret,
    }


def compare(known: Gated | None, answer: SealedAnswer) -> None:
    """Make sure that this is the answer gated on, if one was.

    Raises:
        RecordConflictError: it is another.
    """
    if known is not None and known.digest != answer_digest(answer):
        raise RecordConflictError(f"item {answer.item}, {answer.question}: another answer was gated on before")

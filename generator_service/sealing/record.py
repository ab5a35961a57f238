"""The generator's own write-once record: sealed draws, and the answers it has gated on.

What is written here never changes. A second, different answer to a question is refused, so nobody can probe the
gating with invented answers. Revealing a draw freezes the digest of all its answers.
"""

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import sqlalchemy as sa

from generator_service.sealing.answer_digests import (
    AnswerRanges,
    Row,
    answer_digest,
    answer_ranges,
    answer_rows,
    frozen_digest,
)
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import OpenDraw, SealedDraw
from tetrad.server.clock import now_ms
from tetrad.server.database import (
    CONNECTIONS,
    check_pool,
    insert_into,
    insert_rows,
    make_engine,
    read_transaction,
    write_transaction,
)
from tetrad.server.database_damage import check_database, damage_of
from tetrad.server.garbage_collection import collector_paused
from tetrad.server.migrations import migrate

CLOSING = "remove it when they are finished (tetrad admin secrets closes those that nobody can answer any more)"
"""What to do about open draws that hold on to a bank or corpus: one whose submission was made void stays open."""


VERSIONS = Path(__file__).parent / "migrations" / "versions"
VERSION_TABLE = "record_version"
UPGRADE_LOCK = 0x7265_636F_7264  # "record" in ASCII: an advisory lock is a number
metadata = sa.MetaData()

draws = sa.Table(
    "sealed_draws",
    metadata,
    sa.Column("submission", sa.String(64), primary_key=True),
    sa.Column("nonce", sa.String(128), nullable=False),
    sa.Column("identity", sa.Text, nullable=False),  # DrawIdentity as JSON
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("sealed_at", sa.BigInteger, nullable=False),
    sa.Column("revealed_at", sa.BigInteger),
    sa.Column("answers", sa.String(64)),  # digest of all answers, once revealed
    sa.Column("secret", sa.String(16)),  # id of the secret that the seed is made with
    sa.Column("seed", sa.String(64)),  # once revealed: it is public then, and needs no secret any more
    sa.Column("ranges", sa.Text),  # AnswerRanges as JSON, once revealed by ranges
    sa.Column("closed_at", sa.BigInteger),  # from here on nobody can answer it
    sa.Column("packed", sa.LargeBinary),  # what was extracted from its answers, once revealed and packed
    sa.Column("drawn_for", sa.String(64), index=True),  # the submission whose draw this one shares; none: its own
)

gated = sa.Table(
    "gated_answers",
    metadata,
    sa.Column("submission", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("question", sa.String(64), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("extracted", sa.Text, nullable=False),  # "" if none was
)

IS_OPEN = sa.and_(draws.c.revealed_at.is_(None), draws.c.closed_at.is_(None))

Place: TypeAlias = tuple[int, str]
"""An item's index and a question of it."""
FindSecret: TypeAlias = Callable[[sa.Row[tuple[object, ...]]], tuple[str, str] | None]
"""From a draw's row to the id of the secret that fits its commitment, and its seed."""


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
    drawn_for: str | None = None

    @property
    def root(self) -> str:
        """Return the submission that the draw was made for first; several may share it."""
        return self.drawn_for or self.sealed.submission


class Gated(NamedTuple):
    """An answer that was gated on: the digest of what was sent, and the answer that was extracted from it."""

    digest: str
    extracted: str | None


class Record:
    """The two tables, in SQLite or Postgres.

    SQLite has one writer at a time. On Postgres, a draw's row is locked before its answers are compared and written,
    so concurrent requests for one draw run one after the other.
    """

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url)
        try:
            if self._engine.dialect.name == "sqlite":
                check_database(self._engine)
            check_pool(self._engine, CONNECTIONS, "the pool of a process of the generator")
            with write_transaction(self._engine) as connection:
                migrate(connection, VERSIONS, lock=UPGRADE_LOCK, version_table=VERSION_TABLE)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        self._engine.dispose()

    def is_up(self) -> bool:
        """Return whether the record can be read, and nothing of it is known to be damaged."""
        if damage_of(self._engine) is not None:
            return False
        with read_transaction(self._engine) as connection:
            return connection.execute(sa.select(sa.literal(1))).scalar() == 1

    def find(self, submission: str) -> StoredDraw | None:
        with read_transaction(self._engine) as connection:
            row = connection.execute(sa.select(draws).where(draws.c.submission == submission)).one_or_none()
        return None if row is None else _stored_draw(row)

    def count_unrevealed(self) -> dict[tuple[str, int, str], int]:
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

    def open_draws(self, after: str, limit: int) -> list[OpenDraw]:
        """Return the first `limit` draws that are neither revealed nor closed, by submission id, above `after`."""
        query = sa.select(draws).where(IS_OPEN, draws.c.submission > after).order_by(draws.c.submission).limit(limit)
        with read_transaction(self._engine) as connection:
            return [
                OpenDraw(submission=row.submission, secret=row.secret or "", sealed_at=row.sealed_at)
                for row in connection.execute(query)
            ]

    def open_secrets(self) -> dict[str, int]:
        """Count the open draws by the id of their secret."""
        query = sa.select(draws.c.secret, sa.func.count().label("number")).where(IS_OPEN).group_by(draws.c.secret)
        with read_transaction(self._engine) as connection:
            return {row.secret or "": row.number for row in connection.execute(query)}

    def close_draws(self, submissions: Sequence[str]) -> int:
        """Close these draws and forget their nonces; return how many were open. Revealed ones only lose the nonce."""
        these = draws.c.submission.in_(submissions)
        with write_transaction(self._engine) as connection:
            closed = sa.update(draws).where(these, IS_OPEN).values(closed_at=now_ms(), nonce="")
            number = connection.execute(closed).rowcount
            connection.execute(sa.update(draws).where(these, draws.c.seed.is_not(None)).values(nonce=""))
        return number

    def close_of_secrets(self, lost: Collection[str]) -> int:
        """Close every open draw whose secret is lost; return how many."""
        with write_transaction(self._engine) as connection:
            closed = sa.update(draws).where(IS_OPEN, draws.c.secret.in_(lost)).values(closed_at=now_ms(), nonce="")
            return connection.execute(closed).rowcount

    def adopt(self, find: FindSecret) -> None:
        """Give draws from before secrets had ids the id of their secret, and revealed ones their seed, too."""
        old = sa.select(draws).where(draws.c.secret.is_(None), draws.c.closed_at.is_(None))
        with read_transaction(self._engine) as connection:
            rows = connection.execute(old).all()
        found = [(row, find(row)) for row in rows]
        if not rows:
            return
        with write_transaction(self._engine) as connection:
            for row, fitting in found:
                if fitting is not None:
                    seed = None if row.revealed_at is None else fitting[1]
                    this = sa.update(draws).where(draws.c.submission == row.submission)
                    connection.execute(this.values(secret=fitting[0], seed=seed))

    def seal(
        self, draw: SealedDraw, nonce: str, secret: str, *, drawn_for: str | None = None, seed: str | None = None
    ) -> SealedDraw:
        """Write a draw once, with the id of its secret, and return it. Writing the same draw again changes nothing.

        `drawn_for` is the submission whose draw it shares, `seed` that draw's seed if it is public already.

        Raises:
            RecordConflictError: the submission has another draw already, or the shared one was revealed meanwhile.
        """
        with write_transaction(self._engine) as connection:
            if drawn_for is not None and seed is None and _is_revealed(_lock_draw(connection, drawn_for), connection):
                raise RecordConflictError(f"the draw of submission {drawn_for} was revealed at this moment; ask again")
            _insert_unless_there(connection, {**_draw_row(draw, nonce, secret), "drawn_for": drawn_for, "seed": seed})
            row = connection.execute(sa.select(draws).where(draws.c.submission == draw.submission)).one()
        stored = _stored_draw(row)
        if (stored.sealed, stored.nonce) != (draw, nonce):
            raise RecordConflictError(f"submission {draw.submission} is sealed with another draw already")
        return stored.sealed

    def is_answerable(self, stored: StoredDraw) -> bool:
        """Tell whether a draw can be answered: it is open, and none that it shared a sealed seed with is revealed."""
        if stored.revealed or stored.closed:
            return False
        if stored.seed is not None:
            return True
        with read_transaction(self._engine) as connection:
            return connection.execute(_revealed_among(stored.root)).first() is None

    def gated_answers(self, submission: str, items: Collection[int]) -> dict[Place, Gated]:
        """Return the answers to these items that were gated on."""
        with read_transaction(self._engine) as connection:
            return _gated_of(connection, submission, items)

    def extracted_answers(self, submission: str, items: range) -> dict[int, dict[str, str | None]]:
        """Return the extracted answers that were gated on, by item and question."""
        with read_transaction(self._engine) as connection:
            packed = connection.execute(sa.select(draws.c.packed).where(draws.c.submission == submission)).scalar()
            if packed is None:
                return _extracted_of(connection, submission, items)
        return {item: found for item, found in _unpack(packed).items() if item in items}

    def pack(self, submission: str) -> bool:
        """Move the extracted answers of a revealed draw into its row and delete their own rows.

        Return whether the draw needed it. Its row also keeps the frozen digest of all answers, so the digest of each
        answer is no longer needed.
        """
        with write_transaction(self._engine) as connection:
            draw = connection.execute(
                sa.select(draws).where(draws.c.submission == submission).with_for_update()
            ).one_or_none()
            if draw is None or draw.revealed_at is None or draw.answers is None or draw.packed is not None:
                return False
            packed = zlib.compress(msgspec.msgpack.encode(_extracted_of(connection, submission, range(draw.size))))
            connection.execute(sa.update(draws).where(draws.c.submission == submission).values(packed=packed))
            connection.execute(sa.delete(gated).where(gated.c.submission == submission))
        return True

    def gate(self, submission: str, answers: Mapping[SealedAnswer, str | None]) -> None:
        """Write each answer once, with the answer extracted from it. All or nothing.

        Raises:
            RecordConflictError: there is no such draw, it is revealed or closed, or an answer differs from the one
                gated on before.
        """
        with write_transaction(self._engine) as connection:
            row = _lock_draw(connection, submission)
            if row.closed_at is not None or _is_revealed(row, connection):
                raise RecordConflictError(f"submission {submission} is revealed; its draw is closed")
            known = _gated_of(connection, submission, {answer.item for answer in answers})
            fresh = []
            for answer, extracted in answers.items():
                there = known.get((answer.item, answer.question))
                compare(there, answer)
                if there is None:
                    fresh.append(_gated_row(submission, answer, extracted))
            insert_rows(connection, gated, fresh)

    @collector_paused()
    def reveal(self, submission: str, answers: Sequence[SealedAnswer], seed: str, by: int | None = None) -> None:
        """Close the draw, freeze its answers and keep its seed, which is public from now on. A repeat changes nothing.

        With `by`, the answers to each range of so many items are frozen, too.

        Raises:
            RecordConflictError: there is no such draw, an answer that was gated on is missing or differs, or the
                draw was revealed with other answers.
        """
        rows = answer_rows(answers)
        total = frozen_digest(rows)
        with write_transaction(self._engine) as connection:
            draw = _lock_draw(connection, submission)
            if changed := _digest_rows(connection, submission).difference(rows):
                item, question, _ = min(changed)
                raise RecordConflictError(f"item {item}, {question}: another answer has opened questions before")
            if draw.answers not in {None, total}:
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
    """Return how many draws with these digests are open, and how many revealed, in the record at this URL, if any."""
    if url is None:
        return 0, 0
    record = Record(url)
    try:
        opened = sum(count for (_, _, bank), count in record.count_unrevealed().items() if bank in banks)
        return opened, record.revealed_of(banks)
    finally:
        record.close()


def _insert_unless_there(connection: sa.Connection, row: dict[str, object]) -> None:
    connection.execute(insert_into(connection, draws).values(row).on_conflict_do_nothing())


def _lock_draw(connection: sa.Connection, submission: str) -> sa.Row[tuple[object, ...]]:
    """Lock the draw's row until this transaction ends, and return it. Other transactions of the same draw wait."""
    query = sa.select(draws).where(draws.c.submission == submission).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise RecordConflictError(f"submission {submission} has no sealed draw")
    return row


def _revealed_among(root: str) -> sa.Select[tuple[str]]:
    """Return the query for the revealed draws among those that share the one of this submission."""
    shares = sa.or_(draws.c.submission == root, draws.c.drawn_for == root)
    return sa.select(draws.c.submission).where(shares, draws.c.revealed_at.is_not(None)).limit(1)


def _is_revealed(row: sa.Row[tuple[object, ...]], connection: sa.Connection) -> bool:
    """Tell whether this draw is revealed, or one that it shared a sealed seed with."""
    if row.revealed_at is not None or row.seed is not None:
        return row.revealed_at is not None
    return connection.execute(_revealed_among(row.drawn_for or row.submission)).first() is not None


def _stored_draw(row: sa.Row[tuple[object, ...]]) -> StoredDraw:
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
        drawn_for=row.drawn_for,
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
    """Check that this answer equals the one that was gated on, if there was one.

    Raises:
        RecordConflictError: it differs.
    """
    if known is not None and known.digest != answer_digest(answer):
        raise RecordConflictError(f"item {answer.item}, {answer.question}: another answer has opened questions before")


def _gated_of(connection: sa.Connection, submission: str, items: Collection[int]) -> dict[Place, Gated]:
    """Return the answers to these items."""
    query = sa.select(gated.c.item, gated.c.question, gated.c.digest, gated.c.extracted)
    return {
        (item, question): Gated(digest, extracted or None)
        for item, question, digest, extracted in connection.execute(_of_items(query, submission, items)).all()
    }


def _digest_rows(connection: sa.Connection, submission: str) -> set[Row]:
    """Return the digest of every answer with its place."""
    query = sa.select(gated.c.item, gated.c.question, gated.c.digest).where(gated.c.submission == submission)
    return {(item, question, digest) for item, question, digest in connection.execute(query).all()}


def _gated_row(submission: str, answer: SealedAnswer, extracted: str | None) -> dict[str, object]:
    """Return the row of an answer and of what is extracted from it."""
    return {
        "submission": submission,
        "item": answer.item,
        "question": answer.question,
        "digest": answer_digest(answer),
        "extracted": extracted or "",
    }


def _extracted_of(connection: sa.Connection, submission: str, items: range) -> dict[int, dict[str, str | None]]:
    query = sa.select(gated.c.item, gated.c.question, gated.c.extracted)
    found: dict[int, dict[str, str | None]] = {}
    for item, question, extracted in connection.execute(_of_items(query, submission, items)).all():
        found.setdefault(item, {})[question] = extracted or None
    return found


def _unpack(packed: bytes) -> dict[int, dict[str, str | None]]:
    return msgspec.msgpack.decode(zlib.decompress(packed), type=dict[int, dict[str, str | None]])


def _of_items(query: sa.Select[Any], submission: str, items: Collection[int]) -> sa.Select[Any]:
    query = query.where(gated.c.submission == submission)
    if isinstance(items, range):
        return query.where(gated.c.item >= items.start, gated.c.item < items.stop)
    return query.where(gated.c.item.in_(items))

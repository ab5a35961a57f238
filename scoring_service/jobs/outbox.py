"""The outbox: rows with `state`, `attempt` and `lease_until` say what is to be done and who does it.

A row is due while it is queued and nobody's lease on it lives. Claiming it is one compare-and-set that counts the
attempt; from then on every write of the holder asks that the attempt is still its own, so that of two workers that
both believe they hold a row only the later one can finish it. Numbers handed back by `postpone` are only ever
handed back by their holder, so no two live holders share one; and a row that is queued again goes on with numbers
that it never had (tetrad/internal/jobs.py).
"""

import msgspec
import sqlalchemy as sa

from tetrad.internal.jobs import ATTEMPTS_A_QUEUEING, attempts_of
from tetrad.server.database import read_transaction, write_transaction

QUEUED = "queued"
GIVEN_UP = "scoring was tried {attempts} times and did not end; an operator can queue it again"


class Claim(msgspec.Struct, frozen=True):
    """One worker's hold on one row of one table."""

    table: sa.Table
    id: str
    attempt: int

    @property
    def tries(self) -> int:
        """How often the row was tried since it was last queued, this time included."""
        return attempts_of(self.attempt)


class Due(msgspec.Struct, frozen=True):
    """A row that waits for a worker, with the last attempt at it."""

    id: str
    attempt: int

    @property
    def tries(self) -> int:
        """How often the row was tried since it was last queued."""
        return attempts_of(self.attempt)


class ClaimLostError(Exception):
    """The row has gone on without this holder: nothing of its work may be written."""


def due(engine: sa.Engine, table: sa.Table, now: int, limit: int = 1000) -> list[Due]:
    """Return the rows that wait for a worker at `now` (ms), oldest id first."""
    query = sa.select(table.c.id, table.c.attempt).where(_is_free(table, now)).order_by(table.c.id).limit(limit)
    with read_transaction(engine) as connection:
        return [Due(row.id, row.attempt) for row in connection.execute(query)]


def claim(engine: sa.Engine, table: sa.Table, row_id: str, now: int, lease_ms: int) -> Claim | None:
    """Take the row for `lease_ms` milliseconds, or return None where it is not due."""
    taken = (
        sa.update(table)
        .where(table.c.id == row_id, _is_free(table, now))
        .values(attempt=table.c.attempt + 1, lease_until=now + lease_ms)
        .returning(table.c.attempt)
    )
    with write_transaction(engine) as connection:
        attempt = connection.execute(taken).scalar_one_or_none()
    return None if attempt is None else Claim(table, row_id, attempt)


def renew(engine: sa.Engine, held: Claim, until: int) -> bool:
    """Lengthen the lease to `until` (ms); False when the claim is lost."""
    return _write(engine, held, lease_until=until)


def postpone(engine: sa.Engine, held: Claim, until: int) -> bool:
    """Give the row back untried until `until` (ms): what failed was not of its making."""
    return _write(engine, held, lease_until=until, attempt=held.attempt - 1)


def retry_later(engine: sa.Engine, held: Claim, until: int, failure: str) -> bool:
    """Give the row back until `until` (ms), its attempt spent."""
    return _write(engine, held, lease_until=until, failure=failure)


def write_as_holder(connection: sa.Connection, held: Claim, **values: object) -> None:
    """Write to the row inside the holder's own transaction.

    Raises:
        ClaimLostError: another attempt has begun, or the row is no longer queued.
    """
    if connection.execute(_as_holder(held).values(**values)).rowcount != 1:
        raise ClaimLostError(f"attempt {held.attempt} of {held.id} is no longer current")


def exhausted(engine: sa.Engine, table: sa.Table, now: int, most_attempts: int) -> list[Claim]:
    """Return the queued rows whose last allowed attempt died with its worker, as their last holders held them."""
    tries = table.c.attempt % ATTEMPTS_A_QUEUEING
    query = sa.select(table.c.id, table.c.attempt).where(_is_free(table, now), tries >= most_attempts)
    with read_transaction(engine) as connection:
        return [Claim(table, row.id, row.attempt) for row in connection.execute(query)]


def _is_free(table: sa.Table, now: int) -> sa.ColumnElement[bool]:
    lease = table.c.lease_until
    return sa.and_(table.c.state == QUEUED, sa.or_(lease.is_(None), lease < now))


def _as_holder(held: Claim) -> sa.Update:
    table = held.table
    return sa.update(table).where(table.c.id == held.id, table.c.state == QUEUED, table.c.attempt == held.attempt)


def _write(engine: sa.Engine, held: Claim, **values: object) -> bool:
    with write_transaction(engine) as connection:
        return connection.execute(_as_holder(held).values(**values)).rowcount == 1

"""The outbox: rows with `state`, `attempt` and `lease_until` say what is to be done and who does it.

A row is due while it is queued and no lease on it lives. Taking a lease is one compare-and-set that counts the attempt.
From then on every write of the holder requires that the attempt is still its own: of two workers that both believe they
hold a row, only the later one can finish it. Only the holder gives an attempt's number back (`postpone`), so no two
live leases share one. A row that is queued again continues with new numbers (tetrad/internal/jobs.py).

Submissions whose answers are to one draw (`draw_id`) are due together: none while another of them is open, because the
first reveal makes the answer keys public.
"""

import contextvars
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import sqlalchemy as sa

from tetrad.internal.jobs import ATTEMPTS_A_QUEUEING, attempts_of
from tetrad.server.clock import now_ms
from tetrad.server.database import is_state, read_rows, read_transaction, write_transaction

QUEUED = "queued"
FARTHEST_MS = 15 * 60_000  # no lease and no delay is as long
ABOUT = ("team_id", "evaluation_id", "request_id", "traceparent")
LONGEST_BACK_OFF_SECONDS = 60
RENEWALS_PER_LEASE = 4  # three renewals may be late before another worker takes the row

log = logging.getLogger(__name__)


class Lease(msgspec.Struct, frozen=True):
    """One worker's hold on one row of one table, for one attempt.

    `about` holds the columns of the row that its lines of the log tell: whose it is, and which request made it due.
    """

    table: sa.Table
    id: str
    attempt: int
    about: Mapping[str, str | None] = {}

    @property
    def fields(self) -> dict[str, str]:
        """Return what a line of the log tells of the row: its id, its team, its evaluation."""
        told = {"row": self.id, "team": self.about.get("team_id"), "evaluation": self.about.get("evaluation_id")}
        return {name: value for name, value in told.items() if value is not None}

    @property
    def tries(self) -> int:
        """Return how often the row was tried since it was last queued, this time included."""
        return attempts_of(self.attempt)


class LeaseLostError(Exception):
    """Another attempt has taken the row: nothing of this holder's work may be written."""


def lease_next(
    engine: sa.Engine,
    table: sa.Table,
    now: int,
    lease_ms: int,
    most_attempts: int,
    *,
    order: Sequence[sa.ColumnElement[object]] = (),
) -> Lease | None:
    """Take the first due row for `lease_ms` milliseconds, or return None where none is due at `now` (ms).

    A row whose attempts are spent is not due: the sweeper fails it (`find_exhausted`). Without an `order`, ids go up.
    """
    due = due_rows(table, now, most_attempts).order_by(*(order or (table.c.id,))).limit(1)
    if not read_rows(engine, due):  # an idle worker writes nothing, so that it waits for no writer
        return None
    taken = (
        sa.update(table)
        # Postgres: workers that come together take different rows. SQLite has one writer at a time.
        .where(table.c.id == due.with_for_update(skip_locked=True, of=table).scalar_subquery(), _is_free(table, now))
        .values(attempt=table.c.attempt + 1, lease_until=now + lease_ms)
        .returning(*_lease_columns(table))
    )
    with write_transaction(engine) as connection:
        row = connection.execute(taken).one_or_none()
    return None if row is None else _lease_of(table, row)


def lease_row(engine: sa.Engine, table: sa.Table, row_id: str, *, now: int, lease_ms: int, most: int) -> Lease | None:
    """Take this row for `lease_ms` milliseconds; None where it is not due at `now` (ms), or was tried `most` times."""
    taken = (
        sa.update(table)
        .where(table.c.id == row_id, _is_free(table, now), _tries(table) < most)
        .values(attempt=table.c.attempt + 1, lease_until=now + lease_ms)
        .returning(*_lease_columns(table))
    )
    with write_transaction(engine) as connection:
        row = connection.execute(taken).one_or_none()
    return None if row is None else _lease_of(table, row)


def due_rows(table: sa.Table, now: int, most_attempts: int) -> sa.Select[tuple[str]]:
    """Return a query of the ids of rows that are due at `now` (ms): queued, leased to nobody, with attempts left."""
    return sa.select(table.c.id).where(_is_free(table, now), _tries(table) < most_attempts)


def renew(engine: sa.Engine, lease: Lease, until: int) -> bool:
    """Lengthen the lease to `until` (ms); False when it is lost."""
    return _write(engine, lease, lease_until=until)


@contextmanager
def kept_alive(engine: sa.Engine, lease: Lease, lease_ms: int) -> Iterator[None]:
    """Renew the lease in the background until the block ends. A lost lease is noticed at the commit."""
    with meanwhile(lambda done: _renew_until(done, engine, lease, lease_ms)):
        yield


@contextmanager
def meanwhile(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Let `work` run in a thread during the block. It is given the event that tells it to end."""
    done = threading.Event()
    here = contextvars.copy_context()  # the log's fields
    thread = threading.Thread(target=here.run, args=(work, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def postpone(engine: sa.Engine, lease: Lease, until: int) -> bool:
    """Give the row back until `until` (ms) without counting the attempt: it failed for a reason outside the row."""
    return _write(engine, lease, lease_until=until, attempt=lease.attempt - 1)


def retry_later(engine: sa.Engine, lease: Lease, until: int, failure: str) -> bool:
    """Give the row back until `until` (ms), and count the attempt."""
    return _write(engine, lease, lease_until=until, failure=failure)


def retry_with_back_off(engine: sa.Engine, lease: Lease, most_attempts: int, failure: str) -> bool:
    """Give the row back, each time for twice as long; False where its attempts are spent, and it is to be failed."""
    if lease.tries >= most_attempts:
        return False
    seconds = min(2**lease.tries, LONGEST_BACK_OFF_SECONDS)
    retry_later(engine, lease, now_ms() + seconds * 1000, failure)
    return True


@contextmanager
def unless_overtaken(lease: Lease) -> Iterator[None]:
    """Note in the log, and raise no more, that another attempt has taken the row."""
    try:
        yield
    except LeaseLostError:
        log.warning("overtaken by another attempt", extra={"row": lease.id, "attempt": lease.attempt})


def write_as_holder(connection: sa.Connection, lease: Lease, **values: object) -> None:
    """Write to the row inside the holder's own transaction.

    Raises:
        LeaseLostError: another attempt has begun, or the row is no longer queued.
    """
    if connection.execute(_as_holder(lease).values(**values)).rowcount != 1:
        raise LeaseLostError(f"attempt {lease.attempt} of {lease.id} is no longer current")


def find_exhausted(engine: sa.Engine, table: sa.Table, now: int, most_attempts: int) -> list[Lease]:
    """Return the queued rows whose last allowed attempt died with its worker, each with that worker's lease."""
    spent = _is_free(table, now), ~_is_too_far(table, now), _tries(table) >= most_attempts
    query = sa.select(*_lease_columns(table)).where(*spent)
    with read_transaction(engine) as connection:
        return [_lease_of(table, row) for row in connection.execute(query)]


def _renew_until(done: threading.Event, engine: sa.Engine, lease: Lease, lease_ms: int) -> None:
    while not done.wait(lease_ms / 1000 / RENEWALS_PER_LEASE):
        try:
            if not renew(engine, lease, now_ms() + lease_ms):
                log.warning("lease lost", extra={"row": lease.id, "attempt": lease.attempt})
                return
        except sa.exc.SQLAlchemyError as error:
            log.warning("lease not renewed", extra={"row": lease.id, "error": type(error).__name__})


def _lease_columns(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    return [table.c.id, table.c.attempt, *(table.c[name] for name in ABOUT if name in table.c)]


def _lease_of(table: sa.Table, row: sa.Row[Any]) -> Lease:
    return Lease(table, row.id, row.attempt, {name: getattr(row, name) for name in ABOUT if name in table.c})


def _is_free(table: sa.Table, now: int) -> sa.ColumnElement[bool]:
    lease = table.c.lease_until
    is_free = sa.and_(is_state(table.c.state, QUEUED), sa.or_(lease.is_(None), lease < now, _is_too_far(table, now)))
    if "draw_id" not in table.c:
        return is_free
    other = table.alias()
    is_open = sa.exists().where(other.c.draw_id == table.c.draw_id, is_state(other.c.state, "open"))
    return sa.and_(is_free, ~is_open)


def _is_too_far(table: sa.Table, now: int) -> sa.ColumnElement[bool]:
    """Return whether a lease ends so late that it was written before the clock was set back."""
    return sa.func.coalesce(table.c.lease_until, 0) > now + FARTHEST_MS


def _tries(table: sa.Table) -> sa.ColumnElement[int]:
    return table.c.attempt % ATTEMPTS_A_QUEUEING


def _as_holder(lease: Lease) -> sa.Update:
    table = lease.table
    return sa.update(table).where(table.c.id == lease.id, table.c.state == QUEUED, table.c.attempt == lease.attempt)


def _write(engine: sa.Engine, lease: Lease, **values: object) -> bool:
    with write_transaction(engine) as connection:
        return connection.execute(_as_holder(lease).values(**values)).rowcount == 1

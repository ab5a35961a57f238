"""The public log of commitments: hash-chained, written in the transaction that makes the submission."""

import sqlalchemy as sa

from api.database.schema import commitments
from api.paging import cursor_at
from tetrad.commitments import GENESIS, entry_of, first_broken
from tetrad.contracts.log import LogEntry, LogPage
from tetrad.server.damage import raise_alarm
from tetrad.server.database import read_rows, read_transaction

LOG_LOCK = 0x7465_7472_6C6F  # "tetrlo": Postgres serialises writers of the log by this number


def append(connection: sa.Connection, submission: str, commitment: str, at: str) -> LogEntry:
    """Write the next entry. SQLite's write transaction keeps other writers out; on Postgres the lock does."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOG_LOCK)))
    last = connection.execute(sa.select(commitments).order_by(commitments.c.number.desc()).limit(1)).one_or_none()
    number, previous = (1, GENESIS) if last is None else (last.number + 1, last.entry)
    entry = entry_of(number, submission, commitment, at, previous)
    connection.execute(
        sa.insert(commitments).values(
            number=entry.number,
            submission_id=submission,
            commitment=commitment,
            at=at,
            previous=previous,
            entry=entry.entry,
        )
    )
    return entry


def log_page(engine: sa.Engine, after: int, limit: int) -> LogPage:
    """Return the entries numbered above `after`, and the head of the whole log: the newest entry's hash.

    Raises:
        DamageError: an entry does not follow from the one before it.
    """
    newest = sa.select(commitments.c.number, commitments.c.entry).order_by(commitments.c.number.desc()).limit(1)
    query = sa.select(commitments).where(commitments.c.number >= after).order_by(commitments.c.number).limit(limit + 1)
    with read_transaction(engine) as connection:
        found = [_entry(row) for row in connection.execute(query)]
        head = connection.execute(newest).one_or_none()
    known, entries = (found[0], found[1:]) if found and found[0].number == after else (None, found[:limit])
    if (broken := first_broken(entries, known)) is not None:
        problem = "it does not follow from the entry before it"
        raise raise_alarm(engine, f"entry {broken.number} of the log of commitments", problem)
    more = head is not None and bool(entries) and entries[-1].number < head.number
    return LogPage(
        entries=entries,
        head=GENESIS if head is None else head.entry,
        next=cursor_at("commitments", entries[-1].number) if more else None,
    )


def newest_number(engine: sa.Engine) -> int:
    """Return the number of the newest entry, 0 where there is none."""
    return int(read_rows(engine, sa.select(sa.func.max(commitments.c.number)))[0][0] or 0)


def number_of(engine: sa.Engine, submission: str) -> int | None:
    """Return the number of a submission's entry; None where it has none."""
    query = sa.select(commitments.c.number).where(commitments.c.submission_id == submission)
    return next((int(row.number) for row in read_rows(engine, query)), None)


def _entry(row: sa.Row[tuple[object, ...]]) -> LogEntry:
    return LogEntry(
        number=row.number,
        submission=row.submission_id,
        commitment=row.commitment,
        at=row.at,
        previous=row.previous,
        entry=row.entry,
    )

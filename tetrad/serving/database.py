"""Engines: SQLite for one host, Postgres for more. One rule for both: no HTTP call inside a transaction.

SQLite opens a deferred transaction by default and then fails at once when a read turns into a write while
another writes. Here every write transaction begins with BEGIN IMMEDIATE. Its own way of waiting is to ask again after
pauses of up to 100 ms: beside one who writes without a pause, the others wait until that one is done, or fail when
BUSY_TIMEOUT_MS have passed. So writers queue before they ask, at locks on two files beside the database.
"""

import fcntl
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import sqlalchemy as sa

BUSY_TIMEOUT_MS = 20_000  # beside a writer that does not queue: a backup, somebody's sqlite3
TURN, NEXT = "-turn", "-next"  # ends of the names of the files whose locks are the queue, as SQLite's own -wal


def make_engine(url: str) -> sa.Engine:
    """Return an engine for sqlite:///PATH or postgresql+psycopg://...; connections are pooled per process."""
    if not url.startswith("sqlite"):
        return sa.create_engine(url, pool_pre_ping=True)
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False})
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: SqliteConnection, _: Any) -> None:
    connection.isolation_level = None  # the driver must not begin transactions of its own
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}"):
        connection.execute(f"PRAGMA {pragma}")


@contextmanager
def reading(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a connection for a consistent read: all its queries see the same moment."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a write transaction; it commits when the block ends well and is undone otherwise.

    Raises:
        RuntimeError: this thread is inside another one on the same file, for which it would wait forever.
    """
    with _turn(engine), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.begin()
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


@contextmanager
def _turn(engine: sa.Engine) -> Iterator[None]:
    """Wait for the turn to write to a SQLite file, among the threads of all processes on it.

    The kernel wakes whoever waits when a lock is free, also when its holder was killed. It doesn't hand the lock over,
    so one who comes back at once would have it again before the others are awake. Hence two: only who is next waits
    for the turn, and who comes back waits to be next. No connection is held meanwhile, so that those who read have
    them. Postgres lets writers of different rows write at once.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    path = str(engine.url.database)
    if path in _held.paths:
        raise RuntimeError(f"a write transaction inside another one on {path}")
    with ExitStack() as waiting:
        waiting.enter_context(_locked(path + NEXT))
        with _locked(path + TURN):
            waiting.close()
            _held.paths.add(path)
            try:
                yield
            finally:
                _held.paths.remove(path)


class _Held(threading.local):
    """The files that this thread writes to now."""

    def __init__(self) -> None:
        self.paths: set[str] = set()


_held = _Held()


@contextmanager
def _locked(path: str) -> Iterator[None]:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)  # frees the lock


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows of plain text, numbers and truth values, each with the same columns, inside `writing`.

    Postgres gets them by COPY, which takes a fifteenth of the time of a statement for each; an error there is
    psycopg's own, not SQLAlchemy's.
    """
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        connection.execute(sa.insert(table), rows)
        return
    columns, preparer = list(rows[0]), connection.dialect.identifier_preparer
    statement = f"COPY {preparer.format_table(table)} ({', '.join(map(preparer.quote, columns))}) FROM STDIN"
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([row[name] for name in columns])

"""Engines: SQLite for one host, Postgres for more. One rule for both: no HTTP call inside a transaction.

SQLite opens a deferred transaction by default and then fails at once when a read turns into a write while
another writes. Here every write transaction begins with BEGIN IMMEDIATE. Its own way of waiting is to ask again after
pauses of up to 100 ms: beside one who writes without a pause, the others wait until that one is done, or fail when
BUSY_TIMEOUT_MS have passed. So writers queue before they ask, at a lock on a file beside the database.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import sqlalchemy as sa

BUSY_TIMEOUT_MS = 20_000  # beside a writer that does not queue: a backup, somebody's sqlite3
TURN_SUFFIX = "-turn"  # of the file with the queue's lock, as SQLite's own -wal and -shm


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
    """Open a write transaction; it commits when the block ends well and is undone otherwise."""
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

    The kernel wakes whoever waits when the turn is free, also when its holder was killed. No connection is held
    meanwhile, so that those who read have them. Postgres lets writers of different rows write at once.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    turn = os.open(f"{engine.url.database}{TURN_SUFFIX}", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield
    finally:
        os.close(turn)  # frees the lock


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

"""Engines: SQLite for one host, Postgres for more. One rule for both: no HTTP call inside a transaction.

SQLite opens a deferred transaction by default and then fails at once when a read turns into a write while
another writes. Here every write transaction waits for the write lock and begins with BEGIN IMMEDIATE.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import sqlalchemy as sa

from tetrad.server.locks import write_lock

BUSY_TIMEOUT_MS = 20_000  # for a writer that does not take the write lock: somebody's sqlite3


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
def read_transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a connection for a consistent read: all its queries see the same moment."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection


@contextmanager
def write_transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a write transaction; it commits when the block ends well and is undone otherwise.

    Raises:
        OperationalError: the database is away, or somebody has kept it from being written to for BUSY_TIMEOUT_MS.
        RuntimeError: this thread is inside another one on the same file, for which it would wait forever.
    """
    with _write_lock(engine) as patience_ms, engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            _begin_sqlite(connection, patience_ms)
        else:
            connection.begin()
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


@contextmanager
def _write_lock(engine: sa.Engine) -> Iterator[int]:
    """Wait for the write lock of a SQLite file, and give the milliseconds of patience that are left then.

    No connection is held meanwhile, so that readers have them. Postgres lets writers of different rows write at once.

    Raises:
        OperationalError: the lock's files can't be opened.
    """
    path = engine.url.database or ":memory:"
    if engine.dialect.name != "sqlite" or path == ":memory:" or path.startswith("file:"):
        yield BUSY_TIMEOUT_MS
        return
    begun = time.monotonic()
    with ExitStack() as lock:
        try:
            lock.enter_context(write_lock(path))
        except OSError as error:
            raise sa.exc.OperationalError("the write lock", None, error) from error
        yield max(0, BUSY_TIMEOUT_MS - round((time.monotonic() - begun) * 1000))


def _begin_sqlite(connection: sa.Connection, patience_ms: int) -> None:
    """Begin to write. A writer without the write lock is waited for once by all who wait for it, not once by each."""
    connection.exec_driver_sql(f"PRAGMA busy_timeout={patience_ms}")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows of plain text, numbers and truth values, each with the same columns, inside `write_transaction`.

    Postgres gets them by COPY, which takes a fifteenth of the time of a statement for each; an error there is
    psycopg's own, not SQLAlchemy's.
    """
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        connection.execute(sa.insert(table), rows)
        return
    columns, preparer = list(rows[0]), connection.dialect.identifier_preparer
    names = ", ".join(preparer.quote(table.c[column].name) for column in columns)
    statement = f"COPY {preparer.format_table(table)} ({names}) FROM STDIN"
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([row[column] for column in columns])

"""Engines: SQLite for one host, Postgres for more. One rule for both: no HTTP call inside a transaction.

SQLite opens a deferred transaction by default and then fails at once when a read turns into a write while
another writes. Here every write transaction waits for the write lock and begins with BEGIN IMMEDIATE.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from sqlite3 import Connection as SqliteConnection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import ConnectionPoolEntry

from tetrad.server.database_damage import watch_engine
from tetrad.server.locks import write_lock
from tetrad.server.request_ids import waiting_for

BUSY_TIMEOUT_MS = 20_000  # for a writer that does not take the write lock, for example the sqlite3 program
LOCK_TIMEOUT_MS = 20_000  # on Postgres, for any lock
IDLE_TIMEOUT_MS = 120_000  # on Postgres, between two statements of a transaction; no HTTP call is inside one
CONNECTIONS = 5
POOL_SECONDS = 10.0  # the longest that a request waits for a connection
PING_AFTER_SECONDS = 1.0  # a connection that was used a moment ago is not pinged
KEPT_FREE = 10  # connections of a Postgres outside all pools: for an operator, a backup, a migration

log = logging.getLogger(__name__)

_WRITE_TO_DISK = sa.text("SELECT pg_logical_emit_message(true, 'tetrad', '')")
"""A transaction of its own, which waits until its record and all before it are on the disk."""

_ROOM = sa.text(
    "SELECT current_setting('max_connections')::int AS most, "
    "current_setting('superuser_reserved_connections')::int AS own, "
    "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS used"
)


class TooManyConnectionsError(Exception):
    """A pool is larger than the database allows."""


def make_engine(url: str, connections: int = CONNECTIONS) -> sa.Engine:
    """Return an engine for sqlite:///PATH or postgresql+psycopg://...; connections are pooled per process.

    `connections` is the most that this process opens to a Postgres and keeps open, because opening one takes longer
    than most queries. If all of them are in use, a request waits. Errors name no
    values of a statement: these may be replies.
    """
    if not url.startswith("sqlite"):
        engine = sa.create_engine(
            url, pool_size=connections, max_overflow=0, pool_timeout=POOL_SECONDS, hide_parameters=True
        )
        sa.event.listen(engine, "connect", _bound_waits)
        sa.event.listen(engine, "checkin", _note_use)
        sa.event.listen(engine, "checkout", _Ping(engine.dialect))
        watch_engine(engine)
        return engine
    engine = sa.create_engine(
        url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False}, hide_parameters=True
    )
    watch_engine(engine)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def check_connections(engine: sa.Engine, connections: int, whose: str, remedy: str = "") -> None:
    """Compare the pool of this process with what a Postgres allows, and with what others leave of that.

    A pool that does not fit beside what is in use is told of in the log: the process works while the others use fewer.

    Raises:
        TooManyConnectionsError: it would not fit if nobody else were there.
    """
    if engine.dialect.name == "sqlite":
        return
    row = read_rows(engine, _ROOM)[0]
    remedy = f"{remedy}so that the pools of all processes fit together, or raise max_connections"
    if connections > (room := row.most - row.own - KEPT_FREE):
        raise TooManyConnectionsError(
            f"{whose} is {connections}, but the database has room for {room}: max_connections is {row.most}, "
            f"of which {row.own} are for superusers and {KEPT_FREE} are kept free; {remedy}"
        )
    if connections > (left := max(0, room - row.used)):
        log.warning(
            "%s is %d, but the database has %d connections left: max_connections is %d, of which %d are in use, %d are "
            "for superusers and %d are kept free; %s",
            *(whose, connections, left, row.most, row.used, row.own, KEPT_FREE, remedy),
        )


def check_pool(engine: sa.Engine, connections: int, whose: str) -> None:
    """Do so for a worker, which goes on whatever is found, and also while the database is away."""
    try:
        check_connections(engine, connections, whose)
    except TooManyConnectionsError as error:
        log.error("%s", error)  # noqa: TRY400 - the text says it all
    except sa.exc.SQLAlchemyError as error:
        log.warning("the connections of the database are not known", extra={"error": type(error).__name__})


def _bound_waits(connection: Any, _: object) -> None:
    """Bound the time that this connection waits for a lock, and the time that it holds locks without a statement.

    A longer wait raises OperationalError. If a process is stopped inside a transaction, Postgres ends the transaction,
    and others go on.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")
        cursor.execute(f"SET idle_in_transaction_session_timeout = {IDLE_TIMEOUT_MS}")
    connection.commit()


def _note_use(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info["used"] = time.monotonic()


class _Ping:
    """Pings a connection that has been idle before it is used.

    If it was cut, it is replaced, and so are all of its age. The ping is a round trip, which costs as much as a small
    query, so that connections in steady use go without.
    """

    def __init__(self, dialect: sa.Dialect) -> None:
        self._dialect = dialect

    def __call__(self, connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        used = record.info.get("used")
        if used is None or time.monotonic() - used < PING_AFTER_SECONDS:
            return
        try:
            self._dialect.do_ping(connection)
        except self._dialect.loaded_dbapi.Error as error:
            raise sa.exc.InvalidatePoolError("a connection was cut while it was idle") from error


def _prepare_sqlite(connection: SqliteConnection, _: Any) -> None:
    connection.isolation_level = None  # the driver must not begin transactions of its own
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}"):
        connection.execute(f"PRAGMA {pragma}")


@contextmanager
def read_transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a connection for a consistent read: all its queries see the same moment."""
    with waiting_for("database"), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
        if engine.dialect.name != "sqlite":
            connection.commit()  # after a rollback the driver would drop its prepared statements


def read_rows(engine: sa.Engine, statement: sa.Executable) -> Sequence[sa.Row[Any]]:
    """Return all rows of one statement that reads. It sees one moment by itself, so no transaction is begun for it.

    On Postgres that saves two round trips of three.
    """
    with waiting_for("database"), engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            connection.execution_options(isolation_level="AUTOCOMMIT")
        return connection.execute(statement).all()


@contextmanager
def write_transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a write transaction; it commits when the block ends well and is undone otherwise.

    Raises:
        OperationalError: the database is away, or another writer held it for BUSY_TIMEOUT_MS.
        RuntimeError: this thread is inside another one on the same file, for which it would wait forever.
    """
    with _write_lock(engine) as patience_ms, waiting_for("database"), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            _begin_sqlite(connection, patience_ms)
        else:
            connection.begin()
        try:
            yield connection
        except sa.exc.InternalError as error:
            connection.rollback()
            if not error.connection_invalidated:
                raise
            text = "the database ended an idle transaction"  # psycopg raises InternalError for it
            raise sa.exc.OperationalError(text, None, error) from error
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def insert_into(bind: sa.Engine | sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that can say what to do where the row is there already: `on_conflict_do_update`, `_nothing`."""
    return sqlite.insert(table) if bind.dialect.name == "sqlite" else postgresql.insert(table)


@contextmanager
def chained_transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Open a write transaction whose end others wait for; raises as `write_transaction` does.

    Postgres frees a transaction's locks when its record is on the disk. Here they are free before: those who wait go
    on, and one write of the disk serves them all. Records reach the disk in their order, so what a crash undoes takes
    with it all that followed from it. The block ends when the record is on the disk.
    """
    is_postgres = engine.dialect.name == "postgresql"
    with write_transaction(engine) as connection:
        if is_postgres:
            connection.execute(sa.text("SET LOCAL synchronous_commit = off"))
        yield connection
    if is_postgres:
        read_rows(engine, _WRITE_TO_DISK)


@contextmanager
def _write_lock(engine: sa.Engine) -> Iterator[int]:
    """Wait for the write lock of a SQLite file, and yield the milliseconds of patience that are left.

    No connection is held meanwhile, so that readers can use them. Postgres lets writers of different rows write at
    once.

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
            with waiting_for("lock"):
                lock.enter_context(write_lock(path))
        except OSError as error:
            raise sa.exc.OperationalError("the write lock", None, error) from error
        yield max(0, BUSY_TIMEOUT_MS - round((time.monotonic() - begun) * 1000))


def _begin_sqlite(connection: sa.Connection, patience_ms: int) -> None:
    """Begin to write. If another program writes without the write lock, all waiting writers share one wait for it."""
    connection.exec_driver_sql(f"PRAGMA busy_timeout={patience_ms}")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


def is_state(column: sa.ColumnElement[str], state: str) -> sa.ColumnElement[bool]:
    """Return the condition that a row is in this state, written into the statement: for indexes of one state only.

    SQLite plans a statement before it knows its parameters, and then can't tell that such an index has the rows.
    """
    return column == sa.literal(state, sa.String, literal_execute=True)


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

"""Damage of a database: pages that were overwritten, cut off or read back wrong.

A process notices it in two ways: by a check (`check_database`), and by the database's own error while a statement runs
(`watch_engine`). Either is an error in the log, once, and is remembered for the health check (`damage_of`).
"""

import logging
from collections.abc import Iterable, Iterator
from threading import Event
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from tetrad.server.damage_codes import is_damage

MOST_FINDINGS = 3
REMEDY = "stop writing to it and restore it from a backup"

AMCHECK = """
SELECT has_function_privilege(p.oid, 'EXECUTE') FROM (SELECT to_regprocedure('bt_index_check(regclass,boolean)') AS oid,
to_regprocedure('verify_heapam(regclass,boolean,boolean,text,bigint,bigint)') AS heap) AS p
WHERE p.oid IS NOT NULL AND p.heap IS NOT NULL AND has_function_privilege(p.heap, 'EXECUTE')
"""
INDEXES = """
SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.amname = 'btree' AND i.indisvalid AND c.relkind = 'i' AND n.nspname = current_schema() ORDER BY 1
"""
TABLES = """
SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname = current_schema() AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1
"""

log = logging.getLogger(__name__)
_damages: "WeakKeyDictionary[sa.Engine, str]" = WeakKeyDictionary()


class DatabaseDamagedError(Exception):
    """The database is damaged; the message names it, what was found, and the remedy."""


def watch_engine(engine: sa.Engine) -> None:
    """Remember damage that any statement of this engine meets."""

    def note(context: Any) -> None:
        if is_damage(context.original_exception):
            note_damage(engine, str(context.original_exception).strip())

    sa.event.listen(engine, "handle_error", note)


def note_damage(engine: sa.Engine, problem: str) -> str:
    """Write the damage to the log, once a process, and return it with the name of the database."""
    found = f"the database {name_of(engine)} is damaged ({problem}); {REMEDY}"
    if _damages.get(engine) is None:
        log.error("alarm: %s", found)
    return _damages.setdefault(engine, found)


def damage_of(engine: sa.Engine) -> str | None:
    """Return what this process knows of damage of the engine's database, None where it knows of none."""
    return _damages.get(engine)


def name_of(engine: sa.Engine) -> str:
    """Return the file's name, or the name of the database on its server."""
    return str(engine.url.database or "in memory").rpartition("/")[2]


def check_database(engine: sa.Engine, stop: Event | None = None) -> bool:
    """Read the database: SQLite's quick_check; on Postgres amcheck where this user may call it, else every row.

    Return whether all was read; False if it was to stop before.

    Raises:
        DatabaseDamagedError: it is damaged.
        OperationalError: it is away.
    """
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                problem = _quick_check(connection)
            else:
                problem = _check_postgres(connection.execution_options(isolation_level="AUTOCOMMIT"), stop or Event())
    except sa.exc.DBAPIError as error:
        if not is_damage(error):
            raise
        problem = str(error.orig).strip()
    if problem:
        raise DatabaseDamagedError(note_damage(engine, problem))
    return stop is None or not stop.is_set()


def _quick_check(connection: sa.Connection) -> str:
    found = connection.exec_driver_sql(f"PRAGMA quick_check({MOST_FINDINGS})").scalars().all()
    return "" if found == ["ok"] else "; ".join(map(str, found))


def _check_postgres(connection: sa.Connection, stop: Event) -> str:
    """Return the first problem, "" where there is none. Each statement is a transaction: none holds up a clean-up."""
    tables = connection.exec_driver_sql(TABLES).scalars().all()
    if not connection.exec_driver_sql(AMCHECK).scalar():
        for table in _until(stop, tables):
            connection.exec_driver_sql(f"SELECT count(md5(t::text)) FROM {table} AS t")  # noqa: S608 -- quoted above
        return ""
    for table in _until(stop, tables):
        query = sa.text("SELECT msg FROM verify_heapam(cast(:name AS regclass)) LIMIT 1")
        if (problem := connection.execute(query, {"name": table}).scalar()) is not None:
            return f"table {table}: {problem}"
    for index in _until(stop, connection.exec_driver_sql(INDEXES).scalars().all()):
        connection.execute(sa.text("SELECT bt_index_check(cast(:name AS regclass), true)"), {"name": index})
    return ""


def _until(stop: Event, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if stop.is_set():
            return
        yield name

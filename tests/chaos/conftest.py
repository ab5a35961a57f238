"""One instance whose processes the chaos tests kill; its own, so that nothing else suffers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.instance import Instance, running

TOYS = Path(__file__).parents[1] / "toy_benchmarks"


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("chaos") / "home", bank_folder, str(TOYS)) as instance:
        yield instance

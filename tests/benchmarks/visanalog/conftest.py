"""A small source of photographs, mined: made once for all tests of a worker."""

from pathlib import Path

import pytest

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.mining.catalogue import jobs
from generator_service.mining.jobs import mine
from generator_service.mounting import Mounted
from generator_service.registry import mount
from generator_service.sources.store import SourceStore, of_folder, open_sources
from tests.benchmarks.visanalog.photographs import write_photographs
from tests.unit.generator_service.sources.pictures import add


@pytest.fixture(scope="session")
def photograph_store(tmp_path_factory: pytest.TempPathFactory) -> SourceStore:
    """A store with one source of photographs, `seen`, mined."""
    folder = tmp_path_factory.mktemp("photographs")
    store = of_folder(folder / "sources")
    add(store, "photographs", write_photographs(folder / "given"), "seen", access="public")
    mine(store, store.head("photographs", "seen"), jobs()["visanalog"], lambda *_counts: None)
    return store


@pytest.fixture(scope="session")
def of_photographs(photograph_store: SourceStore, bank_folder: Path) -> Mounted:
    """VISANALOG on these photographs, and on the built-in objects."""
    both = open_sources(f"file://{photograph_store.folder},file://{bank_folder}")
    mounted = mount([BENCHMARK], both).newest("visanalog")
    assert mounted is not None
    return mounted

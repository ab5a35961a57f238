"""Tiny sets as their authors would publish them, written once, and a store of sources."""

from pathlib import Path

import pytest

from generator_service.sources.store import SourceStore, of_folder
from tests.published import write_kiva, write_marvel


@pytest.fixture(scope="session")
def kiva_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One trial of each value; read only."""
    return write_kiva(tmp_path_factory.mktemp("kiva") / "released")


@pytest.fixture(scope="session")
def marvel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve puzzles; read only."""
    return write_marvel(tmp_path_factory.mktemp("marvel") / "released")


@pytest.fixture
def store(tmp_path: Path) -> SourceStore:
    return of_folder(tmp_path / "sources")

"""Tiny corpora, written once, and a store to mount them in."""

from pathlib import Path

import pytest

from generator_service.corpora.layouts import LAYOUTS
from generator_service.corpora.store import CorpusStore
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
def store(tmp_path: Path) -> CorpusStore:
    return CorpusStore(tmp_path / "corpora", LAYOUTS)

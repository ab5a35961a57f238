"""Tiny sets as their authors would publish them, written once, and a store of sources."""

from pathlib import Path

import pytest

from generator_service.sources.store import SourceStore, of_folder
from tests.published import write_kiva, write_kiva_adults, write_marvel, write_vasr, write_visanalog


@pytest.fixture(scope="session")
def kiva_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One trial of each value; read only."""
    return write_kiva(tmp_path_factory.mktemp("kiva") / "released")


@pytest.fixture(scope="session")
def adults_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One trial of each value of KiVA-adults; read only."""
    return write_kiva_adults(tmp_path_factory.mktemp("kiva-adults") / "released")


@pytest.fixture(scope="session")
def marvel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve puzzles; read only."""
    return write_marvel(tmp_path_factory.mktemp("marvel") / "released")


@pytest.fixture(scope="session")
def vasr_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten analogies; read only."""
    return write_vasr(tmp_path_factory.mktemp("vasr") / "released")


@pytest.fixture(scope="session")
def released(
    kiva_folder: Path,
    adults_folder: Path,
    marvel_folder: Path,
    vasr_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """The folder of each layout by its name; read only."""
    visanalog = write_visanalog(tmp_path_factory.mktemp("visanalog") / "released")
    return {
        "kiva": kiva_folder,
        "kiva-adults": adults_folder,
        "marvel": marvel_folder,
        "vasr": vasr_folder,
        "visanalog": visanalog,
    }


@pytest.fixture
def store(tmp_path: Path) -> SourceStore:
    return of_folder(tmp_path / "sources")

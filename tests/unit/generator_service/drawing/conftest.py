import os
from pathlib import Path

import pytest

from generator_service.drawing.bank import ObjectBank
from generator_service.sources.objects import load_bank

_ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def small_bank(tmp_path_factory: pytest.TempPathFactory) -> ObjectBank:
    return load_bank(tmp_path_factory.mktemp("bank"), kinds=2, variants=3)


@pytest.fixture(scope="session")
def published_trials() -> Path:
    """Return the folder of KiVA's published trials, by domain."""
    data = Path(os.environ.get("TETRAD_DATA", _ROOT.parent / "shared" / "data"))
    trials = data / "kiva" / "released"
    if not trials.is_dir():
        pytest.skip(f"KiVA's published trials are not at {trials}: set TETRAD_DATA to check against them")
    return trials

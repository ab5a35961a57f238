"""What all tests share: the object bank, drawn once and kept between runs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def bank_folder() -> Path:
    """The folder that caches the object bank: $TETRAD_BANK_CACHE, or var/bank of this checkout."""
    return Path(os.environ.get("TETRAD_BANK_CACHE", ROOT / "var" / "bank"))

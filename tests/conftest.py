"""What all tests share: the object bank, drawn once and kept between runs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def bank_folder() -> Path:
    """The folder that caches the object bank: $TETRAD_BANK_CACHE, or var/bank of this checkout."""
    return Path(os.environ.get("TETRAD_BANK_CACHE", ROOT / "var" / "bank"))


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that share an instance on one worker of pytest-xdist, so that it is started once."""
    for item in items:
        if "instance" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(item.path.parent.name))

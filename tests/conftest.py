"""What all tests share: the object bank, drawn once and kept between runs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def bank_folder() -> Path:
    """The folder that caches the object bank: $TETRAD_BANK_CACHE, or var/bank of this checkout."""
    return Path(os.environ.get("TETRAD_BANK_CACHE", ROOT / "var" / "bank"))


# Minutes of real processes and statistics: `make test-long` runs them, `make test` all others.
LONG = frozenset({"test_bench_runs", "test_document", "test_offline", "test_operations", "test_restore"})
LONG |= {"test_shown", "test_supervisor"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that share an instance on one worker of pytest-xdist, so that it is started once."""
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        if folder in {"e2e", "chaos"}:
            item.add_marker(pytest.mark.xdist_group(folder))
        if item.path.stem in LONG:
            item.add_marker(pytest.mark.long)

"""A small process waits for an order of a data set, by Python's own library alone."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.database.upgrading import upgrade
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.dataset_tables import datasets
from tetrad.server.embedded.on_order import is_work

NEW = {"plan": "{}", "shards": 1, "bytes_estimated": 1, "core_ms_estimated": 1, "created_at": 1}
DAY_MS = 86_400_000


def test_there_is_work_when_a_data_set_is_to_be_made_or_removed(tmp_path: Path) -> None:
    path = tmp_path / "tetrad.sqlite"
    assert not is_work(str(path))
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    now = time.time_ns() // 1_000_000
    for state, unreferenced_at, expected in (
        ("done", None, False),
        ("cancelled", now - 29 * DAY_MS, False),
        ("cancelled", now - 31 * DAY_MS, True),
        ("queued", None, True),
        ("paused", None, True),
    ):
        with write_transaction(engine) as connection:
            connection.execute(sa.delete(datasets))
            connection.execute(sa.insert(datasets).values(id="d", state=state, unreferenced_at=unreferenced_at, **NEW))
        assert is_work(str(path)) is expected, (state, unreferenced_at)
    engine.dispose()


@pytest.mark.parametrize("name", ["sqlalchemy", "redis", "numpy", "msgspec"])
def test_what_waits_imports_no_library(name: str) -> None:
    told = f"import sys, tetrad.server.embedded.on_order; print({name!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

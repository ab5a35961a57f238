"""The api's gauges, from both databases: rows by state, work that waits, and one number while the database is away."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest
import sqlalchemy as sa

from api import gauges as gauges_module
from api.database import schema
from api.gauges import DatabaseGauges
from tests.integration.conftest import MakeDatabase
from tests.integration.scoring.rows import add_submission, add_team
from tetrad.server.clock import now_ms
from tetrad.server.database import make_engine, write_transaction
from tetrad.server.dataset_tables import add_dataset_event
from tetrad.server.scoring_tables import scoring_slices


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, new_postgres: MakeDatabase) -> Iterator[sa.Engine]:
    engine = make_engine(f"sqlite:///{tmp_path}/x.db" if request.param == "sqlite" else new_postgres("gauges"))
    schema.metadata.create_all(engine)
    with write_transaction(engine) as connection:
        add_team(connection)
    yield engine
    engine.dispose()


def numbers(gauges: DatabaseGauges) -> dict[tuple[str, str], float]:
    found = [sample for metric in gauges() for sample in metric.samples]
    return {(sample.name, "".join(sample.labels.values())): sample.value for sample in found}


def test_gauges_say_what_waits_and_for_how_long(engine: sa.Engine) -> None:
    now = now_ms()
    add_submission(engine, "sub_1", finished_at=now - 90_000)
    add_submission(engine, "sub_2", finished_at=now - 500_000, lease_until=now + 60_000)  # a worker is at it
    add_submission(engine, "sub_3", finished_at=now - 800_000)
    add_submission(engine, "sub_4", state="scored")
    with write_transaction(engine) as connection:  # it had a slice a moment ago
        row = {"job_id": "sub_3", "number": 1, "submission_id": "sub_3", "at": now - 2_000, "made_by": "", "body": b""}
        connection.execute(sa.insert(scoring_slices).values(row))
        damage = {"subject": "reports/x.json", "problem": "differs", "found_at": now}
        connection.execute(sa.insert(schema.damages).values(damage))
        connection.execute(sa.insert(schema.spending).values(budget="team|a", spent=2_500_000_000, estimated=0))
        connection.execute(sa.insert(schema.spending).values(budget="day|2026-11-27", spent=9_000_000_000, estimated=0))
        of_data_sets = {"plan": "{}", "shards": 2, "shards_done": 1, "bytes_estimated": 1, "core_ms_estimated": 1}
        for state, created_at in (("making", now - 900_000), ("queued", now - 50_000), ("paused", now - 990_000)):
            row = {"id": state, "state": state, "created_at": created_at, **of_data_sets}
            connection.execute(sa.insert(schema.datasets).values(row))
            for number, shard in enumerate(("done", "queued")):
                row = {"id": f"{state}-{number}", "dataset_id": state, "number": number, "state": shard}
                connection.execute(sa.insert(schema.dataset_shards).values(row))
        add_dataset_event(connection, "making", now - 70_000, "shard", number=0)
    seconds, found = 0.0, {}
    gauges = DatabaseGauges(lambda: engine, lambda: seconds)
    found = numbers(gauges)
    assert found["tetrad_database_up", ""] == 1
    assert found["tetrad_submissions", "queued"] == 3
    assert found["tetrad_due_rows", "submissions"] == 2
    assert found["tetrad_oldest_due_seconds", "submissions"] == pytest.approx(90, abs=10)
    assert found["tetrad_oldest_due_seconds", "verifications"] == 0
    assert (found["tetrad_due_rows", "dataset_shards"], found["tetrad_datasets", "paused"]) == (2, 1)
    assert (found["tetrad_dataset_shards", "done"], found["tetrad_dataset_shards", "queued"]) == (3, 3)
    assert found["tetrad_oldest_due_seconds", "dataset_shards"] == pytest.approx(70, abs=10)
    assert (found["tetrad_damages", ""], found["tetrad_spent_dollars", ""]) == (1, 2.5)
    add_submission(engine, "sub_5", finished_at=now)
    assert numbers(gauges) == found, "rows are read once for some seconds"
    seconds = 6.0
    assert numbers(gauges)["tetrad_submissions", "queued"] == 4


def test_a_database_that_is_away_is_one_number(tmp_path: Path, new_postgres: MakeDatabase) -> None:
    away = make_engine(new_postgres("gone").replace("/gone", "/dropped"))
    assert numbers(DatabaseGauges(lambda: away)) == {("tetrad_database_up", ""): 0}
    away.dispose()
    locked = make_engine(f"sqlite:///{tmp_path}/no-folder/x.db")
    assert numbers(DatabaseGauges(lambda: locked)) == {("tetrad_database_up", ""): 0}


def test_a_database_that_hangs_is_one_number_and_comes_back(
    new_postgres: MakeDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gauges_module, "PATIENCE_SECONDS", 0.5)
    engine = make_engine(new_postgres("hangs"))
    schema.metadata.create_all(engine)
    seconds = 0.0
    gauges = DatabaseGauges(lambda: engine, lambda: seconds)
    with engine.begin() as holder:
        holder.execute(sa.text("LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE"))
        took = []
        for _ in range(4):
            begun = time.monotonic()
            assert numbers(gauges) == {("tetrad_database_up", ""): 0}
            took.append(time.monotonic() - begun)
            seconds += 6
        assert 0.4 < took[0] < 5
        assert median(took[1:]) < 0.1, "only the first waits; a machine may pause once"
    end = time.monotonic() + 20
    while numbers(gauges) == {("tetrad_database_up", ""): 0}:
        assert time.monotonic() < end, "it does not come back"
        time.sleep(0.05)
        seconds += 6
    engine.dispose()

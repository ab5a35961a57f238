"""Bulk workers as processes: they make what was ordered, do two jobs and no others, and hold no secret."""

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from redis import Redis
from redis.exceptions import ResponseError
from rq import Queue, Worker
from rq.job import Callback, Job
from rq.serializers import JSONSerializer

from api.context import AppContext
from api.database.upgrading import BULK_COUNTERS, BULK_RIGHTS, grant, upgrade
from api.datasets.finding import events_of, find_held
from generator_service.datasets.bulk_context import BulkContext
from generator_service.datasets.life_signs import BEAT_SECONDS
from generator_service.datasets.settings import BulkSettings
from generator_service.settings import OF_SEALED
from tests.integration.conftest import MakeDatabase
from tests.integration.datasets import traced
from tests.integration.datasets.conftest import (
    PATIENCE,
    TEAM,
    Numbers,
    Start,
    kill_in_turn,
    manifest,
    ordered,
    undisturbed,
)
from tests.ports import free_port
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.internal.jobs import DATASETS_QUEUE
from tetrad.server.database import make_engine
from tetrad.server.dataset_tables import object_of

KILLS = 3  # tests/soak/test_datasets.py has twenty


def is_done(api: AppContext, dataset: str) -> bool:
    return find_held(api, TEAM, dataset).state == "done"


def is_stopped(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_killed_workers_make_what_an_undisturbed_one_makes(
    api: AppContext, context: BulkContext, start_worker: Start, bulk: BulkSettings, tmp_path: Path
) -> None:
    made = ordered(api, context.practice, count=400, shard_items=10)
    rng = random.Random(5)
    workers = [start_worker() for _ in range(2)]
    wait_until(lambda: find_held(api, TEAM, made.id).state == "making", PATIENCE)
    kill_in_turn(workers, start_worker, KILLS, lambda: time.sleep(rng.uniform(0.05, 0.6)))
    wait_until(lambda: is_done(api, made.id), PATIENCE)
    shown = manifest(api, made.id)
    assert shown.shards == undisturbed(context.practice, made.plan, tmp_path / "undisturbed")
    for shard in shown.shards:
        assert context.store.get(object_of(made.id, shard.file)) == (tmp_path / "undisturbed" / shard.file).read_bytes()
    numbers = [event.data["number"] for event in events_of(api.engine, made.id, 0) if event.kind == "shard"]
    assert sorted(numbers) == list(range(40))  # type: ignore[type-var]  # each once
    again = ordered(api, context.practice, count=400, shard_items=10)
    assert (again.id, again.state, again.bytes) == (made.id, "done", sum(shard.bytes for shard in shown.shards))
    told = subprocess.run(
        [Path(sys.executable).parent / "rq", "info", "--url", bulk.redis_url],
        capture_output=True,
        text=True,
        check=True,
    )
    assert DATASETS_QUEUE in told.stdout
    shown_workers = re.search(r"(\d+) workers", told.stdout)
    assert shown_workers is not None
    assert int(shown_workers[1]) >= 2, told.stdout  # killed ones are forgotten later


def test_a_job_that_names_anything_else_fails_and_nothing_is_called(
    api: AppContext, context: BulkContext, start_worker: Start, tmp_path: Path
) -> None:
    queue = Queue(DATASETS_QUEUE, connection=context.redis, serializer=JSONSerializer)
    traces = [tmp_path / name for name in ("function", "success", "failure")]
    callback = Callback(f"{traced.__name__}.leave_trace")
    named = [
        queue.enqueue("os.system", f"touch {traces[0]}"),
        queue.enqueue("os.mkdir", str(traces[0])),
        queue.enqueue("queue_shards", "dst_1", on_success=callback, meta={"trace": str(traces[1])}),
        queue.enqueue("os.getcwd", on_failure=callback, meta={"trace": str(traces[2])}),
    ]
    start_worker()
    made = ordered(api, context.practice, count=5)
    wait_until(lambda: is_done(api, made.id), PATIENCE)
    assert not any(trace.exists() for trace in traces)
    for job in (named[0], named[1], named[3]):
        found = Job.fetch(job.id, connection=context.redis, serializer=JSONSerializer)
        assert found.get_status() == "failed"
        result = found.latest_result()
        assert result is not None
        assert "is no job of bulk workers" in str(result.exc_string)


def test_the_process_holds_no_secret_and_ends_when_it_is_told_or_idle(
    context: BulkContext, start_worker: Start, bulk: BulkSettings
) -> None:
    worker, idle = start_worker(), start_worker(idle_exit_seconds=1)
    wait_until(lambda: worker.pid in {found.pid for found in Worker.all(connection=context.redis)}, PATIENCE)
    environment = Path("/proc", str(worker.pid), "environ").read_text()
    names = {entry.partition("=")[0] for entry in environment.split("\0") if entry}
    assert {name for name in names if name.startswith("TETRAD")} == {
        f"TETRAD_BULK_{name.upper()}" for name in BulkSettings.__struct_fields__
    }
    secret = {*OF_SEALED, "practice_token", "gateway_token", "operator_token"} - {"database_url"}
    assert not secret & set(BulkSettings.__struct_fields__)
    nice = Path("/proc", str(worker.pid), "stat").read_text().rpartition(")")[2].split()[16]
    assert nice == "19"
    assert idle.wait(60) == 0
    worker.terminate()
    assert worker.wait(60) == 0


def test_a_worker_gives_signs_of_life_until_it_hangs(
    api: AppContext, context: BulkContext, start_worker: Start, tmp_path: Path
) -> None:
    beat, token, port = tmp_path / "beat", "a-token-of-the-tests", free_port()
    shown = {"heartbeat_file": str(beat), "metrics_address": f"127.0.0.1:{port}", "metrics_token": token}
    worker = start_worker(**shown, sweep_seconds=600)
    made = ordered(api, context.practice, count=10)
    wait_until(lambda: is_done(api, made.id), PATIENCE)
    headers = {"Authorization": f"Bearer {token}"}

    def tells(sample: str) -> bool:
        reply = httpx.get(f"http://127.0.0.1:{port}/metrics", headers=headers, timeout=REPLY_SECONDS)
        return sample in reply.raise_for_status().text

    assert tells('tetrad_part_up{part="bulk"} 1.0')
    # A turn is counted when it has ended, a moment after the data set is seen to be done.
    wait_until(lambda: tells('tetrad_job_seconds_count{job="make_shard"} 2.0'), PATIENCE)
    touched = beat.stat().st_mtime_ns
    wait_until(lambda: beat.stat().st_mtime_ns != touched, PATIENCE)  # it is idle
    worker.send_signal(signal.SIGSTOP)
    wait_until(lambda: is_stopped(worker.pid), PATIENCE)
    last = beat.stat().st_mtime_ns
    time.sleep(2 * BEAT_SECONDS)
    assert beat.stat().st_mtime_ns == last


def test_its_role_may_touch_the_tables_of_data_sets_alone(new_postgres: MakeDatabase) -> None:
    url = new_postgres("bulk")
    engine = make_engine(url)
    upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP ROLE IF EXISTS bulk_tester")
        connection.exec_driver_sql("CREATE ROLE bulk_tester LOGIN")
        connection.exec_driver_sql("GRANT USAGE ON SCHEMA public TO bulk_tester")
        grant(connection, "bulk_tester", BULK_RIGHTS, BULK_COUNTERS)
    tables = sa.inspect(engine).get_table_names()
    may: dict[str, Any] = {}
    with engine.connect() as connection:
        for table in tables:
            asked = sa.text("SELECT has_table_privilege('bulk_tester', :name, 'SELECT, INSERT, UPDATE, DELETE')")
            may[table] = connection.execute(asked, {"name": table}).scalar()
        change = sa.text("SELECT has_table_privilege('bulk_tester', 'dataset_orders', 'INSERT, UPDATE, DELETE')")
        assert connection.execute(change).scalar() is False
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP OWNED BY bulk_tester")
        connection.exec_driver_sql("DROP ROLE bulk_tester")
    engine.dispose()
    assert {table for table, allowed in may.items() if allowed} == set(BULK_RIGHTS)
    assert "submissions" in may


def test_a_user_of_redis_reaches_its_own_number_and_rq_s_keys_alone(redis: Numbers) -> None:
    with Redis.from_url(redis.bulk) as own:
        own.lpush("rq:queue:datasets", "job")
        for command in (("SELECT", "0"), ("FLUSHDB",), ("CONFIG", "GET", "*"), ("GET", "tetrad-limit:1")):
            with pytest.raises(ResponseError):
                own.execute_command(*command)
    with Redis.from_url(redis.bulk[:-1] + "0") as other, pytest.raises(ResponseError):
        other.lpush("rq:queue:scoring", "job")

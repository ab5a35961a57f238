"""What happens to shards in one process: full disks, other writers, failures, cancelling, removal, lost jobs."""

import dataclasses
import errno
import os
import socket
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from redis import Redis

from api.context import AppContext
from api.database.schema import dataset_orders, dataset_shards, datasets
from api.datasets.finding import events_of, find_held
from api.datasets.ordering import give_up, order
from api.errors import BeingRemovedError
from generator_service.datasets import making
from generator_service.datasets.bulk_context import BulkContext
from generator_service.datasets.making import make
from generator_service.datasets.queueing import WINDOW, look_after, queue_due
from generator_service.datasets.worker import remove_left_behind
from tests.integration.datasets.conftest import TEAM, Numbers, add_team, manifest, ordered, planned
from tetrad.contracts.datasets import Dataset
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.objects import StoreError


def state_of(api: AppContext, dataset: str) -> tuple[str, str | None]:
    found = find_held(api, TEAM, dataset)
    return found.state, found.reason


def kinds_of(api: AppContext, dataset: str) -> list[str]:
    return [event.kind for event in events_of(api.engine, dataset, 0)]


def make_all(context: BulkContext, dataset: Dataset) -> None:
    for number in range(dataset.shards):
        make(context, dataset.id, number)


def tries(context: BulkContext) -> list[int]:
    return [row.attempt for row in read_rows(context.engine, sa.select(dataset_shards.c.attempt))]


def free_leases(context: BulkContext) -> None:
    with write_transaction(context.engine) as connection:
        connection.execute(sa.update(dataset_shards).values(lease_until=None))


def test_each_shard_counts_once_however_often_it_is_made(api: AppContext, context: BulkContext) -> None:
    made = ordered(api, context.practice)
    for _ in range(2):
        make_all(context, made)
    found = find_held(api, TEAM, made.id)
    assert (found.state, found.shards_done, found.items_done) == ("done", 8, 40)
    assert found.bytes == sum(shard.bytes for shard in manifest(api, made.id).shards)
    assert kinds_of(api, made.id) == ["making", *["shard"] * 8, "done"]
    assert tries(context) == [1] * 8
    assert not list(Path(context.settings.work_folder).iterdir())


def test_a_full_disk_pauses_with_a_reason_and_it_goes_on_once_there_is_room(
    api: AppContext, context: BulkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ordered(api, context.practice)
    make(context, made.id, 0)
    full = {"objects": "the disk of the objects is full: 3 MiB are free"}
    monkeypatch.setattr(context.disks, "shortages", lambda: full)
    make(context, made.id, 1)
    assert state_of(api, made.id) == ("paused", full["objects"])
    queue_due(context)
    assert state_of(api, made.id)[0] == "paused"
    monkeypatch.setattr(context.disks, "shortages", dict)
    queue_due(context)
    assert state_of(api, made.id) == ("making", None)
    make_all(context, made)
    assert state_of(api, made.id)[0] == "done"
    assert kinds_of(api, made.id)[:4] == ["making", "shard", "paused", "resumed"]


def test_a_disk_that_fills_while_a_shard_is_written_loses_no_attempt(
    api: AppContext, context: BulkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ordered(api, context.practice)

    def fill(*_: object) -> None:
        cause = OSError(errno.ENOSPC, "No space left on device")
        raise StoreError("the object store failed") from cause

    with monkeypatch.context() as full:
        full.setattr(context.store, "put_file", fill)
        make(context, made.id, 0)
    state, reason = state_of(api, made.id)
    assert (state, "full" in (reason or "")) == ("paused", True)
    assert tries(context) == [0] * 8
    queue_due(context)
    make_all(context, made)
    assert state_of(api, made.id)[0] == "done"


def test_a_store_that_is_away_is_waited_for(
    api: AppContext, context: BulkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ordered(api, context.practice)

    def leave(*_: object) -> None:
        raise StoreError("the object store failed: no route")

    with monkeypatch.context() as away:
        away.setattr(context.store, "put_file", leave)
        make(context, made.id, 0)
    assert state_of(api, made.id) == ("making", "what it needs is away; it goes on by itself")
    free_leases(context)
    make_all(context, made)
    assert state_of(api, made.id) == ("done", None)


def test_a_worker_of_other_libraries_refuses_and_another_makes_it(
    api: AppContext, context: BulkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ordered(api, context.practice)
    with monkeypatch.context() as newer:
        newer.setattr("generator_service.datasets.shards.FILES", 2)
        make(context, made.id, 0)
    state, reason = state_of(api, made.id)
    assert (state, made.plan.writer in (reason or "")) == ("making", True)
    assert not list(context.store.names(made.id))
    free_leases(context)
    make_all(context, made)
    assert state_of(api, made.id) == ("done", None)


def test_a_worker_that_lacks_the_sources_of_a_plan_leaves_it_to_another(api: AppContext, context: BulkContext) -> None:
    plan = planned(context.practice)
    elsewhere = replace(plan.plan, identity=replace(plan.plan.identity, bank="0" * 64))
    made = order(api, TEAM, replace(plan, plan=elsewhere), 1.0)
    make(context, made.id, 0)
    state, reason = state_of(api, made.id)
    assert (state, "this instance draws toy from" in (reason or "")) == ("making", True), reason
    assert tries(context) == [0] * 8


def test_what_fails_again_and_again_fails_with_a_reason_and_is_tried_anew_on_order(
    api: AppContext, context: BulkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ordered(api, context.practice)
    with monkeypatch.context() as broken:
        broken.setattr(making, "make_shard", lambda *_: 1 / 0)
        for _ in range(context.settings.most_attempts):
            with pytest.raises(ZeroDivisionError):
                make(context, made.id, 3)
            free_leases(context)
    state, reason = state_of(api, made.id)
    assert (state, "shard 3" in (reason or ""), "ZeroDivisionError" in (reason or "")) == ("failed", True, True)
    assert ordered(api, context.practice).state == "queued"
    make_all(context, made)
    assert state_of(api, made.id) == ("done", None)


def test_a_shard_that_kills_its_workers_is_given_up(api: AppContext, context: BulkContext) -> None:
    made = ordered(api, context.practice)
    with write_transaction(context.engine) as connection:
        dead = sa.update(dataset_shards).where(dataset_shards.c.number == 2)
        connection.execute(dead.values(attempt=context.settings.most_attempts, lease_until=1))
    queue_due(context)
    state, reason = state_of(api, made.id)
    assert (state, "its worker died 5 times" in (reason or "")) == ("failed", True)


def test_few_jobs_wait_and_what_redis_lost_is_queued_again(
    api: AppContext, context: BulkContext, redis: Numbers
) -> None:
    first = ordered(api, context.practice, count=500)
    second = ordered(api, context.practice, count=500, form="webdataset")
    Redis.from_url(redis.admin).flushdb()
    assert queue_due(context) == WINDOW
    jobs = context.queue.get_job_ids()
    assert jobs[:4] == [f"{first.id}-0", f"{second.id}-0", f"{first.id}-1", f"{second.id}-1"]
    Redis.from_url(redis.admin).flushdb()
    assert queue_due(context) == WINDOW
    assert context.queue.get_job_ids() == jobs
    queue_due(context)
    assert len(context.queue) == WINDOW


def test_a_cancelled_data_set_is_made_no_further_and_removed_in_time(api: AppContext, context: BulkContext) -> None:
    made = ordered(api, context.practice)
    make(context, made.id, 0)
    give_up(api, TEAM, made.id)
    make(context, made.id, 1)
    look_after(context)
    assert len(list(context.store.names(made.id))) == 1
    at_once = BulkContext(**{**vars(context), "settings": replace(context.settings, retention_days=0.0)})
    look_after(at_once)
    assert not list(context.store.names(made.id))
    for table in (datasets, dataset_shards):
        assert not read_rows(context.engine, sa.select(table))
    assert ordered(api, context.practice).shards_done == 0


def test_a_data_set_that_somebody_holds_stays(api: AppContext, context: BulkContext) -> None:
    other = dataclasses.replace(TEAM, team_id="team_2", team="team-two")
    add_team(api.engine, other)
    made = ordered(api, context.practice)
    ordered(api, context.practice, other)
    make_all(context, made)
    give_up(api, TEAM, made.id)
    look_after(BulkContext(**{**vars(context), "settings": replace(context.settings, retention_days=0.0)}))
    assert find_held(api, other, made.id).state == "done"
    assert len(list(context.store.names(made.id))) == 8


def test_an_order_gone_with_its_team_is_noticed(api: AppContext, context: BulkContext) -> None:
    made = ordered(api, context.practice)
    with write_transaction(api.engine) as connection:
        connection.execute(sa.delete(dataset_orders))
    look_after(context)
    rows = read_rows(api.engine, sa.select(datasets.c.state, datasets.c.unreferenced_at))
    assert (rows[0].state, rows[0].unreferenced_at is not None) == ("cancelled", True)
    assert ordered(api, context.practice).id == made.id


def test_an_order_while_it_is_being_removed_is_told_to_come_again(api: AppContext, context: BulkContext) -> None:
    ordered(api, context.practice)
    with write_transaction(api.engine) as connection:
        connection.execute(sa.update(datasets).values(state="removing"))
    with pytest.raises(BeingRemovedError, match="in a minute"):
        ordered(api, context.practice)


def test_what_a_killed_worker_left_is_removed_and_what_a_living_one_writes_stays(tmp_path: Path) -> None:
    here = socket.gethostname()
    names = (
        f"shard-4194305-{here}-x",
        f"shard-{os.getpid()}-{here}-x",
        "shard-4194305-elsewhere-x",
        "shard-7-elsewhere-y",
    )
    for name in names:
        (tmp_path / name).mkdir()
    os.utime(tmp_path / names[3], (1, 1))
    remove_left_behind(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {names[1], names[2]}

"""Data sets for long: twenty kills of two workers, and workers of three hosts."""

import random
import time
from pathlib import Path
from typing import Any

from api.context import AppContext
from api.datasets.finding import events_of, find_held
from generator_service.datasets.bulk_context import BulkContext
from tests.integration.datasets.conftest import (
    PATIENCE as BEGIN_PATIENCE,
)
from tests.integration.datasets.conftest import (  # noqa: F401 -- fixtures
    TEAM,
    Start,
    api,
    bulk,
    context,
    database_url,
    kill_in_turn,
    manifest,
    migrated,
    ordered,
    redis,
    start_worker,
    undisturbed,
)
from tests.waiting import wait_until
from tetrad.contracts.datasets import Dataset

KILLS, PATIENCE = 20, 900.0


def is_done(api: AppContext, dataset: Dataset) -> bool:  # noqa: F811 -- the fixture's value
    return find_held(api, TEAM, dataset.id).state == "done"


def check_made(api: AppContext, context: BulkContext, dataset: Dataset, folder: Path) -> None:  # noqa: F811
    assert manifest(api, dataset.id).shards == undisturbed(context.practice, dataset.plan, folder)
    numbers: list[Any] = [
        event.data["number"] for event in events_of(api.engine, dataset.id, 0, 10_000) if event.kind == "shard"
    ]
    assert sorted(numbers) == list(range(dataset.shards))


def test_twenty_kills_leave_what_an_undisturbed_worker_makes(
    api: AppContext,  # noqa: F811
    context: BulkContext,  # noqa: F811
    start_worker: Start,  # noqa: F811
    tmp_path: Path,
) -> None:
    made = ordered(api, context.practice, count=6000, shard_items=20)
    rng = random.Random(7)
    workers = [start_worker() for _ in range(2)]
    wait_until(lambda: find_held(api, TEAM, made.id).state == "making", BEGIN_PATIENCE)

    def wait() -> None:
        time.sleep(rng.uniform(0.2, 3.0))
        assert not is_done(api, made), "order more items: it was done before the last kill"

    kill_in_turn(workers, start_worker, KILLS, wait)
    wait_until(lambda: is_done(api, made), PATIENCE)
    check_made(api, context, made, tmp_path / "undisturbed")


def test_workers_of_three_hosts_share_a_data_set(
    api: AppContext,  # noqa: F811
    context: BulkContext,  # noqa: F811
    start_worker: Start,  # noqa: F811
    tmp_path: Path,
) -> None:
    """Each has folders of its own; they share database, Redis and store."""
    for host in range(3):
        start_worker(work_folder=str(tmp_path / f"host-{host}"), sources_cache=str(tmp_path / f"cache-{host}"))
    made = ordered(api, context.practice, count=3000, shard_items=50)
    wait_until(lambda: is_done(api, made), PATIENCE)
    check_made(api, context, made, tmp_path / "undisturbed")
    assert all(list((tmp_path / f"host-{host}").iterdir()) == [] for host in range(3)), "each made some"

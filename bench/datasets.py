"""Rows of data sets: a shard against drawing the same items, and two bulk workers against one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx

from bench.measuring import BENCHMARK, ROOT, Bench, Line, interleave, load, median_ratio
from bench.processes import core_seconds_by_program
from generator_service.datasets.planning import plan_dataset
from generator_service.datasets.settings import ShardSettings
from generator_service.datasets.shards import encode_by_zlib, make_shard, open_practice
from generator_service.items import make_item
from generator_service.practice import Practice
from tetrad.client import Client, ServiceError
from tetrad.contracts.datasets import Dataset, DatasetForm, DatasetPlan, DatasetRequest
from tetrad.internal.practice import PlanRequest, PracticeRequest
from tetrad.rows.dataset_plans import items_of

SHARDS = 3  # times as many items as elsewhere: a shard of few is mostly its head
FORM: DatasetForm = "parquet"
MOST_RATIO = 1.25
ORDERED_SHARD, WORKERS, LEAST_SPEED_UP = 100, 2, 1.7
START_SECONDS = 15.0  # of a second worker, at the lowest priority
OF_ONE_WORKER = {"TETRAD_BULK_HEARTBEAT_FILE", "TETRAD_BULK_IDLE_EXIT_SECONDS", "PROMETHEUS_MULTIPROC_DIR"}
WARM = 7  # rounds' worth of items


def datasets(bench: Bench) -> Iterator[Line]:
    """Write shards of KiVA on one core, and draw and encode the same pictures without writing anything."""
    practice = open_practice(ShardSettings(sources_url=f"file://{bench.bank.absolute()}"))
    count, rounds = SHARDS * bench.scale.trials, bench.scale.rounds
    asked = PracticeRequest(benchmark=BENCHMARK, track=BENCHMARK, setting="full", seed="106")
    planned = plan_dataset(practice, PlanRequest(items=asked, count=count * (rounds + 1), form=FORM, shard_items=count))
    _fill_caches(practice, planned.plan, WARM * count)
    with TemporaryDirectory(prefix="tetrad-bench-") as folder:

        def write(number: int) -> None:
            make_shard(planned.plan, number, Path(folder), practice)

        write(rounds)
        written, drawn = interleave(
            rounds, write, lambda number: _draw(practice, planned.plan, number), clock=time.process_time
        )
    ratio = median_ratio(written, drawn)
    yield Line(
        name=f"a shard of {count} KiVA items as {FORM}, one core",
        value=f"{1000 * median(written) / count:.1f} core ms an item",
        ratio=f"{ratio:.2f} x drawing them ({1000 * median(drawn) / count:.1f} core ms an item); {load()}",
        aim=f"{MOST_RATIO} x or less",
        met=ratio <= MOST_RATIO,
    )


def bulk_workers(bench: Bench) -> Iterator[Line]:
    """Have a data set made by the instance's own worker, and another of the same size by it and a second one.

    The second worker is a process with the first one's variables. Both wait for work before the clock begins.
    """
    count = max(WORKERS, bench.scale.ordered // ORDERED_SHARD) * ORDERED_SHARD
    with bench.instance.team(f"bench-orders-{time.monotonic_ns()}") as client:
        _make(client, ORDERED_SHARD)  # the worker has begun
        alone, of_one = _make(client, count)
        own = bench.instance.environment("bulk-1")
        variables = {name: value for name, value in own.items() if name not in OF_ONE_WORKER}
        command = [sys.executable, "-m", "generator_service.datasets.worker"]
        second = subprocess.Popen(command, cwd=ROOT, env=variables)  # noqa: S603 -- our own
        try:
            time.sleep(START_SECONDS)
            _make(client, WORKERS * ORDERED_SHARD)
            both, of_both = _make(client, count)
        finally:
            second.terminate()
            second.wait()
    yield Line(
        name=f"a data set of {count:,} KiVA items in {count // ORDERED_SHARD} shards: one bulk worker, then two",
        value=f"{alone:.1f} s, {both:.1f} s",
        ratio=f"{alone / both:.2f} x as fast; of the workers {of_one:.1f} and {of_both:.1f} core seconds; {load()}",
        aim=f"{LEAST_SPEED_UP} x or more on two idle cores",
        met=alone / both >= LEAST_SPEED_UP,
    )


def _make(client: Client, count: int) -> tuple[float, float]:
    """Have a data set made that nobody ordered before.

    Return the seconds from the begin of its first shard to the end of its last, and the workers' core seconds.
    """
    before = core_seconds_by_program(os.getpid()).get("bulk", 0.0)
    ordered = order_anew(client, count)
    while client.dataset(ordered.id).state != "done":
        time.sleep(0.5)
    at = {event.kind: datetime.fromisoformat(event.at) for event in client.dataset_events(ordered.id)}
    client.cancel_dataset(ordered.id)
    taken = core_seconds_by_program(os.getpid()).get("bulk", 0.0) - before
    return (at["done"] - at["making"]).total_seconds(), taken


def order_anew(client: Client, count: int) -> Dataset:
    """Order a data set that nobody ordered before, once the limit of items a minute allows it."""
    seed = str(time.time_ns() % 10**15)
    asked = DatasetRequest(benchmark=BENCHMARK, seed=seed, count=count, shard_items=ORDERED_SHARD)
    while True:
        try:
            return client.order_dataset(asked)
        except ServiceError as error:
            if error.problem.status != httpx.codes.TOO_MANY_REQUESTS:
                raise
            time.sleep(error.retry_after or 1)


def _fill_caches(practice: Practice, plan: DatasetPlan, count: int) -> None:
    mounted, draw = practice.open_draw(plan.identity, plan.seed)
    for index in range(plan.count, plan.count + count):
        make_item(mounted, draw, index)


def _draw(practice: Practice, plan: DatasetPlan, number: int) -> None:
    """Draw and encode each picture of the items of a shard once."""
    mounted, draw = practice.open_draw(plan.identity, plan.seed)
    for index in items_of(plan, number):
        item = make_item(mounted, draw, index)
        for name in dict.fromkeys(shown.name for keyed in item.questions for shown in keyed.question.pictures):
            encode_by_zlib(mounted.benchmark.render(mounted.bank, item.scene, name))

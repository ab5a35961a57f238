"""Row of a shard of a data set, against drawing the same items: what rows, files and digests take on top."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.measuring import BENCHMARK, Bench, Line, interleave, load, median_ratio
from generator_service.datasets.planning import plan_dataset
from generator_service.datasets.settings import ShardSettings
from generator_service.datasets.shards import encode_by_zlib, make_shard, open_practice
from generator_service.items import make_item
from generator_service.practice import Practice
from tetrad.contracts.datasets import DatasetForm, DatasetPlan
from tetrad.internal.practice import PlanRequest, PracticeRequest
from tetrad.rows.dataset_plans import items_of

SHARDS = 3  # times as many items as elsewhere: a shard of few is mostly its head
FORM: DatasetForm = "parquet"
MOST_RATIO = 1.25
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

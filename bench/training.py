"""Rows of a training step: item by item, and as rows and verdicts of a batch, 16 replies to each question."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bench.measuring import BENCHMARK, Bench, Line
from bench.processes import TICKS, core_seconds_by_program
from bench.trial import FETCHERS, SERVICES
from tetrad.client import Client
from tetrad.contracts.answers import PracticeAnswer
from tetrad.contracts.items import PracticeItem
from tetrad.contracts.training import PracticeReply

T = TypeVar("T")
MOST_MILLISECONDS = 16.0
LEAST_VERDICTS = 2000  # a second and core
REPLIES = 16  # to a question
PAGE = 100


def training(bench: Bench) -> Iterator[Line]:
    """Make a step as a trainer does: of each item the first question is asked, and the reply is checked."""
    count = bench.scale.fetched
    with bench.instance.team(f"bench-{time.monotonic_ns()}") as client, ThreadPoolExecutor(FETCHERS) as pool:
        _step(client, pool, 8, seed=31)  # what a process loads once
        before, own = core_seconds_by_program(bench.instance.process.pid), time.process_time()
        _step(client, pool, count, seed=32)
        own = 1000 * (time.process_time() - own) / count
        after = core_seconds_by_program(bench.instance.process.pid)
    taken = {service: 1000 * (after.get(service, 0.0) - before.get(service, 0.0)) / count for service in SERVICES}
    total = sum(taken.values())
    yield Line(
        name=f"a training step of {count} items: pages, pictures, checks",
        value=f"{total:.1f} core ms an item",
        ratio=f"{', '.join(f'{service} {cost:.1f}' for service, cost in taken.items())}; the client {own:.1f}",
        aim=f"{MOST_MILLISECONDS:.0f} core ms or less",
        met=total <= MOST_MILLISECONDS,
    )
    yield from _batch(bench, count, total)


def _batch(bench: Bench, count: int, before: float) -> Iterator[Line]:
    """Make the same step of rows and verdicts. `before`: core ms an item the other way, with one reply to each."""
    with bench.instance.team(f"bench-{time.monotonic_ns()}") as client:
        rows, of_rows = _measure(bench, lambda: list(client.rows(BENCHMARK, count=count, seed=33)))
        replies = [
            PracticeReply(item=row.item, question=row.question, response="The answer is (A).")
            for row in rows
            for _ in range(REPLIES)
        ]
        judged, of_verdicts = _measure(bench, lambda: client.judge(BENCHMARK, replies[:10_000]))
    yield Line(
        name=f"a training step as {len(rows)} inline rows",
        value=f"{1000 * of_rows / len(rows):.1f} core ms a row",
        ratio=f"{before:.1f} core ms an item, item by item, with one reply each",
        aim="less than item by item",
        met=1000 * of_rows / len(rows) < before,
    )
    yield Line(
        name=f"its {len(judged)} verdicts in one request",
        value=f"{len(judged) / of_verdicts:.0f} verdicts a second and core",
        ratio="361 a second on two cores, one request a reply, before there were batches",
        aim=f"{LEAST_VERDICTS} or more",
        met=len(judged) / of_verdicts >= LEAST_VERDICTS,
    )


def _measure(bench: Bench, work: Callable[[], T]) -> tuple[T, float]:
    """Return what the work returns, and the core seconds that the instance took for it: one tick or more."""
    before = core_seconds_by_program(bench.instance.process.pid)
    made = work()
    after = core_seconds_by_program(bench.instance.process.pid)
    taken = sum(after.get(service, 0.0) - before.get(service, 0.0) for service in SERVICES)
    return made, max(taken, 1 / TICKS)  # a test's short step can end within a tick, and figures are divided by this


def _step(client: Client, pool: ThreadPoolExecutor, count: int, seed: int) -> None:
    def work_on(item: PracticeItem) -> None:
        names = dict.fromkeys(shown.name for question in item.questions for shown in question.pictures)
        client.practice_pictures(item.id, list(names))
        client.check(item.id, [PracticeAnswer(question=item.questions[0].id, response="The answer is (A).")])

    for offset in range(0, count, PAGE):
        page = client.practice(BENCHMARK, seed=seed, offset=offset, limit=min(PAGE, count - offset))
        list(pool.map(work_on, page.items))

"""Rows of a training step: item by item, and as rows and verdicts of a batch, 16 replies to each question."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bench.making import with_pictures
from bench.measuring import BENCHMARK, Bench, Line, load
from bench.processes import TICKS, core_seconds_by_program
from bench.trial import FETCHERS, SERVICES
from tetrad.client import Client
from tetrad.contracts.answers import PracticeAnswer
from tetrad.contracts.items import PracticeItem
from tetrad.contracts.rows import Row
from tetrad.contracts.training import PracticeReply

T = TypeVar("T")
MOST_MILLISECONDS = 16.0
LEAST_VERDICTS = 2000  # a second and core
REPLIES = 16  # to a question
PAGE = 100
MOST_REPLIES = 10_000  # of a request
# The first question of an item offers 1 to 5: a reply without an answer takes twice as long to read.
SHORT = "Item {}, try {}: the answer is (2)."
THOUGHTS = (
    "In item {} I look at the first pair, try {}: the object is turned, and its colour stays. If the same is done to "
    "the other object, picture 1 has another colour, and picture 2 is turned too far. So the answer is (2)."
)


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
    alone, _ = with_pictures(bench.scale, bench.mounted, bench.draw("106"))
    yield Line(
        name=f"a training step of {count} items: pages, pictures, checks",
        value=f"{total:.1f} core ms an item",
        ratio=f"{', '.join(f'{service} {cost:.1f}' for service, cost in taken.items())}; the client {own:.1f}; "
        f"{total / alone:.2f} x drawing and encoding it alone ({alone:.1f} core ms)",
        aim=f"{MOST_MILLISECONDS:.0f} core ms or less",
        met=total <= MOST_MILLISECONDS,
    )
    yield from _batch(bench, total)


def _batch(bench: Bench, before: float) -> Iterator[Line]:
    """Make a step of rows and verdicts. `before`: core ms an item the other way, with one reply to each."""
    with bench.instance.team(f"bench-{time.monotonic_ns()}") as client:
        rows, of_rows = _measure(bench, lambda: list(client.rows(BENCHMARK, count=bench.scale.step, seed=33)))
        short, of_short = _judge(bench, client, rows, SHORT)
        judged, of_thoughts = _judge(bench, client, rows, THOUGHTS)
    yield Line(
        name=f"a training step as {len(rows)} inline rows",
        value=f"{1000 * of_rows / len(rows):.1f} core ms a row",
        ratio=f"{before:.1f} core ms an item, item by item, with one reply each",
        aim="less than item by item",
        met=1000 * of_rows / len(rows) < before,
    )
    yield Line(
        name=f"its {short} verdicts in one request, short replies",
        value=f"{short / of_short:.0f} verdicts a second and core",
        ratio="361 a second on two cores, one request a reply, before there were batches",
        aim=f"{LEAST_VERDICTS} or more",
        met=short / of_short >= LEAST_VERDICTS,
    )
    yield Line(
        name=f"a training step in two requests: {len(rows)} inline rows, {judged:,} verdicts",
        value=f"{of_rows + of_thoughts:.1f} core seconds",
        ratio=f"rows {of_rows:.1f}, verdicts on replies of {len(THOUGHTS)} characters {of_thoughts:.1f}; {load()}",
    )


def _judge(bench: Bench, client: Client, rows: Sequence[Row], words: str) -> tuple[int, float]:
    """Have replies judged that all differ; return how many, and the core seconds that it took."""
    replies = [
        PracticeReply(item=row.item, question=row.question, response=words.format(row.index, number))
        for row in rows
        for number in range(REPLIES)
    ][:MOST_REPLIES]
    judged, taken = _measure(bench, lambda: client.judge(BENCHMARK, replies))
    return len(judged), taken


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
        client.check(item.id, [PracticeAnswer(question=item.questions[0].id, response="The answer is (2).")])

    for offset in range(0, count, PAGE):
        page = client.practice(BENCHMARK, seed=seed, offset=offset, limit=min(PAGE, count - offset))
        list(pool.map(work_on, page.items))

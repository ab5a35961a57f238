"""Row of a training step: fresh practice items in pages, the pictures of each as one tar, a reply to each checked."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bench.measuring import BENCHMARK, Bench, Line
from bench.processes import core_seconds_by_program
from bench.trial import FETCHERS, SERVICES
from tetrad.client import Client
from tetrad.contracts.answers import PracticeAnswer
from tetrad.contracts.items import PracticeItem

MOST_MILLISECONDS = 16.0
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


def _step(client: Client, pool: ThreadPoolExecutor, count: int, seed: int) -> None:
    def work_on(item: PracticeItem) -> None:
        names = dict.fromkeys(shown.name for question in item.questions for shown in question.pictures)
        client.practice_pictures(item.id, list(names))
        client.check(item.id, [PracticeAnswer(question=item.questions[0].id, response="The answer is (A).")])

    for offset in range(0, count, PAGE):
        page = client.practice(BENCHMARK, seed=seed, offset=offset, limit=min(PAGE, count - offset))
        list(pool.map(work_on, page.items))

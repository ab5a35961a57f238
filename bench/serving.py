"""Rows of a real instance: a submission end to end, a picture from cache, memory."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from bench.connections import Connections
from bench.measuring import BENCHMARK, TRACK, Bench, Line, interleave, median_ratio
from bench.processes import core_seconds_by_program, mebibytes_by_program
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.submissions import SubmissionRequest
from tetrad.runner import Plan, SubmissionOverHttp, answer_submission, solver_responder

MOST_SECONDS, MOST_WAIT, LEAST_SHARE, MOST_MEBIBYTES = 60.0, 2.0, 0.6, 700
MODEL = "constant"
PATIENCE = 120.0


def submission(bench: Bench) -> Iterator[Line]:
    """Answer a submission as `tetrad submit` does, fetching every picture, and wait for its report."""
    size = bench.scale.submission
    with bench.instance.team(f"bench-{time.monotonic_ns()}") as client, _watch_memory(bench) as peak:
        client.register_model(ModelRequest(name=MODEL))
        before, own = core_seconds_by_program(bench.instance.process.pid), time.process_time()
        begun = time.perf_counter()
        opened = client.open_submission(SubmissionRequest(benchmark=BENCHMARK, track=TRACK, model=MODEL, size=size))
        done = answer_submission(SubmissionOverHttp(client, opened.id), solver_responder(MODEL), Plan())
        answered = time.perf_counter()
        _wait(client, opened.id)
        reported = time.perf_counter()
        taken = {"client": time.process_time() - own}
        for name, seconds in core_seconds_by_program(bench.instance.process.pid).items():
            taken[name] = seconds - before.get(name, 0.0)
    total, wait = answered - begun, reported - answered
    most = MOST_SECONDS * size / 1000
    yield Line(
        name=f"a {size:,}-trial submission, all pictures fetched",
        value=f"{total:.1f} s",
        ratio=f"{done.sealed:,} answers, {size / total:.1f} trials/s; core seconds: {_list_parts(taken)}",
        aim=f"{most:.1f} s or less",
        met=total <= most,
    )
    yield Line(
        name="its report after the last answer",
        value=f"{wait:.2f} s",
        aim=f"{MOST_WAIT:.0f} s or less",
        met=wait <= MOST_WAIT,
    )
    yield Line(name="memory of all processes, at most, during it", value=f"{peak()} MiB")


def images(bench: Bench) -> Iterator[Line]:
    """Get one picture from the cache, against a bare route of the same server, on kept-alive connections."""
    url = urlsplit(bench.instance.url)
    host, port = str(url.hostname), int(url.port or 80)
    with bench.instance.client() as client:
        shown = client.practice(BENCHMARK, seed=7, limit=1).items[0].questions[0].pictures[0]
    path = urlsplit(str(shown.url)).path
    count = bench.scale.requests
    with Connections(host, port) as connections:
        size = connections.get(path, 8)
        connections.get("/health/live", 8)
        cached, bare = interleave(
            bench.scale.rounds,
            lambda _: connections.get(path, count),
            lambda _: connections.get("/health/live", count),
        )
    share = median_ratio(bare, cached)
    yield Line(
        name=f"a picture from cache ({size / 1024:.0f} KiB)",
        value=f"{count / sorted(cached)[len(cached) // 2]:,.0f}/s",
        ratio=f"{share:.2f} of a bare route's {count / sorted(bare)[len(bare) // 2]:,.0f}/s",
        aim=f"{LEAST_SHARE} or more",
        met=share >= LEAST_SHARE,
    )


def memory(bench: Bench) -> Iterator[Line]:
    """Sum what all processes of an instance hold that has not served anything yet."""
    instance = bench.instance
    time.sleep(bench.scale.idle_seconds)
    parts = mebibytes_by_program(instance.process.pid)
    total = sum(parts.values())
    yield Line(
        name="memory of all processes, idle",
        value=f"{total} MiB",
        ratio=_list_parts(parts),
        aim=f"{MOST_MEBIBYTES} MiB or less",
        met=total <= MOST_MEBIBYTES,
    )


def _list_parts(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {size:.0f}" for name, size in sorted(parts.items(), key=lambda part: -part[1]))


def _wait(client: Client, submission_id: str) -> None:
    end = time.monotonic() + PATIENCE
    while (state := client.submission(submission_id).state) != "scored":
        if time.monotonic() > end or state in {"failed", "void"}:
            raise AssertionError(f"{submission_id} is {state}")
        time.sleep(0.1)


@contextmanager
def _watch_memory(bench: Bench) -> Iterator[Callable[[], int]]:
    """Look at the instance's memory every second; the function given says how much it was at most, in MiB."""
    most, over = [0], threading.Event()

    def look() -> None:
        while not over.wait(1.0):
            most[0] = max(most[0], sum(mebibytes_by_program(bench.instance.process.pid).values()))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield lambda: most[0] or sum(mebibytes_by_program(bench.instance.process.pid).values())
    finally:
        over.set()
        watcher.join()

"""Rows of a team beside readers and large jobs: how long it takes to open, answer and score, and how many are in time.

Photographs' pages, the dearest, are read where TETRAD_SHARED_SOURCES names a store with photographs.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import httpx

from bench.measuring import Bench, Line, load
from tests.answering import register, wait_scored
from tests.largest_load import finished_large, scoring_all_the_time, verifying_all_the_time
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.submissions import SubmissionRequest

READERS = (20, 60)
CLIENTS, DEAREST_READERS = 300, 16
TEAMS = 10
VERIFIED, PHOTOGRAPHS = 1000, "photographs"
SMALL, PATIENCE, POLL_SECONDS = 4, 240.0, 0.05
MOST_RATIO, MOST_WAIT, TAIL = 3.0, 60.0, 0.99
READ = "/v1/benchmarks/kiva/items?track=kiva&limit=20"
WINDOWS_SECONDS, POLL_PRACTICE_SECONDS, MOST_LEFT = 130.0, 3.0, 0.95
LIMITS = ("RateLimit-Policy", "RateLimit")
COUNTED = "/v1/commitments?limit=1"  # counts as a request alone
STEPS = ("open", "questions", "answer", "score")


@dataclass
class Times:
    """The seconds of each step, by submission."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {step: [] for step in STEPS})

    def tails(self) -> dict[str, float]:
        return {step: sorted(taken)[int(TAIL * (len(taken) - 1))] for step, taken in self.seconds.items()}


def readers(bench: Bench) -> Iterator[Line]:
    """Measure the same submissions alone, beside readers, and beside readers of the dearest pages."""
    dearest = _dearest_page(bench)
    if PHOTOGRAPHS not in dearest:
        yield Line(name=_name(bench, f"beside readers of {PHOTOGRAPHS}"), value="their source is not here")
    loads = [(f"{count} readers", count, READ) for count in READERS]
    loads.append((f"{DEAREST_READERS} readers of {dearest}", DEAREST_READERS, dearest))
    with team_alone(bench) as (team, alone):
        yield Line(name=_name(bench, "alone"), value=_list_seconds(alone), ratio=load())
        for name, count, path in loads:
            _wait_for_practice(bench)
            with _reading(bench, count, path) as statuses:
                tails = submit_many(bench, team).tails()
            yield _compare(bench, name, tails, alone, f"pages: {_list_statuses(statuses)}")
    yield _waits_beside_many(bench)


def jobs(bench: Bench) -> Iterator[Line]:
    """Measure the same submissions alone, beside the scoring of a large one, and beside verifications of one."""
    size, verified = bench.scale.large, min(VERIFIED, bench.scale.large)
    with team_alone(bench) as (team, alone), bench.instance.team(f"bench-large-{time.monotonic_ns()}") as large_team:
        yield Line(name=_name(bench, "alone"), value=_list_seconds(alone), ratio=load())
        report = wait_scored(large_team, finished_large(large_team, verified, "a mug"), PATIENCE)
        with verifying_all_the_time(bench.instance, report) as taken:
            tails = submit_many(bench, team).tails()
        name = f"verifications of {verified:,} CARV items without a key"
        yield _compare(bench, name, tails, alone, f"{len(taken)} verifications")
        with scoring_all_the_time(large_team, size) as taken:
            tails = submit_many(bench, team).tails()
        name = f"the scoring of {size:,} CARV items with replies of 4 kB"
        yield _compare(bench, name, tails, alone, f"{len(taken)} large submissions")


@contextmanager
def team_alone(bench: Bench) -> Iterator[tuple[Client, dict[str, float]]]:
    """Give a team, and how long its submissions take while nobody else is there."""
    with bench.instance.team(f"bench-beside-{time.monotonic_ns()}") as team:
        register(team, "small")
        submit_once(team, Times())  # the first one fills caches
        yield team, submit_many(bench, team).tails()


def _compare(bench: Bench, name: str, tails: dict[str, float], alone: dict[str, float], told: str) -> Line:
    ratios = {step: tails[step] / alone[step] for step in STEPS}
    each = ", ".join(f"{step} {ratio:.1f}" for step, ratio in ratios.items())
    return Line(
        name=_name(bench, f"beside {name}"),
        value=_list_seconds(tails),
        ratio=f"{each} of those alone; {told}; {load()}",
        aim=f"{MOST_RATIO:.0f} or less",
        met=max(ratios.values()) <= MOST_RATIO,
    )


def _waits_beside_many(bench: Bench) -> Line:
    """Let ten teams submit one after the other beside hundreds of readers."""
    each = bench.scale.beside // TEAMS or 1
    _wait_for_practice(bench)
    with ExitStack() as stack:
        teams = [stack.enter_context(bench.instance.team(f"bench-many-{time.monotonic_ns()}")) for _ in range(TEAMS)]
        statuses = stack.enter_context(_reading(bench, CLIENTS, READ))

        def submit(team: Client) -> Times:
            register(team, "small")
            times = Times()
            for _ in range(each):
                submit_once(team, times)
            return times

        with ThreadPoolExecutor(TEAMS) as pool:
            waits = [wait for times in pool.map(submit, teams) for wait in times.seconds["score"]]
    late = sum(wait > MOST_WAIT for wait in waits)
    return Line(
        name=f"{len(waits)} submissions of {TEAMS} teams beside {CLIENTS} readers: to the score",
        value=f"{sorted(waits)[len(waits) // 2]:.1f} s at the median, {max(waits):.1f} s at most",
        ratio=f"{late} later than {MOST_WAIT:.0f} s; pages: {_list_statuses(statuses)}; {load()}",
        aim=f"{MOST_WAIT:.0f} s or less",
        met=not late,
    )


def submit_many(bench: Bench, team: Client) -> Times:
    times = Times()
    for _ in range(bench.scale.beside):
        submit_once(team, times)
    return times


def submit_once(team: Client, times: Times) -> None:
    """Open a submission, answer its questions, and wait for its score; note how long each takes."""
    moments = [time.perf_counter()]
    request = SubmissionRequest(benchmark="kiva", track="kiva", setting="extrapolation-only", model="small", size=SMALL)
    submission = team.open_submission(request).id
    moments.append(time.perf_counter())
    asked = team.questions(submission).questions
    moments.append(time.perf_counter())
    team.seal(submission, [Answer(item=each.item, question=each.question.id, response="A") for each in asked])
    moments.append(time.perf_counter())
    while team.submission(submission).state == "queued":
        if time.perf_counter() - moments[-1] > PATIENCE:
            break  # it counts as late
        time.sleep(POLL_SECONDS)
    moments.append(time.perf_counter())
    for step, begun, ended in zip(STEPS, moments[:-1], moments[1:], strict=True):
        times.seconds[step].append(ended - begun)


@contextmanager
def _reading(bench: Bench, count: int, path: str) -> Iterator[dict[str, int]]:
    """Let so many readers ask for a page until the block ends; their statuses are there then."""
    command = [sys.executable, "-m", "bench.reading", bench.instance.url, str(count), path]
    statuses: dict[str, int] = {}
    process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 -- our own
    try:
        time.sleep(2.0)  # all have begun
        yield statuses
    finally:
        process.terminate()
        statuses.update(json.loads(process.communicate()[0]))


def _wait_for_practice(bench: Bench) -> None:
    """Wait until the readers' address has asked so little that it may have a whole minute's, of pages and practice."""
    end = time.monotonic() + WINDOWS_SECONDS
    while time.monotonic() < end and not all(_is_fresh(bench, path) for path in (READ, COUNTED)):
        time.sleep(POLL_PRACTICE_SECONDS)


def _is_fresh(bench: Bench, path: str) -> bool:
    reply = httpx.get(f"{bench.instance.url}{path}")
    quota, left = (int(reply.headers.get(name, ";x=0").split(";")[1].partition("=")[2]) for name in LIMITS)
    return reply.is_success and left >= quota * MOST_LEFT


def _dearest_page(bench: Bench) -> str:
    with bench.instance.client() as anyone:
        served = [
            (track.cost, info.card.name, track.name)
            for info in anyone.benchmarks().benchmarks
            for track in info.card.tracks
            if info.card.corpus is None and track.name not in info.lacking
        ]
    _, benchmark, track = max(served)
    return f"/v1/benchmarks/{benchmark}/items?track={track}&limit=100"


def _name(bench: Bench, where: str) -> str:
    return f"99% of {bench.scale.beside} submissions of {SMALL} items {where}"


def _list_seconds(seconds: dict[str, float]) -> str:
    return ", ".join(f"{step} {taken:.2f} s" for step, taken in seconds.items())


def _list_statuses(statuses: dict[str, int]) -> str:
    return ", ".join(f"{number} of {status}" for status, number in sorted(statuses.items()))

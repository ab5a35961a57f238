"""Rows of sealed questions and of scores beside a trainer and a data set, both at full speed, against alone."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.measuring import BENCHMARK, Bench, Line, load
from tests.answering import register
from tests.instance import Instance
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.submissions import SubmissionRequest

SIZE, TRAINERS, ITEMS = 4, 2, 100_000
MOST_RATIO, MOST_WAIT, TAIL = 3.0, 60.0, 0.99
PATIENCE, POLL_SECONDS, BEGIN_SECONDS = 240.0, 0.05, 60.0


@dataclass
class Times:
    """The seconds that each fetch of sealed questions took, and those from the last answer to the score."""

    questions: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    @property
    def tail(self) -> float:
        return sorted(self.questions)[int(TAIL * (len(self.questions) - 1))]


def isolation(bench: Bench) -> Iterator[Line]:
    """Submit as often alone as beside trainers and the bulk worker, which make rows, verdicts and shards meanwhile."""
    with bench.instance.team(f"bench-isolated-{time.monotonic_ns()}") as team:
        register(team, "small")
        _submit(team, Times())  # the first one fills caches
        alone = _submit_many(bench, team)
        yield Line(name=_name(bench, "alone"), value=f"{1000 * alone.tail:.0f} ms", ratio=load())
        with making_a_data_set(bench.instance) as shards, training(bench.instance) as made:
            beside = _submit_many(bench, team)
    ratio = beside.tail / alone.tail
    done = f"meanwhile {shards[0]} shards, {made.get('steps', 0)} steps, {sum(made.values())} tries; {load()}"
    yield Line(
        name=_name(bench, f"beside {TRAINERS} trainers and a data set"),
        value=f"{1000 * beside.tail:.0f} ms",
        ratio=f"{ratio:.1f} x alone; {done}",
        aim=f"{MOST_RATIO:.0f} x or less",
        met=ratio <= MOST_RATIO,
    )
    yield Line(
        name=f"{len(beside.scores)} submissions beside them: to the score",
        value=f"{sorted(beside.scores)[len(beside.scores) // 2]:.1f} s at the median, {max(beside.scores):.1f} at most",
        ratio=f"{max(alone.scores):.1f} s at most alone",
        aim=f"{MOST_WAIT:.0f} s or less",
        met=max(beside.scores) <= MOST_WAIT,
    )


@contextmanager
def making_a_data_set(instance: Instance) -> Iterator[list[int]]:
    """Have a data set made that outlasts the block, which begins with its first shard; tell its shards at the end."""
    shards: list[int] = []
    with instance.team(f"bench-orders-{time.monotonic_ns()}") as client:
        request = DatasetRequest(benchmark=BENCHMARK, seed=str(time.time_ns() % 10**15), count=ITEMS, shard_items=100)
        ordered = client.order_dataset(request)
        end = time.monotonic() + BEGIN_SECONDS
        while client.dataset(ordered.id).shards_done == 0 and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        before = client.dataset(ordered.id).shards_done
        try:
            yield shards
        finally:
            shards.append(client.dataset(ordered.id).shards_done - before)
            client.cancel_dataset(ordered.id)


@contextmanager
def training(instance: Instance) -> Iterator[dict[str, int]]:
    """Let trainers make steps until the block ends; what they made is there then."""
    made: dict[str, int] = {}
    with instance.client() as anybody:
        key = anybody.register_team(f"bench-trains-{time.monotonic_ns()}").key
    command = [sys.executable, "-m", "bench.trainer", instance.url, str(TRAINERS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"TETRAD_KEY": key})  # noqa: S603
    try:
        begun = process.stdout is not None and process.stdout.readline()
        assert begun, "the trainer ended before its first step"  # noqa: S101 -- a figure beside nobody is none
        yield made
    finally:
        process.terminate()
        made.update(json.loads(process.communicate()[0]))


def _submit_many(bench: Bench, team: Client) -> Times:
    times = Times()
    for _ in range(bench.scale.beside):
        _submit(team, times)
    return times


def _submit(team: Client, times: Times) -> None:
    """Answer a submission; note how long its questions and its score take."""
    request = SubmissionRequest(benchmark="kiva", track="kiva", setting="extrapolation-only", model="small", size=SIZE)
    submission = team.open_submission(request).id
    begun = time.perf_counter()
    asked = team.questions(submission).questions
    times.questions.append(time.perf_counter() - begun)
    team.seal(submission, [Answer(item=each.item, question=each.question.id, response="A") for each in asked])
    begun = time.perf_counter()
    while team.submission(submission).state == "queued" and time.perf_counter() - begun < PATIENCE:
        time.sleep(POLL_SECONDS)
    times.scores.append(time.perf_counter() - begun)


def _name(bench: Bench, where: str) -> str:
    return f"99% of {bench.scale.beside} fetches of sealed questions {where}"

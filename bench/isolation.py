"""Rows of sealed questions and of scores beside a trainer and a data set, both at full speed, against alone."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.datasets import order_anew
from bench.measuring import Bench, Line, load
from bench.readers import MOST_RATIO, MOST_WAIT, submit_many, team_alone
from tests.instance import Instance

TRAINERS, ITEMS = 2, 100_000
POLL_SECONDS, BEGIN_SECONDS = 0.05, 60.0


def isolation(bench: Bench) -> Iterator[Line]:
    """Submit as often alone as beside trainers and the bulk worker, which make rows, verdicts and shards meanwhile."""
    with team_alone(bench) as (team, alone):
        yield Line(name=_name(bench, "alone"), value=f"{1000 * alone['questions']:.0f} ms", ratio=load())
        with making_a_data_set(bench.instance) as shards, training(bench.instance) as made:
            beside = submit_many(bench, team)
    tail, waits = beside.tails()["questions"], sorted(beside.seconds["score"])
    ratio = tail / alone["questions"]
    done = f"meanwhile {shards[0]} shards, {made.get('steps', 0)} steps, {sum(made.values())} tries; {load()}"
    yield Line(
        name=_name(bench, f"beside {TRAINERS} trainers and a data set"),
        value=f"{1000 * tail:.0f} ms",
        ratio=f"{ratio:.1f} x alone; {done}",
        aim=f"{MOST_RATIO:.0f} x or less",
        met=ratio <= MOST_RATIO,
    )
    yield Line(
        name=f"{len(waits)} submissions beside them: to the score",
        value=f"{waits[len(waits) // 2]:.1f} s at the median, {waits[-1]:.1f} s at most",
        ratio=f"{alone['score']:.1f} s alone, of 99%",
        aim=f"{MOST_WAIT:.0f} s or less",
        met=waits[-1] <= MOST_WAIT,
    )


@contextmanager
def making_a_data_set(instance: Instance) -> Iterator[list[int]]:
    """Have a data set made that outlasts the block, which begins with its first shard; tell its shards at the end."""
    shards: list[int] = []
    with instance.team(f"bench-orders-{time.monotonic_ns()}") as client:
        ordered = order_anew(client, ITEMS)
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


def _name(bench: Bench, where: str) -> str:
    return f"99% of {bench.scale.beside} fetches of sealed questions {where}"

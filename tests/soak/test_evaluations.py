"""20 kills (TETRAD_SOAK_EVALUATION_KILLS) of worker, gateway, api and Valkey during evaluations, at random moments.

All evaluations end complete, a model is asked again only for what was in flight at a kill, and no budget is passed.
What a kill leaves booked at its reservation pauses an evaluation and ends none.
"""

import os
import random
import re
import time
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import pytest

from tests.answering import patiently
from tests.evaluating import COST, PATIENCE_SECONDS, KilledEvaluation, answering_after, models_file
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tetrad.client import Client
from tetrad.contracts.evaluations import EvaluationRequest

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
KILLS = int(os.environ.get("TETRAD_SOAK_EVALUATION_KILLS", "20"))
SEED = int(os.environ.get("TETRAD_SOAK_SEED", "1"))
PROGRAMS = ("evaluations", "gateway", "api", "valkey")
SIZE, CONCURRENCY, SECONDS = 120, 4, 0.2
PATIENCE = 180.0
BUDGET = 4_000  # micro-dollars: two reservations fit, and no third one


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path, upstream: Upstream) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("soak-evaluations")
    models = models_file(folder, upstream)
    with running(folder / "home", bank_folder, str(TOYS), models_file=models) as instance:
        yield instance


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("soak-evaluations") as team:
        yield team


def test_every_evaluation_ends_and_asks_little_twice(instance: Instance, team: Client, upstream: Upstream) -> None:
    rng = random.Random(SEED)
    upstream.otherwise = answering_after(SECONDS)
    for _ in range(ceil(KILLS / len(PROGRAMS))):
        killed = KilledEvaluation(instance, team, upstream, size=SIZE, concurrency=CONCURRENCY)
        moments = sorted(rng.sample(range(2, SIZE - 15), len(PROGRAMS)))
        for program, after in zip(rng.sample(PROGRAMS, len(PROGRAMS)), moments, strict=True):
            killed.kill(program, after)
        killed.check_end()


def test_calls_that_a_killed_gateway_leaves_at_their_reservation_pause_an_evaluation_and_end_none(
    instance: Instance, team: Client, upstream: Upstream
) -> None:
    """Two calls are in flight at the kill. A call costs 25 micro-dollars, and reserves some 60 times as much."""
    size, before = 30, len(upstream.asked)
    upstream.otherwise = answering_after(PATIENCE)
    request = EvaluationRequest(
        benchmark="toy", models=["dear"], setting="shade-only", size=size, concurrency=2, budget=BUDGET
    )
    opened = patiently(lambda: team.evaluate(request), PATIENCE_SECONDS)
    end = time.monotonic() + PATIENCE
    while len(upstream.asked) < before + 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    upstream.otherwise = None
    instance.kill("gateway")
    while (shown := patiently(lambda: team.evaluation(opened.id), PATIENCE_SECONDS)).state != "paused":
        assert shown.state != "done", shown
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    assert "are estimates" in shown.pause_reason
    submission = opened.runs[0].submission
    assert "estimates of the gateway" in team.submission(submission).unranked
    (needed,) = re.findall(r"resume with a budget of (\d+) micro-dollars", shown.pause_reason)
    team.resume_evaluation(opened.id, budget=int(needed))
    while (shown := patiently(lambda: team.evaluation(opened.id), PATIENCE_SECONDS)).state != "done":
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    assert (shown.outcome, team.submission(submission).unranked) == ("complete", "")
    assert team.report(submission).missing == 0
    assert size * COST < shown.spent <= int(needed), "what was in flight is booked, too"

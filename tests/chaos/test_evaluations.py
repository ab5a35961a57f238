"""kill -9 during an evaluation: it goes on, and asks the model again only for what was in flight."""

from collections.abc import Iterator

import pytest

from tests.evaluating import KilledEvaluation, answering_after
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream
from tetrad.client import Client

SIZE, CONCURRENCY, SECONDS = 100, 4, 0.1


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("evaluating") as client:
        yield client


def test_an_evaluation_survives_its_worker_its_gateway_its_api_and_valkey(
    instance: Instance, team: Client, upstream: Upstream
) -> None:
    upstream.otherwise = answering_after(SECONDS)
    killed = KilledEvaluation(instance, team, upstream, size=SIZE, concurrency=CONCURRENCY)
    for after, program in ((10, "evaluations"), (30, "gateway"), (50, "api"), (70, "valkey")):
        killed.kill(program, after)
    killed.check_end()

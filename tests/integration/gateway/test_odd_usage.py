"""Whatever an upstream reports as its usage, ledger, Redis and database book a cost that can be true, and the same."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from redis import Redis

from api.database.schema import settlements
from api.spending import read_spent
from inference_gateway.gates import Estimate
from inference_gateway.usage import Usage, read_count
from tests.integration.gateway.conftest import CENT, DOLLAR, DatabaseStore, OpenGates, call, sums
from tetrad.server.database import read_rows

FIELDS = ("prompt", "completion", "cached", "reasoning")
NUMBERS = [None, -(2**63), -1, 0, 1, 2, 3, 4, 5, 6, 40, 41, 2**31, 2**53, 2**63, 10**30]
NO_NUMBERS = ["3", "", float("nan"), float("inf"), -0.5, 2.5, True, [], {}, {"n": 1}]
CAPACITIES = [None, Estimate(input_tokens=40, output_tokens=40)]
CALLS = 300


def reported(rng: random.Random) -> Mapping[str, Any]:
    """Return a usage of which half of the fields can be true, and the others are anything."""
    return {name: rng.choice([0, 1, 2, 5] if rng.random() < 0.5 else [*NUMBERS, *NO_NUMBERS]) for name in FIELDS}


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """Return what a provider makes of it."""
    prompt, completion, cached, reasoning = [read_count(usage, name) for name in FIELDS]
    return Usage(input_tokens=prompt, output_tokens=completion, cached_input_tokens=cached, reasoning_tokens=reasoning)


def true_tokens(usage: Mapping[str, Any], most: int) -> int | None:
    """Return the billed tokens of a usage that can be true."""
    if any(type(value) not in {int, type(None)} for value in usage.values()):
        return None
    if any(value is not None and not 0 <= value <= most for value in usage.values()):
        return None
    prompt, completion = usage["prompt"], usage["completion"]
    if prompt is None or completion is None or (usage["cached"] or 0) > prompt:
        return None
    return int(prompt + completion)


def test_no_usage_books_what_can_not_be_true(open_gates: OpenGates, redis: "Redis[Any]", store: DatabaseStore) -> None:
    rng = random.Random("odd usage")
    costs = []

    async def run() -> None:
        async with open_gates() as gates:
            for _ in range(CALLS):
                usage, capacity = reported(rng), rng.choice(CAPACITIES)
                async with gates.admit(call(budget=10**6 * DOLLAR, capacity=capacity)) as permit:
                    await permit.mark_sent()
                    settled = await permit.settle(read_usage(usage))
                tokens = true_tokens(usage, 5 if capacity is None else 40)
                assert settled.cost == (10 if tokens is None else tokens) * CENT, usage
                assert settled.estimated == (tokens is None), usage
                assert settled.odd <= settled.estimated
                costs.append(settled.cost)
                assert sums(redis) == (sum(costs), 0)

    asyncio.run(run())
    assert len(set(costs)) > 10
    assert read_spent(store.engine, "team|lynx") == sum(costs)
    rows = read_rows(store.engine, sa.select(settlements.c.cost))
    assert sorted(row.cost for row in rows) == sorted(costs)

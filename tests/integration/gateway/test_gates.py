"""One gate after the other over a real Valkey: what it lets pass, what it refuses, and what it says."""

import asyncio
import dataclasses
import time
from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from api.spending import read_spent
from inference_gateway.gates import Budget, Call, Estimate, Failure, Reason, Refused, UpstreamError, shared
from inference_gateway.gates.shared import SharedGates
from inference_gateway.usage import Usage
from tests.integration.gateway.conftest import CENT, DOLLAR, QUICK, DatabaseStore, OpenGates, call, sums, upstream

USED = Usage(input_tokens=2, output_tokens=2)  # four cents
FORTY_TOKENS = Estimate(input_tokens=40, output_tokens=40)


def test_a_budget_is_reserved_then_settled_from_usage(
    open_gates: OpenGates, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            async with gates.admit(call(budget=DOLLAR)) as permit:
                assert sums(redis) == (0, 10 * CENT)
                await permit.mark_sent()
                settled = await permit.settle(USED)
            assert (settled.cost, settled.estimated, settled.over) == (4 * CENT, False, False)
            assert sums(redis) == (4 * CENT, 0)
        assert read_spent(store.engine, "team|lynx") == 4 * CENT

    asyncio.run(run())


def test_a_call_that_was_not_sent_is_given_back_and_one_that_was_is_owed_in_full(
    open_gates: OpenGates, redis: "Redis[Any]"
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            async with gates.admit(call(budget=DOLLAR)):
                pass
            assert sums(redis) == (0, 0)
            with pytest.raises(ZeroDivisionError):
                await fail(gates, call(budget=DOLLAR), ZeroDivisionError())
            assert sums(redis) == (10 * CENT, 0)

    asyncio.run(run())


def test_missing_usage_is_settled_at_the_reservation_and_zero_is_not_missing(
    open_gates: OpenGates, redis: "Redis[Any]"
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            async with gates.admit(call(budget=10 * DOLLAR)) as permit:
                await permit.mark_sent()
                settled = await permit.settle(None)
            assert (settled.cost, settled.estimated) == (10 * CENT, True)
            async with gates.admit(call(budget=10 * DOLLAR)) as permit:
                await permit.mark_sent()
                settled = await permit.settle(Usage(input_tokens=0, output_tokens=0))
            assert (settled.cost, settled.estimated) == (0, False)
            async with gates.admit(call(budget=10 * DOLLAR)) as permit:
                await permit.mark_sent()
                settled = await permit.settle(Usage(input_tokens=None, output_tokens=1))
            assert (settled.cost, settled.estimated) == (10 * CENT, True)
            assert sums(redis) == (20 * CENT, 0)

    asyncio.run(run())


def test_usage_above_the_reservation_is_booked_in_full_and_stops_the_next_call(
    open_gates: OpenGates, redis: "Redis[Any]", caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            async with gates.admit(call(budget=30 * CENT, capacity=FORTY_TOKENS)) as permit:
                await permit.mark_sent()
                settled = await permit.settle(Usage(input_tokens=5, output_tokens=40))
            assert settled.over
            assert sums(redis) == (45 * CENT, 0)
            with pytest.raises(Refused, match=r"\$0.300000, \$0.450000 is spent") as refused:
                async with gates.admit(call(budget=30 * CENT)):
                    pass
            assert (refused.value.reason, refused.value.status, refused.value.retry_after) == (Reason.BUDGET, 402, None)

    asyncio.run(run())
    assert "an upstream used more than was reserved" in caplog.text


def test_a_call_that_is_short_of_what_others_reserve_waits_for_them(open_gates: OpenGates) -> None:
    async def run() -> None:
        async with open_gates() as gates:

            async def one() -> float:
                async with gates.admit(call(budget=15 * CENT)) as permit:
                    await permit.mark_sent()
                    await asyncio.sleep(0.1)
                    await permit.settle(USED)
                    return permit.waited

            waited = sorted(await asyncio.gather(one(), one()))
            assert waited[1] > 0.09
            with pytest.raises(Refused, match="reserved by calls in flight") as refused:  # 8 cents are spent
                async with gates.admit(call(budget=20 * CENT)), gates.admit(call(budget=20 * CENT, patience=0.1)):
                    pass
            assert refused.value.retry_after is not None

    asyncio.run(run())


def test_every_budget_of_a_call_holds_or_none_is_touched(open_gates: OpenGates, redis: "Redis[Any]") -> None:
    async def run() -> None:
        async with open_gates() as gates:
            wide = Budget(scope="team", id="lynx", limit=DOLLAR)
            tight = Budget(scope="evaluation", id="e1", limit=CENT)
            with pytest.raises(Refused, match="evaluation e1"):
                async with gates.admit(dataclasses.replace(call(), budgets=(wide, tight))):
                    pass
            assert sums(redis) == (0, 0)
            assert redis.zcard("tetrad:{gateway}|leases") == 0

    asyncio.run(run())


def test_what_was_not_sent_returns_when_its_process_is_silent_and_what_was_never_does(
    open_gates: OpenGates, valkey: str, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            silent = SharedGates(valkey, store, QUICK)  # never started: it renews no lease
            async with silent.admit(call(budget=DOLLAR, holds=True)):
                assert sums(redis) == (0, 10 * CENT)
                await until(lambda: sums(redis) == (0, 0))
            async with silent.admit(call(budget=DOLLAR, holds=True)) as permit:
                await permit.mark_sent()
                await until(lambda: sums(redis) == (10 * CENT, 0))
                with pytest.raises(Refused, match=r"\$0.100000 of it by estimates") as refused:
                    async with gates.admit(call(budget=15 * CENT)):
                        pass
                short = refused.value.short
                assert short is not None
                assert (short.spent, short.estimated, short.limit, short.needed) == (10**8, 10**8, 15 * CENT, 10**8)
                await permit.settle(USED)  # it was only slow: what it measured takes the place of the estimate
                assert sums(redis) == (4 * CENT, 0)
                async with gates.admit(call(budget=15 * CENT)):
                    pass
            await silent.stop()
        assert read_spent(store.engine, "team|lynx") == 4 * CENT

    asyncio.run(run())


def test_leases_of_a_live_process_are_renewed(open_gates: OpenGates, redis: "Redis[Any]") -> None:
    async def run() -> None:
        async with open_gates() as gates, gates.admit(call(budget=DOLLAR)) as permit:
            await permit.mark_sent()
            await asyncio.sleep(2 * QUICK.lease)
            assert sums(redis) == (0, 10 * CENT)
            await permit.settle(USED)
            assert sums(redis) == (4 * CENT, 0)

    asyncio.run(run())


def test_a_call_is_settled_once(open_gates: OpenGates) -> None:
    async def run() -> None:
        async with open_gates() as gates, gates.admit(call(budget=DOLLAR)) as permit:
            await permit.mark_sent()
            await permit.settle(USED)
            with pytest.raises(RuntimeError, match="settled already"):
                await permit.settle(USED)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("failure", "owed"),
    [
        (Failure.RATE_LIMITED, 0),
        (Failure.SERVER, 0),
        (Failure.REJECTED, 0),
        (Failure.TIMEOUT, 10),
        (Failure.CONNECTION, 10),
    ],
)
def test_a_failed_attempt_is_owed_where_the_upstream_may_bill_it(
    open_gates: OpenGates, redis: "Redis[Any]", failure: Failure, owed: int
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            with pytest.raises(UpstreamError):
                await fail(gates, call(budget=DOLLAR), UpstreamError(failure, "a failure"))
            assert sums(redis) == (owed * CENT, 0)

    asyncio.run(run())


def test_requests_a_minute_are_counted_over_processes(open_gates: OpenGates) -> None:
    async def run() -> None:
        async with open_gates() as one, open_gates() as other:
            at = upstream(requests_per_minute=5)
            for gates in (one, other, one, other, one):
                async with gates.admit(call(at=at)) as permit:
                    await permit.settle(USED)
            with pytest.raises(Refused, match="reached its limit for this minute") as refused:
                async with other.admit(call(at=at, patience=0.5)):
                    pass
            assert (refused.value.status, refused.value.reason) == (429, Reason.RATE)
            assert refused.value.retry_after is not None
            assert 0.5 < refused.value.retry_after <= 121

    asyncio.run(run())


def test_tokens_a_minute_are_counted_as_reserved_and_corrected_by_usage(open_gates: OpenGates) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            at = upstream(tokens_per_minute=20)
            for _ in range(3):  # 10 reserved, 4 used: 4, 8, 12
                async with gates.admit(call(at=at, patience=0.2)) as permit:
                    await permit.mark_sent()
                    await permit.settle(USED)
            with pytest.raises(Refused, match="for this minute"):
                async with gates.admit(call(at=at, patience=0.2)):
                    pass
            too_long = Estimate(input_tokens=16, output_tokens=5)
            with pytest.raises(Refused, match="this call alone may use more") as refused:
                async with gates.admit(call(at=at, estimate=too_long)):
                    pass
            assert refused.value.retry_after is None

    asyncio.run(run())


def test_concurrent_calls_never_pass_the_permits_of_an_upstream(open_gates: OpenGates) -> None:
    async def run() -> None:
        at = upstream(start_permits=3, most_permits=3)
        running = most = 0

        async def one(gates: SharedGates) -> None:
            nonlocal running, most
            async with gates.admit(call(at=at)) as permit:
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.02)
                running -= 1
                await permit.settle(USED)

        async with open_gates() as left, open_gates() as right:
            await asyncio.gather(*(one(gates) for gates in (left, right) for _ in range(15)))
        assert most == 3

    asyncio.run(run())


def test_teams_take_turns(open_gates: OpenGates) -> None:
    async def run() -> list[str]:
        at = upstream(start_permits=1, most_permits=1)
        order: list[str] = []

        async def one(gates: SharedGates, team: str) -> None:
            async with gates.admit(call(at=at, team=team, patience=20)) as permit:
                order.append(team)
                await permit.settle(USED)

        async with open_gates() as left, open_gates() as right:
            async with left.admit(call(at=at, team="first")) as permit:
                many = [asyncio.create_task(one(left, "greedy")) for _ in range(12)]
                await asyncio.sleep(0.3)
                few = [asyncio.create_task(one(right, "modest")) for _ in range(3)]
                await asyncio.sleep(0.3)
                await permit.settle(USED)
            await asyncio.gather(*many, *few)
        return order

    order = asyncio.run(run())
    assert order.count("greedy") == 12
    assert max(place for place, team in enumerate(order) if team == "modest") <= 6


def test_one_who_gives_up_waiting_leaves_the_turn_to_the_next(
    open_gates: OpenGates, redis: "Redis[Any]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "POLL_SECONDS", 60.0)  # no call asks again by itself

    async def run() -> None:
        at = upstream(start_permits=1, most_permits=1)

        async def one(patience: float) -> float:
            async with gates.admit(call(at=at, patience=patience)) as permit:
                await permit.settle(USED)
                return permit.waited

        async with open_gates() as gates:
            async with gates.admit(call(at=at)) as permit:
                cancelled = asyncio.create_task(one(10))
                await asyncio.sleep(0.1)
                impatient = asyncio.create_task(one(0.2))
                last = asyncio.create_task(one(10))
                with pytest.raises(Refused, match="no free place") as refused:
                    await impatient
                assert (refused.value.status, refused.value.reason) == (429, Reason.BUSY)
                cancelled.cancel()
                await asyncio.sleep(0.2)
                await permit.settle(USED)
            began = time.monotonic()
            await last
            assert time.monotonic() - began < 8
        assert redis.keys("*tickets*") == []

    asyncio.run(run())


def test_a_429_cuts_the_permits_once_in_an_episode_and_holds_calls_back_as_long_as_it_asks(
    open_gates: OpenGates, redis: "Redis[Any]"
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            for _ in range(3):
                with pytest.raises(UpstreamError):
                    await fail(gates, call(), UpstreamError(Failure.RATE_LIMITED, "429", retry_after=0.3))
            assert limit(redis) == 8  # of ten
            async with gates.admit(call()) as permit:
                assert permit.waited > 0.2

    asyncio.run(run())


def test_the_breaker_opens_after_failures_in_a_row_and_one_probe_closes_it(open_gates: OpenGates) -> None:
    async def break_(gates: SharedGates) -> None:
        with pytest.raises(UpstreamError):
            await fail(gates, call(), UpstreamError(Failure.SERVER, "500"))

    async def run() -> None:
        async with open_gates() as gates, open_gates() as other:
            for _ in range(QUICK.breaker_failures):
                await break_(gates)
            with pytest.raises(Refused, match="keeps failing") as refused:
                async with other.admit(call()):
                    pass
            assert (refused.value.status, refused.value.reason) == (503, Reason.BREAKER)
            assert refused.value.retry_after is not None
            await asyncio.sleep(QUICK.breaker_pause)
            async with gates.admit(call()) as probe:
                with pytest.raises(Refused, match="keeps failing"):
                    async with other.admit(call()):
                        pass
                await probe.mark_sent()
                await probe.settle(USED)
            async with other.admit(call()) as permit:
                await permit.settle(USED)

            for _ in range(QUICK.breaker_failures):
                await break_(gates)
            await asyncio.sleep(QUICK.breaker_pause)
            await break_(other)  # the probe: open at once
            with pytest.raises(Refused, match="keeps failing"):
                async with gates.admit(call()):
                    pass

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UpstreamError(Failure.SERVER, "500"), Reason.BREAKER),
        (UpstreamError(Failure.RATE_LIMITED, "429", retry_after=86_400), Reason.RATE),
    ],
)
def test_a_failing_model_stops_no_other_of_its_account(
    open_gates: OpenGates, error: UpstreamError, reason: Reason
) -> None:
    async def run() -> None:
        async with open_gates() as gates, gates.admit(call()) as early:
            await early.mark_sent()
            for _ in range(QUICK.breaker_failures if reason is Reason.BREAKER else 1):
                with pytest.raises(UpstreamError):
                    await fail(gates, call(), error)
            with pytest.raises(Refused) as refused:
                async with gates.admit(call()):
                    pass
            assert refused.value.reason is reason
            assert refused.value.retry_after is not None
            assert refused.value.retry_after <= 60
            for team in ("lynx", "puma"):
                async with gates.admit(dataclasses.replace(call(team=team), model="other")) as permit:
                    await permit.settle(USED)
            await early.settle(USED)

    asyncio.run(run())


def test_rate_limits_never_open_the_breaker(open_gates: OpenGates) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            for _ in range(3 * QUICK.breaker_failures):
                with pytest.raises(UpstreamError):
                    await fail(gates, call(), UpstreamError(Failure.RATE_LIMITED, "UNAVAILABLE"))

    asyncio.run(run())


def test_identical_errors_stop_the_team_that_gets_them_and_nobody_else(open_gates: OpenGates) -> None:
    async def reject(gates: SharedGates, detail: str) -> None:
        with pytest.raises(UpstreamError):
            await fail(gates, call(), UpstreamError(Failure.REJECTED, detail))

    async def run() -> None:
        async with open_gates() as gates:
            for detail in ("400 a", "400 b") * QUICK.identical_errors:
                await reject(gates, detail)  # not identical
            for _ in range(QUICK.identical_errors):
                await reject(gates, "400 c")
            with pytest.raises(Refused, match="the same error again and again: 400 c") as refused:
                async with gates.admit(call()):
                    pass
            assert refused.value.reason is Reason.IDENTICAL_ERRORS
            async with gates.admit(call(team="puma")) as permit:
                await permit.settle(USED)
            await asyncio.sleep(QUICK.identical_pause)
            async with gates.admit(call()) as permit:
                await permit.settle(USED)

    asyncio.run(run())


def test_nothing_of_a_call_stays_in_redis_but_sums(open_gates: OpenGates, redis: "Redis[Any]") -> None:
    async def run() -> None:
        async with open_gates() as gates:
            for _ in range(20):
                async with gates.admit(call(budget=10 * DOLLAR)) as permit:
                    await permit.mark_sent()
                    await permit.settle(USED)

    asyncio.run(run())
    left = {key.decode().split("|")[1] for key in redis.keys("*")}
    assert left <= {"ledger", "budget", "upstream", "served", "serves", "arrivals", "settlements"}
    assert redis.xlen("tetrad:{gateway}|settlements") == 0


def limit(redis: "Redis[Any]") -> int:
    return int(redis.hget("tetrad:{gateway}|upstream|provider/main", "limit") or 0)


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(100):
        if is_so():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it is still not so")


async def fail(gates: SharedGates, failing: Call, error: Exception) -> None:
    async with gates.admit(failing) as permit:
        await permit.mark_sent()
        raise error

"""Retries and fallback, over gates without Redis."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from statistics import median

import pytest

from inference_gateway.gates import (
    Call,
    Estimate,
    Failure,
    GateSettings,
    Permit,
    Reason,
    Refused,
    Upstream,
    UpstreamError,
)
from inference_gateway.gates.attempts import Attempted, RetryPolicy, attempt_routes
from inference_gateway.gates.local import LocalGates

QUICK = RetryPolicy(attempts=4, total_wait=2.0, first_wait=0.02, longest_wait=0.1)
CALL = Call(
    team="lynx",
    token="t",
    model="m",
    upstream=Upstream(account="one"),
    estimate=Estimate(input_tokens=1, output_tokens=1),
    patience=0.2,
)
OTHER = replace(CALL, upstream=Upstream(account="other"))
Attempt = Callable[[Call, Permit], Awaitable[str]]


def answers(*told: Exception | str, asked: list[str]) -> Attempt:
    """Return an attempt with one outcome after the other; `asked` becomes the accounts that were asked."""
    left = list(told)

    async def attempt(route: Call, permit: Permit) -> str:
        await permit.mark_sent()
        asked.append(route.upstream.account)
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return attempt


def run(
    attempt: Attempt, routes: Sequence[Call] = (CALL,), policy: RetryPolicy = QUICK, gates: LocalGates | None = None
) -> Attempted[str]:
    async def one() -> Attempted[str]:
        async with attempt_routes(gates or LocalGates(GateSettings()), routes, attempt, policy) as found:
            await found.permit.settle(None)
            return found

    return asyncio.run(one())


def test_a_failure_is_tried_again_until_it_goes_well() -> None:
    waited = []
    for _ in range(3):  # a machine may pause once
        asked: list[str] = []
        failures = UpstreamError(Failure.SERVER, "500"), UpstreamError(Failure.CONNECTION, "reset")
        found = run(answers(*failures, "ok", asked=asked))
        assert (found.value, found.attempts, asked) == ("ok", 3, ["one"] * 3)
        waited.append(found.waited)
    assert min(waited) >= 0.03  # 0.01 to 0.02, then 0.02 to 0.04
    assert median(waited) < 1


def test_attempts_are_capped_over_all_routes() -> None:
    asked: list[str] = []
    failures = [UpstreamError(Failure.SERVER, str(number)) for number in range(9)]
    with pytest.raises(UpstreamError, match="server: 3"):
        run(answers(*failures, asked=asked), (CALL, OTHER))
    assert asked == ["one", "other", "one", "other"]


@pytest.mark.parametrize("retry_after", [2.5, 3600.0])
def test_a_wait_beyond_the_total_is_not_begun(retry_after: float) -> None:
    asked: list[str] = []
    began = time.monotonic()
    with pytest.raises(UpstreamError):
        run(answers(UpstreamError(Failure.RATE_LIMITED, "429", retry_after=retry_after), "ok", asked=asked))
    assert time.monotonic() - began < min(retry_after, 20)
    assert asked == ["one"]


def test_what_the_upstream_asks_for_is_waited_for() -> None:
    asked: list[str] = []
    found = run(answers(UpstreamError(Failure.RATE_LIMITED, "429", retry_after=0.5), "ok", asked=asked))
    assert found.waited >= 0.5


def test_a_rejected_call_is_never_tried_again() -> None:
    asked: list[str] = []
    with pytest.raises(UpstreamError):
        run(answers(UpstreamError(Failure.REJECTED, "400"), "ok", asked=asked), (CALL, OTHER))
    assert asked == ["one"]


def test_a_time_out_is_tried_at_another_address_only() -> None:
    asked: list[str] = []
    timed_out = UpstreamError(Failure.TIMEOUT, "60 s")
    assert run(answers(timed_out, UpstreamError(Failure.SERVER, "500"), "ok", asked=asked), (CALL, OTHER)).value == "ok"
    assert asked == ["one", "other", "other"]
    with pytest.raises(UpstreamError, match="60 s"):
        run(answers(timed_out, "ok", asked=[]))


def test_a_route_that_refuses_is_passed_over_and_a_budget_refuses_all() -> None:
    class Refusing(LocalGates):
        reason = Reason.BREAKER

        def admit(self, call: Call):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as it is there
            if call.upstream.account == "one":
                raise Refused(self.reason, "model", call.model, "is refused", "wait", 3)
            return super().admit(call)

    gates = Refusing(GateSettings())
    asked: list[str] = []
    assert run(answers("ok", asked=asked), (CALL, OTHER), gates=gates).route.upstream == OTHER.upstream
    assert asked == ["other"]
    with pytest.raises(Refused) as refused:
        run(answers("ok", asked=asked), (CALL,), gates=gates)
    assert refused.value.retry_after == 3
    gates.reason = Reason.BUDGET
    with pytest.raises(Refused):
        run(answers("ok", asked=asked), (CALL, OTHER), gates=gates)
    assert asked == ["other"]


def test_nothing_is_tried_again_after_an_attempt_has_returned() -> None:
    asked: list[str] = []

    async def one() -> None:
        gates = LocalGates(GateSettings())
        async with attempt_routes(gates, (CALL,), answers("first piece", "again", asked=asked), QUICK):
            raise UpstreamError(Failure.CONNECTION, "cut")

    with pytest.raises(UpstreamError, match="cut"):
        asyncio.run(one())
    assert asked == ["one"]


def test_the_permit_is_held_until_the_block_ends() -> None:
    narrow = replace(CALL, upstream=Upstream(account="narrow", local_permits=1))

    async def one() -> None:
        gates = LocalGates(GateSettings())
        async with attempt_routes(gates, (narrow,), answers("ok", asked=[]), QUICK):
            assert gates.permits == 1
            with pytest.raises(Refused, match="no free place"):
                async with gates.admit(narrow):
                    pass
        assert gates.permits == 0
        async with gates.admit(narrow):
            pass

    asyncio.run(one())


def test_no_route_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="routes: the list is empty"):
        run(answers("ok", asked=[]), ())

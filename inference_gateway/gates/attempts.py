"""Retries and fallback: one layer, with hard caps on attempts and on the total wait.

Fallback goes to the next route at once; when every route has failed, the next attempt waits. A route is a call of the
same model at another address. Each attempt is admitted, reserved and settled by itself. After an attempt has returned
(for a stream: its first byte) nothing is tried again.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Generic, TypeVar

from inference_gateway.gates import Call, Failure, Gates, Permit, Reason, Refused, UpstreamError

R = TypeVar("R")
RETRIED = frozenset({Failure.RATE_LIMITED, Failure.SERVER, Failure.TIMEOUT, Failure.CONNECTION})
OF_THE_ROUTE = frozenset({Reason.RATE, Reason.BUSY, Reason.BREAKER, Reason.IDENTICAL_ERRORS})

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """`attempts`: all together, over every route. `total_wait`: seconds for permits and between attempts."""

    attempts: int = 4
    total_wait: float = 60.0
    first_wait: float = 0.5
    longest_wait: float = 20.0

    def wait(self, rounds: int, retry_after: float | None) -> float:
        """Return the seconds before round `rounds` (from 1): what was asked for, else twice the last with jitter."""
        most = min(self.longest_wait, self.first_wait * 2 ** (rounds - 1))
        return max(retry_after or 0.0, random.uniform(most / 2, most))


@dataclass(frozen=True, kw_only=True)
class Attempted(Generic[R]):
    """What the successful attempt returned, its permit (still held), its route, and what it took to get there."""

    value: R
    permit: Permit
    route: Call
    attempts: int
    waited: float


@asynccontextmanager
async def attempted(
    gates: Gates,
    routes: Sequence[Call],
    attempt: Callable[[Call, Permit], Awaitable[R]],
    policy: RetryPolicy | None = None,
) -> AsyncIterator[Attempted[R]]:
    """Give the first success among attempts, with its permit held during the block, which settles it.

    Raises:
        Refused: no route let the call pass, or none may.
        UpstreamError: the last failure, when retries are spent or would not help.
        ValueError: there is no route.
    """
    if not routes:
        raise ValueError("routes: there is none; give the model's own call first")
    async with AsyncExitStack() as held:
        yield await _Attempts(gates, routes, attempt, policy or RetryPolicy(), held).first_success()


class _Attempts(Generic[R]):
    """The attempts of one call."""

    def __init__(
        self,
        gates: Gates,
        routes: Sequence[Call],
        attempt: Callable[[Call, Permit], Awaitable[R]],
        policy: RetryPolicy,
        held: AsyncExitStack,
    ) -> None:
        self._gates = gates
        self._routes = routes
        self._attempt = attempt
        self._policy = policy
        self._held = held
        self._made = 0
        self._waited = 0.0

    async def first_success(self) -> Attempted[R]:
        rounds = 0
        while True:
            rounds += 1
            error = await self._round()
            if isinstance(error, Attempted):
                return error
            wait = self._policy.wait(rounds, getattr(error, "retry_after", None))
            if self._made >= self._policy.attempts or self._waited + wait > self._policy.total_wait:
                raise error
            log.info("an attempt is made again", extra={"attempt": self._made + 1, "wait": wait, "reason": str(error)})
            self._waited += wait
            await asyncio.sleep(wait)

    async def _round(self) -> Attempted[R] | UpstreamError:
        """Try each route once: return the success, or the failure that may be tried again."""
        failure: UpstreamError | None = None
        refusal: Refused | None = None
        for route in self._routes:
            if failure and self._made >= self._policy.attempts:
                break
            try:
                return await self._one(route)
            except UpstreamError as error:
                if error.failure not in RETRIED:
                    raise
                failure = error
            except Refused as error:
                if error.reason not in OF_THE_ROUTE:
                    raise
                refusal = error
        if failure is None:
            assert refusal is not None  # noqa: S101 - a round that returned nothing had a failure or a refusal
            raise refusal
        return failure

    async def _one(self, route: Call) -> Attempted[R]:
        patience = max(0.0, min(route.patience, self._policy.total_wait - self._waited))
        call = replace(route, attempt=self._made + 1, patience=patience)
        began = monotonic()
        async with AsyncExitStack() as holding:
            try:
                permit = await holding.enter_async_context(self._gates.admitted(call))
            finally:
                self._waited += monotonic() - began
            self._made += 1
            value = await self._attempt(call, permit)
            self._held.push_async_exit(holding.pop_all())
            return Attempted(value=value, permit=permit, route=call, attempts=self._made, waited=self._waited)

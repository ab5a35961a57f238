"""Retries and fallback: one layer, with hard caps on attempts and on the total wait.

Fallback goes to the next route at once; when every route has failed, the next round waits. A route is a call of the
same model at another address. Each attempt is admitted, reserved and settled by itself. After an attempt has returned
(for a stream: its first piece) nothing is tried again.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Generic, TypeVar

from inference_gateway.gates import Call, Failure, Gates, Permit, Reason, Refused, UpstreamError
from tetrad.server.request_ids import waiting_for

R = TypeVar("R")
REFUSED_BY_ROUTE = frozenset({Reason.RATE, Reason.BUSY, Reason.BREAKER, Reason.IDENTICAL_ERRORS})

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """`attempts`: all together, over every route. `total_wait`: seconds for permits and between rounds."""

    attempts: int = 4
    total_wait: float = 60.0
    first_wait: float = 0.5
    longest_wait: float = 20.0

    def wait(self, rounds: int, retry_after: float | None) -> float:
        """Return the seconds to wait after so many rounds: those asked for, or twice as long each time, with jitter."""
        most = min(self.longest_wait, self.first_wait * 2 ** (rounds - 1))
        return max(retry_after or 0.0, random.uniform(most / 2, most))


@dataclass(frozen=True, kw_only=True)
class Attempted(Generic[R]):
    """The successful attempt: its result, its permit (still held), its route, and the number of attempts and waits."""

    value: R
    permit: Permit
    route: Call
    attempts: int
    waited: float


@asynccontextmanager
async def attempt_routes(
    gates: Gates,
    routes: Sequence[Call],
    attempt: Callable[[Call, Permit], Awaitable[R]],
    policy: RetryPolicy | None = None,
) -> AsyncIterator[Attempted[R]]:
    """Give the first success among attempts; its permit is held during the block, which settles it.

    Raises:
        Refused: no route let the call pass.
        UpstreamError: the last failure: attempts or waits are used up, or another attempt would not help.
        ValueError: there is no route.
    """
    if not routes:
        raise ValueError("routes: the list is empty; give the model's own call first")
    attempts = _Attempts(gates, list(routes), attempt, policy or RetryPolicy())
    async with attempts.held:
        yield await attempts.first_success()


@dataclass
class _Attempts(Generic[R]):
    """The attempts of one call, so far."""

    gates: Gates
    routes: list[Call]
    attempt: Callable[[Call, Permit], Awaitable[R]]
    policy: RetryPolicy
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    made: int = 0
    has_tried_once_more: bool = False
    waited: float = 0.0

    async def first_success(self) -> Attempted[R]:
        rounds = 0
        while True:
            rounds += 1
            found = await self._try_routes()
            if isinstance(found, Attempted):
                return found
            wait = self.policy.wait(rounds, found.retry_after)
            if not self.routes or self.made >= self.policy.attempts or self.waited + wait > self.policy.total_wait:
                raise found
            log.info("waiting before another attempt", extra={"attempt": self.made + 1, "seconds": round(wait, 3)})
            began = monotonic()
            with waiting_for("gate"):
                await asyncio.sleep(wait)  # it may end a little early or late
            self.waited += monotonic() - began

    async def _try_routes(self) -> Attempted[R] | UpstreamError:
        """Try each route once: return the success, or the last failure that may be tried again."""
        failure: UpstreamError | None = None
        refusal: Refused | None = None
        for route in list(self.routes):
            if self.made >= self.policy.attempts:
                break
            try:
                return await self._try_route(route)
            except UpstreamError as error:
                if error.failure is Failure.REJECTED or (error.once_more and self.has_tried_once_more):
                    raise
                self.has_tried_once_more |= error.once_more
                if error.failure is Failure.TIMEOUT:  # it is billed, and would take as long again
                    self.routes.remove(route)
                failure = error
            except Refused as error:
                if error.reason not in REFUSED_BY_ROUTE:
                    raise
                refusal = error
        if failure is not None:
            return failure
        raise refusal or AssertionError("a round has an outcome")

    async def _try_route(self, route: Call) -> Attempted[R]:
        patience = max(0.0, min(route.patience, self.policy.total_wait - self.waited))
        call = replace(route, attempt=self.made + 1, patience=patience)
        began = monotonic()
        async with AsyncExitStack() as holding:
            try:
                with waiting_for("gate"):
                    permit = await holding.enter_async_context(self.gates.admit(call))
            finally:
                self.waited += monotonic() - began
            self.made += 1
            value = await self.attempt(call, permit)
            await self.held.enter_async_context(holding.pop_all())
            return Attempted(value=value, permit=permit, route=call, attempts=self.made, waited=self.waited)

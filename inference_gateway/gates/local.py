"""The gates without Redis: a fixed number of concurrent calls for each process and upstream, and no priced calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from time import monotonic

from inference_gateway.gates import (
    Call,
    GateSettings,
    LedgerState,
    Permit,
    Reason,
    Refused,
    Settled,
    UpstreamError,
)
from inference_gateway.gates.pictures import PictureBudget
from inference_gateway.gates.replies import Replies
from inference_gateway.usage import Usage


class LocalPermit:
    """A permit of this process, for an unpriced call."""

    def __init__(self, call: Call, permit_id: str, waited: float) -> None:
        self._call = call
        self.id = permit_id
        self.waited = waited

    async def mark_sent(self) -> None:
        """Do nothing: an unpriced call has no reservation."""

    async def settle(self, usage: Usage | None) -> Settled:
        return Settled(id=self.id, cost=0, reserved=0, odd=usage is not None and self._call.is_odd(usage))

    async def fail(self, error: UpstreamError) -> Settled:  # noqa: ARG002 - nothing is owed
        return Settled(id=self.id, cost=0, reserved=0)


class LocalGates:
    """The gates for calls while Redis is away or none is configured."""

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self.pictures = PictureBudget(settings.picture_bytes)
        self.replies = Replies(None, "")
        self._permits: dict[str, asyncio.Semaphore] = {}
        self._numbers = count(1)
        self.permits = 0

    @property
    def ledger_state(self) -> LedgerState:
        return "none"

    async def start(self) -> None:
        """Do nothing: there is no work in the background."""

    async def stop(self) -> None:
        """End the calls whose callers have left."""
        await self.replies.close()

    @asynccontextmanager
    async def admit(self, call: Call) -> AsyncIterator[Permit]:
        """Hold one of the upstream's local permits during the block.

        Raises:
            Refused: the call is priced, or no permit became free within its patience.
        """
        if call.price is not None:
            raise refuse_unbooked(call, self._settings.retry_away)
        began = monotonic()
        account = call.upstream.account
        permits = self._permits.setdefault(account, asyncio.Semaphore(call.upstream.local_permits))
        try:
            async with asyncio.timeout(call.patience):
                await permits.acquire()
        except TimeoutError as error:
            raise refuse_busy(call, call.patience) from error
        self.permits += 1
        try:
            yield LocalPermit(call, f"local.{next(self._numbers)}", monotonic() - began)
        finally:
            self.permits -= 1
            permits.release()


def refuse_busy(call: Call, waited: float) -> Refused:
    """Return the refusal of a call whose turn did not come."""
    problem = f"had no free place for this call within {waited:.1f} seconds"
    remedy = "send fewer calls at once, or wait"
    return Refused(Reason.BUSY, "model", call.model, problem=problem, remedy=remedy, retry_after=5)


def refuse_unbooked(call: Call, retry_after: float) -> Refused:
    """Return the refusal of a priced call that can't be booked."""
    problem = "costs money and can't be booked now"
    remedy = "try again in a while; models without a price still answer"
    return Refused(Reason.LEDGER_AWAY, "model", call.model, problem=problem, remedy=remedy, retry_after=retry_after)

"""Gates that let every call pass, for a gateway without Redis: nothing is counted, so no budget can hold.

A call of a token with a budget is refused here, and so is nothing else.
"""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from inference_gateway.gates import Call, Permit, Reason, Refused, Settled, UpstreamError, Usage


class Ungated:
    """Every call passes at once. It keeps no ledger."""

    def admitted(self, call: Call) -> AbstractAsyncContextManager[Permit]:
        """Let the call pass; Refused where a budget would have to hold."""
        return _admitted(call)

    async def start(self) -> None:
        """Begin nothing: there is no work in the background."""

    async def stop(self) -> None:
        """End nothing."""


@asynccontextmanager
async def _admitted(call: Call) -> AsyncIterator[Permit]:
    if call.budgets and call.reservation:
        problem = "has a budget, and this gateway has no ledger to hold it"
        remedy = "tell the operator: a gateway needs Redis for that"
        raise Refused(Reason.LEDGER_AWAY, "token", call.token, problem, remedy, 60)
    yield _Passed(call)


class _Passed:
    def __init__(self, call: Call) -> None:
        self.id = secrets.token_hex(8)
        self.waited = 0.0
        self._call = call
        self._begun = time.monotonic()

    async def sent(self) -> None:
        """Keep nothing: there is no ledger."""

    async def settle(self, usage: Usage | None) -> Settled:
        reserved = self._call.reservation
        is_whole = usage is not None and usage.input_tokens is not None and usage.output_tokens is not None
        if self._call.price is None or usage is None or not is_whole:
            return Settled(id=self.id, cost=reserved, reserved=reserved, estimated=not is_whole)
        cost = self._call.price.cost(usage.input_tokens or 0, usage.output_tokens or 0, usage.cached_input_tokens)
        return Settled(id=self.id, cost=cost, reserved=reserved, over=cost > reserved)

    async def fail(self, error: UpstreamError) -> Settled:
        reserved = self._call.reservation
        return Settled(id=self.id, cost=reserved if error.billed else 0, reserved=reserved, estimated=error.billed)

"""A process of the gateway with many callers, who spend until the budget stops them: `REDIS DATABASE BILLS SEED ABOVE`.

BILLS is what the upstream bills, one line a call that reached it, written as the call arrives: whatever becomes of the
gateway. A line holds the amount and what of it was above the call's cap, in nanodollars. ABOVE is the share of calls
that take more than their cap.
"""

import asyncio
import os
import random
import sys
from dataclasses import dataclass

from inference_gateway.gates import Estimate, Reason, Refused
from inference_gateway.gates.shared import SharedGates
from inference_gateway.usage import Usage
from tests.integration.gateway.conftest import BUDGET, QUICK, DatabaseStore, call
from tetrad.server.database import make_engine

CALLERS = 25
CENT = 10**7
CAPACITY = Estimate(input_tokens=20, output_tokens=20)


@dataclass
class Upstream:
    """It bills at once and answers later; some calls take more than their cap."""

    bills: int
    rng: random.Random
    share_above: float

    async def answer(self) -> Usage:
        above = 7 if self.rng.random() < self.share_above else 0
        used = 10 + above if above else self.rng.randint(1, 10)
        os.write(self.bills, f"{used * CENT} {above * CENT}\n".encode())
        await asyncio.sleep(self.rng.uniform(0.01, 0.05))
        return Usage(input_tokens=1, output_tokens=used - 1)


async def spend(gates: SharedGates, upstream: Upstream, team: str) -> None:
    """Call until the budget refuses for good; a ledger that is away is waited for."""
    while True:
        try:
            async with gates.admit(call(team=team, spends_of=BUDGET, patience=2, capacity=CAPACITY)) as permit:
                await permit.mark_sent()
                await permit.settle(await upstream.answer())
        except Refused as refused:
            if refused.reason is Reason.BUDGET and refused.retry_after is None:
                return
            await asyncio.sleep(0.05)


async def main(redis: str, database: str, bills: str, seed: str, above: str) -> None:
    gates = SharedGates(redis, DatabaseStore(make_engine(f"sqlite:///{database}")), QUICK)
    file = os.open(bills, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    upstream = Upstream(file, random.Random(seed), float(above))
    await gates.start()
    print("ready", flush=True)  # noqa: T201 - whoever started it waits for this
    await asyncio.gather(*(spend(gates, upstream, f"team-{number % 5}") for number in range(CALLERS)))
    await gates.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

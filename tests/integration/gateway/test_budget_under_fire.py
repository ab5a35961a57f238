"""Fifty callers on two processes of the gateway spend one budget, while processes and Redis are killed.

What the upstream bills is the truth. The budget is passed by no more than what it billed above the caps of its calls.
"""

import asyncio
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.spending import read_spent
from inference_gateway.gates.shared import SharedGates
from tests.integration.gateway.conftest import (
    BUDGET,
    QUICK,
    SECONDS,
    DatabaseStore,
    Valkey,
    sums,
    until_open,
)
from tests.integration.gateway.spender import CALLERS, CENT
from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
RESERVATION = 10 * CENT
SHARED = "evaluation|shared"


class Fleet:
    """Processes of the gateway, and what the upstream billed them."""

    def __init__(self, url: str, store: DatabaseStore, folder: Path) -> None:
        self._url = url
        self._store = store
        self._bills = folder / "bills"
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, count: int, *, share_above: float = 1 / 30) -> None:
        for _ in range(count):
            numbers = [str(len(self.processes)), str(share_above)]
            arguments = [self._url, str(self._store.engine.url.database), str(self._bills), *numbers]
            command = [sys.executable, "-m", "tests.integration.gateway.spender", *arguments]
            self.processes.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        for process in self.processes[-count:]:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"

    def bills(self) -> list[tuple[int, int]]:
        if not self._bills.exists():
            return []
        lines = [line.split() for line in self._bills.read_text().splitlines()]
        return [(int(amount), int(above)) for amount, above in lines]

    def billed(self) -> int:
        return sum(amount for amount, _ in self.bills())

    def above_caps(self) -> int:
        return sum(above for _, above in self.bills())

    def wait_for(self, dollars: float) -> None:
        """Wait until the upstream has billed so much."""
        wait_until(lambda: self.billed() > dollars * 100 * CENT, SECONDS)

    def finish(self, *, of: slice = slice(None)) -> None:
        for process in self.processes[of]:
            assert process.wait(SECONDS) == 0

    def kill_all(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


@pytest.fixture
def fleet(own_valkey: Valkey, store: DatabaseStore, tmp_path: Path) -> Iterator[Fleet]:
    with ExitStack() as stack:
        fleet = Fleet(own_valkey.url, store, tmp_path)
        stack.callback(fleet.kill_all)
        yield fleet


def settled(store: DatabaseStore) -> int:
    return read_spent(store.engine, SHARED)


def check_bound(fleet: Fleet) -> None:
    """The budget held, and it was used: it refused no call that fitted."""
    assert fleet.billed() <= BUDGET.limit + fleet.above_caps()
    assert fleet.above_caps() > 0


def check_books(valkey: Valkey, fleet: Fleet, store: DatabaseStore) -> None:
    """The ledger and the database know every cent that was billed, and nothing is reserved any more."""
    with valkey.client() as redis:
        assert sums(redis, SHARED) == (fleet.billed(), 0)
    assert settled(store) == fleet.billed()


def take_back(valkey: Valkey, store: DatabaseStore) -> None:
    """Let another process take back what dead ones left."""

    async def run() -> None:
        gates = SharedGates(valkey.url, store, QUICK)
        await gates.start()
        await asyncio.sleep(2 * QUICK.lease)
        while await gates.ledger.send_orphans(older_than=-1):
            pass
        await gates.stop()

    asyncio.run(run())


def test_a_process_killed_in_flight_costs_at_most_the_calls_in_flight(
    own_valkey: Valkey, fleet: Fleet, store: DatabaseStore
) -> None:
    fleet.start(2, share_above=0)
    fleet.wait_for(4)
    fleet.processes[0].send_signal(signal.SIGKILL)
    fleet.finish(of=slice(1, 2))
    take_back(own_valkey, store)
    with own_valkey.client() as redis:
        booked, reserved = sums(redis, SHARED)
    assert reserved == 0
    assert settled(store) == booked
    assert fleet.billed() <= booked <= BUDGET.limit
    assert booked <= fleet.billed() + CALLERS * RESERVATION
    assert booked > BUDGET.limit - RESERVATION


def test_a_redis_that_is_flushed_then_empty_then_of_yesterday_is_rebuilt_each_time(
    own_valkey: Valkey, fleet: Fleet, store: DatabaseStore
) -> None:
    fleet.start(2)
    fleet.wait_for(3)
    with own_valkey.client() as redis:
        redis.save()
        copy = shutil.copy(own_valkey.folder / "dump.rdb", own_valkey.folder.parent / "old.rdb")
        fleet.wait_for(6)
        redis.flushall()
    fleet.wait_for(10)
    own_valkey.kill()
    (own_valkey.folder / "dump.rdb").unlink()
    time.sleep(0.5)
    own_valkey.start()
    fleet.wait_for(14)
    own_valkey.kill()
    shutil.copy(copy, own_valkey.folder / "dump.rdb")
    own_valkey.start()
    fleet.finish()
    check_bound(fleet)
    take_back(own_valkey, store)
    check_books(own_valkey, fleet, store)  # calls of the copy were settled long ago: they count once


def test_gateways_and_redis_that_die_together_and_start_again_pass_no_budget(
    own_valkey: Valkey, fleet: Fleet, store: DatabaseStore
) -> None:
    fleet.start(1)
    fleet.wait_for(5)
    with own_valkey.client() as redis:
        redis.save()
    fleet.processes[0].send_signal(signal.SIGKILL)
    own_valkey.kill()
    own_valkey.start()
    fleet.start(1)
    fleet.finish(of=slice(1, 2))
    # Calls that were in flight when both died at once may be billed and unknown.
    in_flight = CALLERS * RESERVATION
    assert BUDGET.limit - in_flight - RESERVATION < fleet.billed() <= BUDGET.limit + fleet.above_caps() + in_flight


def test_a_ledger_that_was_never_open_opens_with_the_sums_of_the_database(
    own_valkey: Valkey, fleet: Fleet, store: DatabaseStore
) -> None:
    fleet.start(1)
    fleet.finish()
    with own_valkey.client() as redis:
        redis.flushall()

        async def open_again() -> None:
            gates = SharedGates(own_valkey.url, store, QUICK)
            await gates.start()
            await until_open(gates, QUICK)
            await gates.stop()

        asyncio.run(open_again())
        assert sums(redis, SHARED) == (fleet.billed(), 0)

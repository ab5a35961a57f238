"""The ledger when Redis or the database is away, or lost what it held."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from api.spending import open_ledger, read_spent, record
from inference_gateway.gates import Reason, Refused
from inference_gateway.gates.api_ledger import ApiLedger
from inference_gateway.gates.ledger import LedgerStoreError
from inference_gateway.gates.local import LocalGates
from inference_gateway.gates.shared import SharedGates
from inference_gateway.usage import Usage
from tests.integration.gateway.conftest import (
    CENT,
    DOLLAR,
    LEDGER_TOKEN,
    QUICK,
    SECONDS,
    DatabaseStore,
    OpenGates,
    Valkey,
    call,
    served_api,
    sums,
    until_open,
    upstream,
)
from tests.waiting import wait_until
from tetrad.internal.spending import LedgerOpened, Settlement, SettlementsRecorded

USED = Usage(input_tokens=2, output_tokens=2)  # four cents
LYNX = "team|lynx"


class UnreachableStore(DatabaseStore):
    """The api's database behind a way that can be cut."""

    is_cut = False

    async def record(self, settlements: Sequence[Settlement]) -> SettlementsRecorded:
        self._check()
        return await super().record(settlements)

    async def open_ledger(self) -> LedgerOpened:
        self._check()
        return await super().open_ledger()

    def _check(self) -> None:
        if self.is_cut:
            raise LedgerStoreError("the api did not answer")


@asynccontextmanager
async def cut_off_gates(url: str, store: DatabaseStore) -> AsyncIterator[tuple[SharedGates, UnreachableStore]]:
    """Give gates with an open ledger whose way to the database is cut."""
    reached = UnreachableStore(store.engine)
    gates = SharedGates(url, reached, QUICK)
    await gates.start()
    await until_open(gates, QUICK)
    reached.is_cut = True
    yield gates, reached
    await gates.stop()


async def spend(gates: SharedGates) -> None:
    async with gates.admit(call(budget=DOLLAR)) as permit:
        await permit.mark_sent()
        await permit.settle(USED)


def test_a_call_in_flight_over_a_flush_is_reserved_in_the_new_ledger(
    open_gates: OpenGates, redis: "Redis[Any]"
) -> None:
    async def run() -> None:
        async with open_gates() as gates:
            await spend(gates)
            async with gates.admit(call(budget=DOLLAR)) as permit:
                await permit.mark_sent()
                redis.flushall()
                with pytest.raises(Refused) as refused:
                    await spend(gates)
                assert (refused.value.status, refused.value.reason) == (503, Reason.LEDGER_AWAY)
                assert refused.value.retry_after is not None
                await until_open(gates, QUICK)
                assert sums(redis) == (4 * CENT, 10 * CENT)
                await permit.settle(USED)
            assert sums(redis) == (8 * CENT, 0)

    asyncio.run(run())


def test_a_process_that_is_alone_opens_the_ledger_at_once_with_its_calls_in_flight(
    valkey: str, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    slow = replace(QUICK, renewal=60.0)  # nothing but the refused call makes it look again in time

    async def run() -> None:
        together = SharedGates(valkey, store, slow)
        await together.start()
        assert together.ledger_state == "closed", "another process may have calls in flight"
        await together.stop()
        alone = SharedGates(valkey, store, replace(slow, is_alone=True))
        await alone.start()
        assert alone.ledger_state == "open"
        async with alone.admit(call(budget=DOLLAR)) as permit:
            await permit.mark_sent()
            redis.flushall()
            with pytest.raises(Refused) as refused:
                await spend(alone)
            assert (refused.value.reason, refused.value.retry_after) == (Reason.LEDGER_AWAY, 1.0)
            await asyncio.to_thread(wait_until, lambda: sums(redis) == (0, 10 * CENT), SECONDS)
            await permit.settle(USED)
        await spend(alone)
        assert sums(redis) == (8 * CENT, 0)
        await alone.stop()

    asyncio.run(run())


def test_calls_in_flight_of_a_gateway_that_died_with_redis_keep_their_room(
    own_valkey: Valkey, store: DatabaseStore
) -> None:
    """They are reserved again in the new ledger, then booked there at once; the database's report doubles nothing."""

    async def die_with_a_call_in_flight() -> None:
        lost = UnreachableStore(store.engine)
        gates = SharedGates(own_valkey.url, lost, QUICK)
        await gates.start()
        await until_open(gates, QUICK)
        lost.is_cut = True
        async with gates.admit(call(budget=DOLLAR)) as permit:
            await permit.mark_sent()
            with own_valkey.client() as redis:
                redis.save()
            own_valkey.kill()
        await gates.stop()  # what it books now, it books nowhere

    async def start_again() -> None:
        own_valkey.start()
        gates = SharedGates(own_valkey.url, store, QUICK)
        await gates.start()
        await until_open(gates, QUICK)
        with own_valkey.client() as redis:
            await asyncio.to_thread(wait_until, lambda: sums(redis)[1] == 0, SECONDS)
            assert sums(redis) == (10 * CENT, 0)
            await gates.ledger.send_orphans(older_than=-1)
            assert sums(redis) == (10 * CENT, 0)
            redis.flushall()
            await until_open(gates, QUICK)
            assert sums(redis) == (10 * CENT, 0)
        await gates.stop()

    asyncio.run(die_with_a_call_in_flight())
    asyncio.run(start_again())
    assert read_spent(store.engine, LYNX) == 10 * CENT


class SlowStore(DatabaseStore):
    """The api's database, some way off."""

    async def open_ledger(self) -> LedgerOpened:
        await asyncio.sleep(0.2)
        return await super().open_ledger()


def test_of_two_processes_that_find_the_ledger_closed_one_opens_it(
    valkey: str, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    async def run() -> None:
        far = SlowStore(store.engine)
        one, other = SharedGates(valkey, far, QUICK), SharedGates(valkey, far, QUICK)
        await asyncio.gather(until_open(one, QUICK), until_open(other, QUICK))
        assert await other.ledger.open()
        assert redis.hget("tetrad:{gateway}|ledger", "epoch") == b"1"
        for each in (one, other):
            await each.stop()

    asyncio.run(run())


def test_a_settlement_that_arrives_after_the_sums_were_read_is_booked_before_and_once(
    open_gates: OpenGates, valkey: str, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    async def run() -> None:
        async with cut_off_gates(valkey, store) as (slow, reached):
            await spend(slow)
            redis.flushall()
            async with open_gates():
                assert sums(redis) == (4 * CENT, 0)
                reached.is_cut = False
                assert await slow.ledger.send()
                assert sums(redis) == (4 * CENT, 0)
        assert read_spent(store.engine, LYNX) == 4 * CENT

    asyncio.run(run())


def test_the_ledger_stays_closed_while_nobody_can_tell_what_a_day_has_cost(
    valkey: str, redis: "Redis[Any]", store: DatabaseStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    harmed = tmp_path / "harmed.days"
    harmed.write_bytes(b"no database" * 500)

    async def run() -> None:
        gates = SharedGates(valkey, store, replace(QUICK, is_alone=True, days_folder=str(tmp_path)))
        await gates.start()
        await asyncio.sleep(5 * QUICK.renewal)
        assert gates.ledger_state == "closed"
        harmed.unlink()
        await asyncio.to_thread(wait_until, lambda: gates.ledger_state == "open", SECONDS)
        await gates.stop()

    asyncio.run(run())
    (told,) = [record for record in caplog.records if record.message == "the ledger stays closed"]
    assert str(harmed) in told.reason  # type: ignore[attr-defined]


def test_settlements_wait_for_a_database_that_is_away(
    open_gates: OpenGates, valkey: str, redis: "Redis[Any]", store: DatabaseStore
) -> None:
    async def run() -> None:
        async with cut_off_gates(valkey, store) as (gates, _):
            for _ in range(3):
                await spend(gates)  # it dies with them
        assert read_spent(store.engine, LYNX) == 0
        assert redis.xlen("tetrad:{gateway}|settlements") == 3
        async with open_gates() as other:
            assert await other.ledger.send_orphans(older_than=-1) == 3
        assert read_spent(store.engine, LYNX) == 12 * CENT
        assert redis.xlen("tetrad:{gateway}|settlements") == 0

    asyncio.run(run())


def test_a_gateway_with_too_many_settlements_kept_back_refuses_priced_calls(
    valkey: str, redis: "Redis[Any]", store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inference_gateway.gates.ledger.MOST_UNSENT", 2)

    async def run() -> None:
        async with cut_off_gates(valkey, store) as (gates, _):
            await spend(gates)
            await spend(gates)
            with pytest.raises(Refused, match="can't be booked now"):
                await spend(gates)
            async with gates.admit(call(price=None)) as permit:
                await permit.settle(USED)

    asyncio.run(run())


def test_while_redis_is_away_priced_calls_are_refused_and_others_go_on_under_local_caps(
    open_gates: OpenGates, own_valkey: Valkey, store: DatabaseStore
) -> None:
    async def run() -> None:
        async with open_gates(url=own_valkey.url) as gates:
            async with gates.admit(call(budget=DOLLAR)) as in_flight:
                await in_flight.mark_sent()
                assert gates.permits == 1
                own_valkey.kill()
                with pytest.raises(Refused, match="can't be booked now") as refused:
                    await spend(gates)
                assert refused.value.status == 503
                assert refused.value.retry_after == QUICK.retry_away
                await check_local_caps(gates)
                assert gates.is_away
                await in_flight.settle(USED)
            own_valkey.start()
            for _ in range(100):
                if not gates.is_away:
                    break
                await asyncio.sleep(0.05)
            await until_open(gates, QUICK)
            with own_valkey.client() as redis:
                await asyncio.to_thread(wait_until, lambda: sums(redis) == (4 * CENT, 0), SECONDS)
                await spend(gates)
                assert sums(redis) == (8 * CENT, 0)
        assert read_spent(store.engine, LYNX) == 8 * CENT

    asyncio.run(run())


async def check_local_caps(gates: SharedGates | LocalGates) -> None:
    before = gates.permits
    free = call(price=None, at=upstream(local_permits=2), patience=0.2)
    async with gates.admit(free), gates.admit(free):
        assert gates.permits == before + 2
        with pytest.raises(Refused, match="no free place") as refused:
            async with gates.admit(free):
                pass
        assert refused.value.reason is Reason.BUSY
    async with gates.admit(free) as permit:
        await permit.settle(USED)


def test_gates_without_redis_have_local_caps_and_no_priced_calls() -> None:
    async def run() -> None:
        gates = LocalGates(QUICK)
        await check_local_caps(gates)
        with pytest.raises(Refused) as refused:
            async with gates.admit(call()):
                pass
        assert refused.value.reason is Reason.LEDGER_AWAY

    asyncio.run(run())


def settlement(name: str, *, epoch: int, cost: int, estimated: bool = False) -> Settlement:
    return Settlement(
        id=name, epoch=epoch, at=1, cost=cost, estimated=estimated, budgets=[LYNX], team="lynx", account="a", model="m"
    )


def grown_by(store: DatabaseStore, *made: Settlement) -> list[tuple[int, int, bool]]:
    """Record settlements; return how the sums have grown by each since the epoch began, and whether it is late."""
    return [(kept.grown, kept.estimates_grown, kept.is_late) for kept in record(store.engine, made).kept]


def test_the_database_keeps_a_settlement_once_and_corrects_an_estimate_only(store: DatabaseStore) -> None:
    engine = store.engine
    first = settlement("one", epoch=0, cost=10, estimated=True)
    assert grown_by(store, first, first) == [(10, 10, False), (10, 10, False)]
    assert open_ledger(engine).epoch == 1
    assert grown_by(store, first) == [(0, 0, True)], "the sums at the beginning held it"
    measured = settlement("one", epoch=0, cost=4)
    assert grown_by(store, measured) == [(-6, -10, True)]
    assert grown_by(store, measured, first) == [(-6, -10, True)] * 2, "the same answer, however often it is sent"
    assert grown_by(store, settlement("two", epoch=1, cost=5)) == [(5, 0, False)]
    assert grown_by(store, settlement("three", epoch=1, cost=3, estimated=True)) == [(3, 3, False)]
    assert read_spent(engine, LYNX) == 12
    opened = open_ledger(engine)
    assert (opened.epoch, [(each.budget, each.spent, each.estimated) for each in opened.spent]) == (2, [(LYNX, 12, 3)])


@pytest.fixture(scope="module")
def api_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_api(tmp_path_factory.mktemp("api")) as url:
        yield url


def test_settlements_go_to_the_api_over_http(api_url: str, valkey: str, redis: "Redis[Any]") -> None:
    async def run() -> None:
        store = ApiLedger(api_url, LEDGER_TOKEN)
        gates = SharedGates(valkey, store, QUICK)
        await gates.start()
        await until_open(gates, QUICK)
        for _ in range(5):
            await spend(gates)
        assert await gates.ledger.send()
        redis.flushall()
        await until_open(gates, QUICK)
        assert sums(redis) == (20 * CENT, 0)
        await gates.stop()
        await store.close()

    asyncio.run(run())


def test_only_the_gateways_token_opens_the_ledger(api_url: str) -> None:
    async def run() -> None:
        other = ApiLedger(api_url, "another-token-0123456789-0123456789-0123")
        with pytest.raises(LedgerStoreError, match="403"):
            await other.open_ledger()
        await other.close()
        nobody = ApiLedger("http://127.0.0.1:9", LEDGER_TOKEN)
        with pytest.raises(LedgerStoreError, match="did not answer"):
            await nobody.open_ledger()
        await nobody.close()

    asyncio.run(run())

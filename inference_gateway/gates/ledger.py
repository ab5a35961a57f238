"""Settlements on their way to the api's database, and the ledger's way back from there.

A settlement is kept twice until the database has it: in the process that made it, and in a stream of Redis, from which
any process sends what a dead one left. Sending twice does no harm: the database knows a settlement by its id.

The ledger in Redis has an epoch. If Redis lost its data or was restarted, its ledger is closed, and priced calls are
refused. Running processes first register their calls in flight again, and what calls of a day have cost, for the time
of two renewals. A process that is alone has done so before it looks, and waits for nobody. Then the database adds one
to the epoch and returns its sums in one transaction, and the ledger opens with them.

The end of a call that began in an earlier epoch may be in these sums already, or not. The ledger books it at once, so
that at no moment there is room that isn't there. The database says with each such settlement how much its sums have
grown by it since the epoch began, and the ledger then books that instead (`confirm`, `unconfirmed.lua`).
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, Protocol

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from inference_gateway.gates import GateSettings
from inference_gateway.gates.day_record import DayRecord
from inference_gateway.gates.scripts import Scripts
from tetrad.internal.spending import LedgerOpened, Settlement, SettlementsRecorded

MOST_UNSENT = 10_000  # settlements that a process keeps: with more, priced calls are refused
BATCH = 200
OPENING_MS = 10_000  # the time that a process has for opening the ledger, before another one tries
ORPHAN_SECONDS = 20  # a settlement that lies in Redis for so long was left by a dead process

log = logging.getLogger(__name__)


class LedgerStoreError(Exception):
    """The api's database can't be reached or did not accept settlements."""


class LedgerStore(Protocol):
    """The store that keeps settlements for good."""

    async def record(self, settlements: Sequence[Settlement]) -> SettlementsRecorded:
        """Keep settlements, each once. Raises: LedgerStoreError: they can't be kept."""
        ...

    async def open_ledger(self) -> LedgerOpened:
        """Begin the next epoch and return its sums. Raises: LedgerStoreError: that can't be done."""
        ...


class Ledger:
    """Sends settlements and opens the ledger again."""

    def __init__(
        self,
        redis: "Redis[Any]",
        scripts: Scripts,
        store: LedgerStore | None,
        settings: GateSettings,
        *,
        days: DayRecord,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._redis = redis
        self._scripts = scripts
        self._store = store
        self._settings = settings
        self._days = days
        self._unsent: dict[str, Settlement] = {}
        self._entries: dict[str, str] = {}
        self._lock = asyncio.Lock()
        self._clock = clock
        self._closed: tuple[str, float] | None = None  # which closing this process sees, and since when

    @property
    def takes_more(self) -> bool:
        """Return whether this process can keep another settlement."""
        return self._store is not None and len(self._unsent) < MOST_UNSENT

    @property
    def is_kept(self) -> bool:
        """Return whether there is a store, so that this ledger can be open."""
        return self._store is not None

    @property
    def unsent(self) -> int:
        return len(self._unsent)

    def keep(self, made: Mapping[str, Any]) -> None:
        """Keep a settlement until the database has it."""
        settlement = settlement_of(made)
        self._unsent[settlement.id] = settlement
        if "entry" in made:
            self._entries[settlement.id] = _text(made["entry"])

    async def send(self) -> bool:
        """Send what this process keeps; return whether all of it is in the database."""
        if self._store is None:
            return not self._unsent
        async with self._lock:
            while self._unsent:
                batch = list(self._unsent.values())[:BATCH]
                try:
                    recorded = await self._store.record(batch)
                except LedgerStoreError as error:
                    log.warning(
                        "settlements can't be sent now; this process keeps them",
                        extra={"count": len(self._unsent), "reason": str(error)},
                    )
                    return False
                entries = {each.id: self._entries.get(each.id) for each in batch}
                if not await self._confirm(recorded, [entry for entry in entries.values() if entry]):
                    return False
                for each in batch:
                    if self._unsent.get(each.id) is each:
                        del self._unsent[each.id]
                    if self._entries.get(each.id) == entries[each.id]:
                        self._entries.pop(each.id, None)
        return True

    async def send_orphans(self, *, older_than: float = ORPHAN_SECONDS) -> int:
        """Send settlements that dead processes left in Redis; return their number."""
        if self._store is None:
            return 0
        seconds, _ = await self._redis.time()
        until = int((seconds - older_than) * 1000)
        found = await self._redis.xrange(self._settings.key_prefix + "|settlements", "-", str(until), BATCH)
        if not found:
            return 0
        left = [settlement_of(msgspec.msgpack.decode(fields[b"settlement"])) for _, fields in found]
        recorded = await self._store.record(left)
        return len(left) if await self._confirm(recorded, [_text(entry) for entry, _ in found]) else 0

    async def open(self) -> bool:
        """Take one step towards an open ledger; return whether it is open.

        Raises:
            RedisError: Redis is away.
            LedgerStoreError: the database is.
            DayRecordError: what calls have cost today can't be read.
        """
        found = await self._scripts.close_ledger()
        if found["state"] == "open":
            self._closed = None
            return True
        if self._closed is None or self._closed[0] != found["since"]:
            await self._register()
            self._closed = (found["since"], self._clock())
        registering = 0 if self._settings.is_alone else 2 * self._settings.renewal
        if self._store is None or self._clock() - self._closed[1] < registering:
            return False
        opening = self._settings.key_prefix + "|opening"
        if not await self._redis.set(opening, 1, nx=True, px=OPENING_MS):
            return False
        try:
            return await self._open_alone(self._store, found["since"])
        finally:
            await self._redis.delete(opening)

    async def _register(self) -> None:
        """Tell Redis, which may have lost it, what this process has not sent yet, and what calls have cost in a day."""
        unsent = msgspec.to_builtins(list(self._unsent.values()))
        days = [*self._days.own(), *await asyncio.to_thread(self._days.of_dead)]
        await self._scripts.run("adopt", {"calls": [], "settlements": unsent, "days": days, "lease": 0})

    async def _open_alone(self, store: LedgerStore, since: int) -> bool:
        """Open the ledger while no other process does: calls in flight would belong to an epoch that is over.

        `since`: the closing after which this process has registered. After another one it has to do so again.
        """
        found = await self._scripts.close_ledger()
        if found["state"] == "open":
            return True
        if found["since"] != since:
            return False
        if not await self.send():
            return False
        while await self.send_orphans(older_than=-1):
            pass
        run = await self._scripts.server_run()
        opened = await store.open_ledger()
        spent = [[each.budget, each.spent, each.estimated] for each in opened.spent]
        reply = await self._scripts.run("open_ledger", {"epoch": opened.epoch, "spent": spent, "run": run})
        if reply["opened"]:
            log.warning("the ledger is open again", extra={"epoch": opened.epoch, "budgets": len(spent)})
        return bool(reply["opened"])

    async def _confirm(self, recorded: SettlementsRecorded, entries: Sequence[str]) -> bool:
        """Tell Redis what the database keeps; return whether it was told. If not, the settlements are sent again."""
        told = {"epoch": recorded.epoch, "kept": msgspec.to_builtins(recorded.kept), "entries": entries}
        try:
            reply = await self._scripts.run("confirm", told)
        except RedisError as error:
            log.warning("settlements are in the database and not in Redis", extra={"reason": type(error).__name__})
            return False
        return bool(reply["confirmed"])


def settlement_of(made: Mapping[str, Any]) -> Settlement:
    """Return the settlement that a script wrote. Lua writes an empty map as an empty list."""
    fields = {name: made[name] for name in Settlement.__struct_fields__ if name in made}
    fields["budgets"] = list(made["budgets"] or [])
    return msgspec.convert(fields, Settlement, strict=False)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value

"""Generated histories of the ledger: its scripts on a real Valkey, and beside them a model of all that surrounds them.

A history is a generator that yields commands and gets their replies, so that many run at once over one connection. Its
clock, and the id of the server's run, are handed in. The model knows what the upstream really bills.
"""

import random
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from inference_gateway.gates.scripts import digest

LIMIT = 100
BUDGET, DAY = "evaluation|e", "day|d"
UNBOUND = 2**53 - 1
LIES = (0, 1, -5, 40, 2**53, -(2**53))
FALSE_SUMS = (0, 0, 0, -(2**62), 2**63 - 1)  # with the last one scripts fail in between
LEASE = 15_000
HOUR = 3_600_000
ACCOUNT = "a"
Command = tuple[Any, ...]
Step = Generator[Command, Any, Any]


@dataclass
class KnownCall:
    """A call that was admitted. `cost`: what the upstream bills, never more than `amount`."""

    amount: int
    cost: int
    epoch: int
    ended: bool = False
    reported: bool = False


@dataclass
class Row:
    cost: int
    estimated: bool
    changed_in: int
    before: int

    @property
    def estimates(self) -> int:
        return self.cost if self.estimated else 0


@dataclass
class Database:
    """The settlements and sums as `api.spending` keeps them."""

    epoch: int = 0
    rows: dict[str, Row] = field(default_factory=dict)

    def record(self, made: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        kept = []
        for each in made:
            known = self.rows.get(each["id"])
            is_changed = known is not None and known.changed_in == self.epoch
            before = 0 if known is None else known.before if is_changed else known.cost
            doubted = before if is_changed or (known is not None and known.estimated) else 0
            if known is None or (known.estimated and not each["estimated"]):
                known = self.rows[each["id"]] = Row(each["cost"], each["estimated"], self.epoch, before)
            kept.append({"id": each["id"], "budgets": [BUDGET, DAY], "grown": known.cost - before,
                         "estimates_grown": known.estimates - doubted, "estimated": known.estimated,
                         "is_late": each["epoch"] < self.epoch})  # fmt: skip
        return {"epoch": self.epoch, "kept": kept}

    def open(self) -> dict[str, Any]:
        self.epoch += 1
        sums = [self.spent(), self.estimates()]
        return {"epoch": self.epoch, "spent": [[BUDGET, *sums], [DAY, *sums]]}

    def spent(self) -> int:
        return sum(row.cost for row in self.rows.values())

    def estimates(self) -> int:
        return sum(row.estimates for row in self.rows.values())


@dataclass
class TakenDatabase(Database):
    """The database of an api that somebody has taken: it answers whatever lets the gateway spend more."""

    rng: random.Random = field(default_factory=random.Random)

    def record(self, made: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        told = super().record(made)
        for each in told["kept"]:
            each.update(
                grown=self.rng.choice(LIES),
                estimates_grown=self.rng.choice(LIES),
                is_late=self.rng.random() < 0.5,
                estimated=False,
            )
        return told

    def open(self) -> dict[str, Any]:
        self.epoch += self.rng.choice((1, 1, 100))
        spent = [[name, self.rng.choice(FALSE_SUMS), self.rng.choice(FALSE_SUMS)] for name in (BUDGET, DAY)]
        return {"epoch": self.epoch, "spent": spent}


@dataclass
class Process:
    """A process of the gateway: what it holds in its memory, and on its disk what its calls of the day cost."""

    name: str
    spent: int = 0
    recorded: dict[str, int] = field(default_factory=dict)  # the most that its calls may cost which have not ended
    held: dict[str, KnownCall] = field(default_factory=dict)
    unsent: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    undone: list[dict[str, Any]] = field(default_factory=list)
    has_renewed: bool = False
    has_told: bool = True  # Redis knows what it holds: it was not flushed since


class History:
    """One history, of so many steps. `is_taken`: the api lies, and gives an evaluation whatever budget it likes."""

    def __init__(self, seed: int, steps: int, *, is_taken: bool = False) -> None:
        self.rng = random.Random(seed)
        self.steps = steps
        self.seed = seed
        self.now = 10**12
        self.run = 1
        self.flushes = 0
        self.is_taken = is_taken
        self.database = TakenDatabase(rng=self.rng) if is_taken else Database()
        self.processes = [Process("p0"), Process("p1")]
        self.dead: list[Process] = []
        self.calls: dict[str, KnownCall] = {}
        self.lost: set[str] = set()  # calls of processes that died
        self.is_open = False
        self.is_redis_away = False
        self.told: list[str] = []

    @property
    def prefix(self) -> str:
        return f"{self.seed}.{self.flushes}"

    def go(self) -> Step:
        """Run the history, and check the promise after each of its steps."""
        yield from self.open(self.processes[0])
        for _ in range(self.steps):
            yield from self.step()
            yield from self.check()
        if not self.is_taken:
            yield from self.settle_all()

    def step(self) -> Step:
        (act,) = self.rng.choices(STEPS, cum_weights=WEIGHTS)
        self.told.append(act.__name__)
        yield from act(self, self.rng.choice(self.processes))
        if self.is_taken:
            yield from self.tell_other_sums()

    def call_script(self, name: str, **arguments: Any) -> Step:
        packed = msgspec.msgpack.encode({**arguments, "now": self.now})
        reply = yield ("EVALSHA", digest(name), 1, self.prefix, packed)
        if isinstance(reply, ResponseError):
            assert self.is_taken, (self.seed, self.told, reply)
            return defaultdict(list)
        return msgspec.msgpack.decode(reply)

    # What happens in a process

    def admit(self, process: Process) -> Step:
        if self.is_redis_away:
            return
        amount = self.rng.choice((10, 20, 30, 40))
        name = f"{process.name}.{len(self.calls)}"
        reply = yield from self.call_script("admit", **admission(name, amount, UNBOUND if self.is_taken else LIMIT))
        if reply["state"] == "admitted":
            call = KnownCall(amount, self.rng.randint(0, amount), reply["epoch"])
            self.calls[name] = process.held[name] = call
            process.recorded[name] = amount

    def end(self, process: Process) -> Step:
        """End a call; now and then its usage is unknown, or Redis's reply is lost."""
        if not process.held:
            return
        name = self.rng.choice(list(process.held))
        call = process.held.pop(name)
        call.ended = True
        call.reported = self.rng.random() < 0.8
        if not call.reported:
            call.cost = call.amount  # for all that anybody knows
        arguments = end_arguments(name, call)
        if self.is_redis_away:
            process.undone.append(arguments)
            process.unsent[name] = own_settlement(arguments)
            return
        reply = yield from self.call_script("settle", **arguments)
        if self.rng.random() < 0.1:
            process.undone.append(arguments)
            process.unsent[name] = own_settlement(arguments)
        else:
            process.unsent[name] = reply.get("settlement") or own_settlement(arguments)
            self.record_end(process, arguments)

    @staticmethod
    def record_end(process: Process, arguments: Mapping[str, Any]) -> None:
        if process.recorded.pop(arguments["id"], None) is not None:
            process.spent += arguments["cost"]

    def renew(self, process: Process) -> Step:
        if self.is_redis_away:
            return
        own = [[process.name, DAY, process.spent]]
        reply = yield from self.call_script("renew", calls=list(process.held), tickets=[], days=own, lease=LEASE)
        for name in reply["unknown"]:
            record = {"id": name, "record": record_of(process.held[name])}
            yield from self.call_script("adopt", calls=[record], settlements=[], lease=LEASE)
        for arguments in process.undone:
            reply = yield from self.call_script("settle", **arguments)
            self.record_end(process, arguments)
            if reply.get("settlement"):
                process.unsent[arguments["id"]] = reply["settlement"]
        process.undone.clear()
        if not process.has_renewed:
            unsent = [{**made, "budgets": [BUDGET, DAY]} for made in process.unsent.values()]
            dead = [[each.name, DAY, each.spent + sum(each.recorded.values())] for each in self.dead]
            yield from self.call_script("adopt", calls=[], settlements=unsent, days=own + dead, lease=LEASE)
        process.has_renewed = process.has_told = True

    def send(self, process: Process) -> Step:
        """Send what the process keeps to the database; now and then Redis does not hear of it."""
        batch = dict(process.unsent)
        recorded = self.database.record(list(batch.values()))
        if self.is_redis_away or self.rng.random() < 0.1:
            return
        entries = [made["entry"] for made in batch.values() if "entry" in made]
        reply = yield from self.call_script("confirm", **recorded, entries=entries)
        if reply["confirmed"]:
            process.unsent = {name: made for name, made in process.unsent.items() if made is not batch.get(name)}

    def send_orphans(self, _: Process) -> Step:
        if self.is_redis_away:
            return
        found = yield ("XRANGE", f"{self.prefix}|settlements", "-", "+")
        left = [msgspec.msgpack.decode(fields[1]) for _, fields in found]
        recorded = self.database.record(left)
        if self.rng.random() < 0.1:
            return  # it died in between
        yield from self.call_script("confirm", **recorded, entries=[entry.decode() for entry, _ in found])

    def open(self, process: Process) -> Step:
        """Open a closed ledger, once every live process has registered its calls again."""
        if self.is_redis_away:
            return
        found = yield from self.call_script("close_ledger", run=str(self.run))
        self.is_open = found["state"] == "open"
        if self.is_open:
            return
        yield from self.renew(process)
        if not all(other.has_renewed for other in self.processes):
            return
        yield from self.send(process)
        if process.unsent and self.database.record(list(process.unsent.values())) and self.rng.random() < 0.5:
            return
        found = yield ("XRANGE", f"{self.prefix}|settlements", "-", "+")
        left = [msgspec.msgpack.decode(fields[1]) for _, fields in found]
        entries = [entry.decode() for entry, _ in found]
        yield from self.call_script("confirm", **self.database.record(left), entries=entries)
        sums = self.database.open()
        if self.rng.random() < 0.3:  # others go on meanwhile
            yield from self.rng.choice((History.end, History.send, History.tick))(self, self.rng.choice(self.processes))
        reply = yield from self.call_script("open_ledger", **sums, run=str(self.run))
        self.is_open = reply["opened"]

    # What happens to them

    def tell_other_sums(self) -> Step:
        """Have the ledger closed by a later epoch, and opened with the sums that the taken api tells."""
        if not self.is_redis_away:
            yield from self.call_script("confirm", epoch=self.database.epoch + 1, kept=[], entries=[])
            yield from self.open(self.processes[0])

    def kill(self, process: Process) -> Step:
        """Kill a process. Not right after a flush: only its record of the day outlives it then, and no settlement."""
        if not process.has_told and not self.is_taken:
            return
        for name, call in process.held.items():
            self.lost.add(name)
            call.ended, call.cost = True, call.amount  # for all that anybody knows
        self.lost |= set(process.unsent) | {each["id"] for each in process.undone}
        self.dead.append(process)
        self.processes[self.processes.index(process)] = Process(f"p{len(self.dead) + 1}")
        return
        yield

    def kill_all_with_redis(self, _: Process) -> Step:
        for process in list(self.processes):
            yield from self.kill(process)
        yield from self.restart_redis(_)

    def restart_redis(self, _: Process) -> Step:
        self.run += 1
        self.is_redis_away = False
        yield from self.notice_restart()

    def notice_restart(self) -> Step:
        yield from self.call_script("close_ledger", run=str(self.run))
        self.is_open = False
        for process in self.processes:
            process.has_renewed = False

    def lose_redis(self, _: Process) -> Step:
        self.is_redis_away, self.is_open = True, False
        return
        yield

    def flush_redis(self, _: Process) -> Step:
        """Redis loses all that it holds. What no live process and not the database knows would be lost for good.

        The day's sums are not: what dead processes knew of them is on the disk.
        """
        known = {name for process in self.processes for name in (*process.held, *process.unsent)}
        if not self.is_taken and any(name not in known and name not in self.database.rows for name in self.calls):
            return
        self.flushes += 1
        for process in self.processes:
            process.has_told = False
        yield from self.restart_redis(_)

    def tick(self, _: Process) -> Step:
        self.now += self.rng.choice((100, 5_000, LEASE + 1))
        return
        yield

    def jump(self, _: Process) -> Step:
        self.now += self.rng.choice((HOUR, -HOUR))
        return
        yield

    # What must hold

    def check(self) -> Step:
        """What ended calls cost, and those in flight may cost, is within the budget, and the ledger knows it.

        What the ledger books and does not call an estimate was measured.
        """
        owed = sum(call.cost if call.ended else call.amount for call in self.calls.values())
        assert owed <= LIMIT, (self.seed, self.told, owed)
        if self.is_open or not self.flushes:  # what a flush took is there again before the ledger opens
            spent, reserved = yield from self.sums_of_day()
            assert spent + reserved >= owed, (self.seed, self.told, spent, reserved, owed)
        if self.is_open and not self.is_taken:
            spent, reserved, estimates = yield from self.sums()
            if self.is_open:
                assert spent + reserved >= owed, (self.seed, self.told, spent, reserved, owed)
                measured = sum(call.cost for call in self.calls.values() if call.reported)
                assert spent - estimates <= measured, (self.seed, self.told, spent, estimates, measured)

    def sums(self) -> Step:
        state, epoch = yield ("HMGET", f"{self.prefix}|ledger", "state", "epoch")
        self.is_open = state == b"open"
        if not self.is_open:
            return 0, 0, 0
        found = yield ("HMGET", f"{self.prefix}|budget|{int(epoch)}|{BUDGET}", "spent", "reserved", "estimated")
        return tuple(int(amount or 0) for amount in found)

    def sums_of_day(self) -> Step:
        found = yield ("HMGET", f"{self.prefix}|day|{DAY}", "spent", "reserved")
        return tuple(int(amount or 0) for amount in found)

    def settle_all(self) -> Step:
        """Let all end well: then ledger and database know the same, and of each call the best that anybody knew."""
        self.is_redis_away = False
        for process in self.processes:
            while process.held:
                yield from self.end(process)
        for _ in range(20):
            for process in self.processes:
                yield from self.renew(process)
            yield from self.open(self.processes[0])
            self.now += 2 * HOUR
            for process in self.processes:
                yield from self.send(process)
            yield from self.send_orphans(self.processes[0])
            left = yield ("XLEN", f"{self.prefix}|settlements")
            spent, reserved, estimates = yield from self.sums()
            if self.is_open and not left and not reserved and not any(process.unsent for process in self.processes):
                break
        known = (self.database.spent(), 0, self.database.estimates())
        assert (spent, reserved, estimates) == known, (self.seed, self.told, spent, reserved, estimates, self.database)
        for name, call in self.calls.items():
            row = self.database.rows[name]
            assert row.cost in ({call.cost, call.amount} if name in self.lost else {call.cost}), (self.seed, self.told)


ACTS = {
    History.admit: 8,
    History.end: 5,
    History.renew: 2,
    History.send: 2,
    History.send_orphans: 1,
    History.open: 4,
    History.tick: 2,
    History.kill: 1,
    History.kill_all_with_redis: 1,
    History.restart_redis: 1,
    History.lose_redis: 0.5,
    History.flush_redis: 0.5,
    History.jump: 0.5,
}
STEPS, WEIGHTS = list(ACTS), list(accumulate(ACTS.values()))


def admission(name: str, amount: int, limit: int) -> dict[str, Any]:
    budgets = [{"name": BUDGET, "limit": limit}, {"name": DAY, "limit": LIMIT}]
    return {"id": name, "account": ACCOUNT, "team": "t", "model": "m", "priced": True, "amount": amount,
            "budgets": budgets, "tokens": 0, "limits": {"requests": False, "tokens": False},
            "permits": PERMITS, "sent": True, "lease": LEASE}  # fmt: skip


PERMITS = {"least": 100, "start": 100, "most": 100}


def record_of(call: KnownCall) -> dict[str, Any]:
    return {"account": ACCOUNT, "team": "t", "model": "m", "tokens": 0, "minute": 0, "amount": call.amount,
            "budgets": [BUDGET, DAY], "priced": True, "sent": True, "epoch": call.epoch}  # fmt: skip


def end_arguments(name: str, call: KnownCall) -> dict[str, Any]:
    return {"id": name, "record": record_of(call), "outcome": "success", "cost": call.cost, "tokens": 0,
            "estimated": not call.reported, "attempt": 2, "permits": PERMITS}  # fmt: skip


def own_settlement(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settlement that a process makes itself, because Redis did not say one."""
    return {name: arguments[name] for name in ("id", "cost", "estimated")} | {"epoch": arguments["record"]["epoch"]}

"""The gates over Redis, shared by all processes of the gateway. A call takes two requests to Redis: admit and settle.

While Redis is away, priced calls are refused, and others go on under the local caps of each process.
"""

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from time import monotonic
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from inference_gateway.day_bounds import refuse_over_day
from inference_gateway.gates import (
    LONGEST_PAUSE,
    Call,
    GateSettings,
    LedgerState,
    Permit,
    Reason,
    Refused,
    Settled,
    UpstreamError,
)
from inference_gateway.gates.day_record import DayRecord, DayRecordError
from inference_gateway.gates.ledger import Ledger, LedgerStore, LedgerStoreError
from inference_gateway.gates.local import LocalGates, refuse_busy, refuse_unbooked
from inference_gateway.gates.pictures import PictureBudget
from inference_gateway.gates.replies import Replies
from inference_gateway.gates.scripts import Scripts
from inference_gateway.usage import Usage
from tetrad.contracts.inference import ShortBudget
from tetrad.money import show_dollars

REDIS_SECONDS = 1.0  # a call waits no longer for a Redis that does not answer
POLL_SECONDS = 1.0  # after so long a waiting call asks again by itself
SHORTEST_POLL = 0.02
STOP_SECONDS = 5.0
CANCEL_SECONDS = 0.2
ORPHANS_EVERY = 5  # renewals
GATHER_SECONDS = 0.1  # settlements of so long go to the api in one request; until then Redis has them, too
OPENING_POLL = 0.2  # between two looks at a closed ledger
OPENS_SOON = 1.0  # the time that a process takes to open a ledger for which no other has to be waited

log = logging.getLogger(__name__)


class SharedPermit:
    """A permit whose lease is in Redis."""

    def __init__(self, gates: "SharedGates", call: Call, permit_id: str, epoch: int, waited: float) -> None:
        self.id = permit_id
        self.waited = waited
        self.call = call
        self.epoch = epoch
        self.lock = asyncio.Lock()
        self.is_sent = False
        self.is_done = False
        self._gates = gates

    async def mark_sent(self) -> None:
        """Mark the call as sent. Raises: Refused: the reservation can't be marked, so the call must not be sent."""
        if not self.is_sent:
            await self._gates.mark_sent(self)
        self.is_sent = True

    async def settle(self, usage: Usage | None) -> Settled:
        return await self._gates.end(self, "success", usage)

    async def fail(self, error: UpstreamError) -> Settled:
        usage = None if error.billed else Usage(input_tokens=0, output_tokens=0)
        return await self._gates.end(self, error.failure.value, usage, error)

    async def leave(self) -> None:
        """End a block without `settle`: the reservation of an unsent call is given back, others are billed in full."""
        if not self.is_done:
            await self._gates.end(self, "unknown" if self.is_sent else "unsent", None)

    def record(self) -> dict[str, Any]:
        """Return the call in the form of its record in Redis."""
        call = self.call
        return {
            "account": call.upstream.account,
            "team": call.team,
            "model": call.model,
            "tokens": call.estimate.tokens,
            "minute": 0,
            "amount": call.reservation,
            "budgets": _names(call),
            "priced": call.price is not None,
            "sent": self.is_sent or not call.holds,
            "epoch": self.epoch,
        }


class SharedGates:
    """Admits calls of this process among those of all others."""

    def __init__(self, redis_url: str, store: LedgerStore | None, settings: GateSettings | None = None) -> None:
        """Take the address of Redis; without a store no priced call is admitted."""
        self._settings = settings or GateSettings()
        self._redis: Redis[Any] = Redis.from_url(
            redis_url,
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 1),  # connections go stale
        )
        self._scripts = Scripts(self._redis, self._settings.key_prefix)
        self._process = secrets.token_hex(8)
        self._days = DayRecord(self._process, self._settings.days_folder)
        self.ledger = Ledger(self._redis, self._scripts, store, self._settings, days=self._days)
        self.pictures = PictureBudget(self._settings.picture_bytes)
        self.replies = Replies(self._redis, self._settings.key_prefix)
        self._local = LocalGates(self._settings)
        self._numbers = count(1)
        self._held: dict[str, SharedPermit] = {}
        self._waiting: dict[str, tuple[str, asyncio.Event]] = {}
        self._undone: dict[str, dict[str, Any]] = {}  # ended calls that Redis does not know of yet
        self._is_away = False
        self._is_ledger_open = False
        self._is_store_away = False
        self._is_day_unknown = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._background: list[asyncio.Task[None]] = []
        self._to_send = asyncio.Event()
        self._found_closed = asyncio.Event()  # a call was told that the ledger is closed

    @property
    def permits(self) -> int:
        """Return how many permits the calls of this process hold."""
        return len(self._held) + self._local.permits

    @property
    def is_away(self) -> bool:
        """Return whether Redis did not answer when it was last asked."""
        return self._is_away

    @property
    def ledger_state(self) -> LedgerState:
        if not self.ledger.is_kept:
            return "none"
        return "open" if self._is_ledger_open and not self._is_away else "closed"

    async def start(self) -> None:
        """Begin to renew leases, to listen for turns and to send settlements.

        Raises:
            OSError: the folder for what calls cost in a day can't be written.
        """
        self._days.start()
        await self._tend()
        loops = (self._renew_leases(), self._listen_for_turns(), self._send_settlements())
        self._background = [asyncio.create_task(each) for each in loops]

    async def stop(self) -> None:
        """End the work in the background, and calls without a caller after some seconds.

        Settlements that are left are sent. Those that can't be sent stay in Redis, for another process.
        """
        await self.replies.drain(STOP_SECONDS)
        await self.replies.close()
        running = set(self._background)
        while running:
            for task in running:
                task.cancel()
            _, running = await asyncio.wait(running, timeout=CANCEL_SECONDS)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
        with suppress(TimeoutError, RedisError):
            async with asyncio.timeout(STOP_SECONDS):
                await self.ledger.send()
        await self._redis.aclose()  # type: ignore[attr-defined]  # its stubs are older
        self._days.close()

    @asynccontextmanager
    async def admit(self, call: Call) -> AsyncIterator[Permit]:
        """Hold a permit during the block.

        Raises:
            Refused: a gate does not let the call pass, or its turn did not come within its patience.
        """
        permit = await self._admit_shared(call)
        if permit is None:
            async with self._local.admit(call) as local:
                yield local
            return
        try:
            yield permit
        except UpstreamError as error:
            if not permit.is_done:
                await permit.fail(error)
            raise
        finally:
            await permit.leave()

    async def _admit_shared(self, call: Call) -> SharedPermit | None:
        """Return a permit of Redis. None if Redis is away and the call may proceed without one."""
        priced = call.price is not None
        if priced and not self.ledger.takes_more:
            raise refuse_unbooked(call, self._settings.retry_away)
        if not self._is_away:
            permit_id = f"{self._process}.{next(self._numbers)}"
            try:
                return await self._wait_for_turn(call, permit_id)
            except RedisError as error:
                self._note_away(error)
                # The server may have admitted the call before its reply was lost.
                self._undone[permit_id] = _end_arguments(self._settings, call, permit_id, "unsent")
        if priced:
            raise refuse_unbooked(call, self._settings.retry_away)
        return None

    async def _wait_for_turn(self, call: Call, permit_id: str) -> SharedPermit:
        began = monotonic()
        turn = asyncio.Event()
        arguments = self._admission(call, permit_id)
        self._waiting[permit_id] = (call.upstream.account, turn)
        is_waiting = True
        try:
            while True:
                turn.clear()
                reply = await self._scripts.run("admit", arguments)
                waited = monotonic() - began
                is_waiting = reply["state"] == "wait"
                if reply["state"] == "admitted":
                    permit = SharedPermit(self, call, permit_id, reply.get("epoch") or 0, waited)
                    self._held[permit_id] = permit
                    return permit
                if reply["state"] == "refused":
                    raise self._refusal_of(call, reply)
                await self._wait_once(call, reply, call.patience - waited, turn)
        except asyncio.CancelledError:
            # The script may have admitted the call although its caller has left.
            self._in_background(self._give_up(call, permit_id))
            raise
        except Refused:
            if is_waiting:
                self._in_background(self._give_up(call, permit_id))
            raise
        finally:
            del self._waiting[permit_id]

    async def _wait_once(self, call: Call, reply: Mapping[str, Any], left: float, turn: asyncio.Event) -> None:
        wait = reply["wait"] / 1000
        if left <= 0 or (reply["reason"] == "rate" and wait > left):
            raise self._refusal_of_waiting(call, reply, wait)
        longest = min(left, max(wait, SHORTEST_POLL) if wait else POLL_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(longest):
                await turn.wait()

    async def _give_up(self, call: Call, permit_id: str) -> None:
        try:
            await self._scripts.run("leave", {"account": call.upstream.account, "id": permit_id})
            await self._scripts.run("settle", _end_arguments(self._settings, call, permit_id, "unsent"))
        except RedisError as error:
            self._note_away(error)
            self._undone[permit_id] = _end_arguments(self._settings, call, permit_id, "unsent")

    async def mark_sent(self, permit: SharedPermit) -> None:
        """Mark the reservation of a call that is about to be sent.

        Raises:
            Refused: it can't be recorded; or it began as unsent, and Redis is away or has lost it.
        """
        if permit.call.holds:
            try:
                reply = await self._scripts.run("mark_sent", {"id": permit.id})
            except RedisError as error:
                self._note_away(error)
                raise refuse_unbooked(permit.call, self._settings.retry_away) from error
            if not reply["known"]:
                raise refuse_unbooked(permit.call, self._settings.retry_away)
        try:
            self._days.hold(permit.id, _names(permit.call), permit.call.reservation)
        except sqlite3.Error as error:
            log.exception("what a call may cost can't be recorded: it is refused")
            raise refuse_unbooked(permit.call, self._settings.retry_away) from error

    async def end(
        self, permit: SharedPermit, outcome: str, usage: Usage | None, error: UpstreamError | None = None
    ) -> Settled:
        """Book the end of a call, even if the caller leaves meanwhile.

        The booking of a call that costs nothing goes on in the background: its reply does not wait for Redis.

        Raises:
            RuntimeError: it was booked before.
        """
        if permit.is_done:
            raise RuntimeError(f"permit {permit.id} is settled already; settle each call once")
        permit.is_done = True
        settled, tokens = _bill(permit, outcome, usage)
        if settled.over:
            log.error(
                "an upstream used more than was reserved",
                extra={"model": permit.call.model, "account": permit.call.upstream.account, "team": permit.call.team,
                       "reserved": settled.reserved, "cost": settled.cost},
            )  # fmt: skip
        arguments = _end_arguments(self._settings, permit.call, permit.id, outcome) | {
            "record": permit.record() if permit.call.price is not None else None,
            "cost": settled.cost,
            "tokens": tokens,
            "estimated": settled.estimated,
            "detail": error.detail if error else "",
            "retry_after": round(1000 * (error.retry_after or 0)) if error else 0,
        }
        booked = self._in_background(self._book(permit, arguments))
        if permit.call.price is not None:
            await asyncio.shield(booked)
        return settled

    async def _book(self, permit: SharedPermit, arguments: dict[str, Any]) -> None:
        async with permit.lock:
            self._held.pop(permit.id, None)
            try:
                reply = await self._scripts.run("settle", arguments)
            except RedisError as error:
                self._note_away(error)
                self._undone[permit.id] = arguments
                self._keep(permit, arguments)
                return
        self._days.end(permit.id, arguments["cost"])
        if settlement := reply.get("settlement"):
            self.ledger.keep(settlement)
            self._to_send.set()
        elif not reply["known"]:  # Redis lost the call, so this process sends it to the database
            self._keep(permit, arguments)
        if reply.get("opened"):
            extra = {"account": permit.call.upstream.account, "model": permit.call.model}
            log.error("a model keeps failing at its upstream: its breaker is open", extra=extra)

    def _keep(self, permit: SharedPermit, arguments: Mapping[str, Any]) -> None:
        if permit.call.price is None or arguments["outcome"] == "unsent":
            return
        fields = {**permit.record(), "id": permit.id, "at": 0, "cost": arguments["cost"]}
        self.ledger.keep({**fields, "estimated": arguments["estimated"]})
        self._to_send.set()

    async def _renew_leases(self) -> None:
        renewal = self._settings.renewal
        orphans_at = monotonic() + ORPHANS_EVERY * renewal
        while _goes_on():
            self._found_closed.clear()
            if self.ledger_state == "closed":
                await asyncio.sleep(min(OPENING_POLL, renewal))
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(renewal):
                        await self._found_closed.wait()
            await self._tend(orphans=monotonic() >= orphans_at)
            if monotonic() >= orphans_at:
                orphans_at = monotonic() + ORPHANS_EVERY * renewal

    async def _tend(self, *, orphans: bool = False) -> None:
        """Renew the leases of this process, send Redis the ends it missed, and open a closed ledger."""
        try:
            await self._renew()
            for permit_id, arguments in list(self._undone.items()):
                reply = await self._scripts.run("settle", arguments)
                self._undone.pop(permit_id, None)
                self._days.end(permit_id, arguments["cost"])
                if settlement := reply.get("settlement"):
                    self.ledger.keep(settlement)
                    self._to_send.set()
            if not self._is_ledger_open:
                self._is_ledger_open = await self.ledger.open()
            await self.replies.renew()
            if orphans:
                await self.ledger.send_orphans()
            self._is_store_away = self._is_day_unknown = False
        except RedisError as error:
            self._note_away(error)
        except DayRecordError as error:
            if not self._is_day_unknown:
                self._is_day_unknown = True
                log.error("the ledger stays closed", extra={"reason": str(error)})  # noqa: TRY400 -- its words say it all
        except LedgerStoreError as error:
            if not self._is_store_away:
                self._is_store_away = True
                log.warning(
                    "the api's database is away: settlements are not kept for good now", extra={"reason": str(error)}
                )

    async def _renew(self) -> None:
        held = list(self._held)
        tickets = [[account, ticket] for ticket, (account, _) in self._waiting.items()]
        lease = round(1000 * self._settings.lease)
        told = {"calls": held, "tickets": tickets, "days": self._days.own(), "lease": lease}
        reply = await self._scripts.run("renew", told)
        if self._is_away:
            log.warning("Redis is back", extra={"calls": len(held)})
            self._is_away = False
        if reply["unknown"]:
            await self._adopt(list(reply["unknown"]), lease)
        self._is_ledger_open = reply["state"] == "open"

    async def _adopt(self, unknown: list[Any], lease: int) -> None:
        """Register the calls that Redis lost. A permit's lock keeps it from being settled meanwhile."""
        for each in unknown:
            permit = self._held.get(each if isinstance(each, str) else each.decode())
            if permit is None:
                continue
            async with permit.lock:
                if permit.id in self._held:
                    call = {"id": permit.id, "record": permit.record()}
                    await self._scripts.run("adopt", {"calls": [call], "settlements": [], "lease": lease})

    async def _listen_for_turns(self) -> None:
        """Wake calls of this process whose turn it is."""
        channel = f"{self._settings.key_prefix}|turn|{self._process}"
        while _goes_on():
            try:
                async with self._redis.pubsub() as heard:
                    await heard.subscribe(channel)
                    while _goes_on():
                        message = await heard.get_message(ignore_subscribe_messages=True, timeout=5.0)
                        ticket = message["data"].decode() if message else ""
                        if ticket in self._waiting:
                            self._waiting[ticket][1].set()
            except RedisError as error:
                self._note_away(error)
                await asyncio.sleep(POLL_SECONDS)

    async def _send_settlements(self) -> None:
        while _goes_on():
            await self._to_send.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._to_send.clear()
            if not await self.ledger.send():
                await asyncio.sleep(POLL_SECONDS)
                self._to_send.set()

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _note_away(self, error: Exception) -> None:
        if not self._is_away:
            self._is_away = True
            log.error("Redis is away: priced calls are refused", extra={"reason": type(error).__name__})

    def _admission(self, call: Call, permit_id: str) -> dict[str, Any]:
        upstream = call.upstream
        return {
            "id": permit_id,
            "account": upstream.account,
            "team": call.team,
            "model": call.model,
            "priced": call.price is not None,
            "amount": call.reservation,
            "budgets": [{"name": f"{each.scope}|{each.id}", "limit": each.limit} for each in call.budgets],
            "tokens": call.estimate.tokens,
            "limits": {
                "requests": upstream.requests_per_minute or False,
                "tokens": upstream.tokens_per_minute or False,
            },
            "permits": _bounds(call),
            "sent": not call.holds,
            "lease": round(1000 * self._settings.lease),
        }

    def _refusal_of(self, call: Call, reply: Mapping[str, Any]) -> Refused:
        reason = Reason(reply["reason"])
        wait = reply.get("wait")
        retry_after = None if wait is None else max(1.0, wait / 1000)
        if reason is Reason.LEDGER_AWAY:
            self._found_closed.set()
            return refuse_unbooked(call, OPENS_SOON if self._settings.is_alone else self._settings.retry_away)
        if reason is Reason.BUDGET:
            return _over_budget(call, reply["found"], None)
        if reason is Reason.RATE:
            problem = f"may use {call.upstream.tokens_per_minute} tokens a minute, and this call alone may use more"
            remedy = "send less text or fewer pictures, or a lower max_tokens"
            return Refused(reason, "max_tokens", call.estimate.tokens, problem=problem, remedy=remedy)
        if reason is Reason.IDENTICAL_ERRORS:
            problem = f"answered the same error again and again: {reply['found']['detail']}"
            remedy = "change the request, or ask the operator to check the model's registration"
        else:
            problem = "keeps failing, so no calls of it are sent for now"
            remedy = "try again in a while"
        return Refused(reason, "model", call.model, problem=problem, remedy=remedy, retry_after=retry_after)

    def _refusal_of_waiting(self, call: Call, reply: Mapping[str, Any], wait: float) -> Refused:
        if reply["reason"] == "budget":
            return _over_budget(call, reply["found"], self._settings.retry_away)
        if reply["reason"] == "rate":
            problem = "has reached its limit for this minute"
            return Refused(
                Reason.RATE, "model", call.model, problem=problem, remedy="try again later", retry_after=max(1.0, wait)
            )
        return refuse_busy(call, call.patience)


def _goes_on() -> bool:
    """Return whether this task was not cancelled. redis-py sometimes loses a cancellation."""
    task = asyncio.current_task()
    return task is None or task.cancelling() == 0


def _bill(permit: SharedPermit, outcome: str, usage: Usage | None) -> tuple[Settled, int]:
    """Return the cost of a call, and the tokens that count towards the upstream's limit."""
    call, reserved = permit.call, permit.call.reservation
    if outcome == "unsent":
        return Settled(id=permit.id, cost=0, reserved=reserved), 0
    is_odd = usage is not None and call.is_odd(usage)
    if usage is None or is_odd or usage.input_tokens is None or usage.output_tokens is None:
        return Settled(id=permit.id, cost=reserved, reserved=reserved, estimated=True, odd=is_odd), call.estimate.tokens
    tokens = usage.input_tokens + usage.output_tokens
    cost = 0
    if call.price is not None:
        cost = call.price.cost(usage.input_tokens, usage.output_tokens, usage.cached_input_tokens or 0)
    return Settled(id=permit.id, cost=cost, reserved=reserved, over=cost > reserved), tokens


def _end_arguments(settings: GateSettings, call: Call, permit_id: str, outcome: str) -> dict[str, Any]:
    return {
        "id": permit_id,
        "outcome": outcome,
        "cost": 0,
        "tokens": 0,
        "estimated": False,
        "attempt": call.attempt,
        "permits": _bounds(call),
        "detail": "",
        "retry_after": 0,
        "longest_pause": round(1000 * LONGEST_PAUSE),
        "breaker_failures": settings.breaker_failures,
        "breaker_pause": round(1000 * settings.breaker_pause),
        "identical_errors": settings.identical_errors,
        "identical_pause": round(1000 * settings.identical_pause),
    }


def _bounds(call: Call) -> dict[str, int]:
    upstream = call.upstream
    return {"least": upstream.least_permits, "start": upstream.start_permits, "most": upstream.most_permits}


def _names(call: Call) -> list[str]:
    return [f"{each.scope}|{each.id}" for each in call.budgets]


def _over_budget(call: Call, found: Mapping[str, Any], retry_after: float | None) -> Refused:
    scope, _, name = str(found["name"]).partition("|")
    if scope == "day":
        return refuse_over_day(call, name, retry_after)
    name = f"{scope} {name}"
    sums = {each: int(found[each]) for each in ("limit", "spent", "estimated", "reserved")}
    short = ShortBudget(name=name, needed=call.reservation, **sums)
    spent = f"{show_dollars(short.spent)} is spent"
    if short.estimated:
        spent += f" ({show_dollars(short.estimated)} of it by estimates: calls whose cost nobody has measured)"
    reserved = f"{show_dollars(short.reserved)} is reserved by calls in flight"
    problem = f"of {name} leaves too little for a call that may cost {show_dollars(short.needed)}"
    problem += f": of {show_dollars(short.limit)}, {spent} and {reserved}"
    remedy = "ask for a larger budget, or lower max_tokens"
    return Refused(Reason.BUDGET, "budget", name, problem, remedy, retry_after, short=short)

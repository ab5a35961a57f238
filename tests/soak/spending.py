"""Callers who spend a budget until it is refused for good, their upstream's bill, and looks at the ledger meanwhile.

Amounts are nanodollars.
"""

import asyncio
import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count

import httpx
from aiohttp import web
from redis import Redis
from redis.exceptions import RedisError

from inference_gateway.targets import TOKENS_A_MESSAGE
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import chat
from tetrad.server.clock import now_ms
from tetrad.server.gateway_tokens import GatewayClaims, sign

OUTPUT_CAP, IN, OUT = 64, 1_000, 10_000  # of the model `dear` in tests/evaluating.py, and its price of a token
PROMPT_TOKENS = 5
SECONDS = (0.3, 1.5)  # that a call takes
CALLERS = 12
RESERVATIONS = 40  # in a budget
HOUR_MS = 3_600_000
PATIENCE_SECONDS = 400.0
PREFIX = "tetrad:{gateway}"


@dataclass(frozen=True)
class Snapshot:
    """The calls in flight at the upstream, and what it bills for the others."""

    in_flight: frozenset[int]
    billed: dict[int, int]


@dataclass
class Bill:
    """What the upstream bills for one budget. A call in flight may cost its reservation; one whose caller left does.

    `most`: the most that was owed at any moment.
    """

    name: str
    reservation: int = 0
    most: int = 0
    _in_flight: set[int] = field(default_factory=set)
    _billed: dict[int, int] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.reservation = (TOKENS_A_MESSAGE + len(self.text)) * IN + OUTPUT_CAP * OUT

    @property
    def text(self) -> str:
        return f"A or B? {self.name}"

    @property
    def budget(self) -> int:
        return RESERVATIONS * self.reservation

    def begin(self) -> int:
        """Note a call that arrives; return its number."""
        with self._lock:
            number = next(self._numbers)
            self._in_flight.add(number)
            self.most = max(self.most, self._owed())
            return number

    def end(self, number: int, cost: int) -> None:
        with self._lock:
            self._in_flight.discard(number)
            self._billed[number] = cost

    def snapshot(self) -> Snapshot:
        with self._lock:
            return Snapshot(frozenset(self._in_flight), dict(self._billed))

    def owed(self) -> int:
        with self._lock:
            return self._owed()

    def _owed(self) -> int:
        return sum(self._billed.values()) + len(self._in_flight) * self.reservation

    def least_between(self, before: Snapshot, after: Snapshot) -> int:
        """Return the least that was owed at any moment between two snapshots."""
        ended_between = before.in_flight - after.in_flight
        return (
            sum(before.billed.values())
            + len(before.in_flight & after.in_flight) * self.reservation
            + sum(after.billed[number] for number in ended_between)
        )


class BillingUpstream:
    """A handler of an upstream that answers after some time and notes what it bills, by the budget in the text."""

    def __init__(self, rng: random.Random) -> None:
        self.bills: dict[str, Bill] = {}
        self._rng = rng

    def bill_for(self, name: str) -> Bill:
        self.bills[name] = bill = Bill(name)
        return bill

    async def handle(self, request: web.Request) -> web.StreamResponse:
        text = json.loads(await request.read())["messages"][0]["content"]
        bill = self.bills[str(text).rpartition(" ")[2]]
        number = bill.begin()
        await asyncio.sleep(self._rng.uniform(*SECONDS))
        if request.transport is None or request.transport.is_closing():
            bill.end(number, bill.reservation)
            return web.Response()
        tokens = self._rng.randint(1, OUTPUT_CAP)
        bill.end(number, PROMPT_TOKENS * IN + tokens * OUT)
        usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": tokens, "total_tokens": PROMPT_TOKENS + tokens}
        return web.json_response(chat("(A)", usage=usage))


class Spending:
    """Callers of the gateway who share one budget, and a look at the ledger a hundred times a second meanwhile."""

    def __init__(self, instance: Instance, bill: Bill) -> None:
        self.instance = instance  # that which runs now
        self.wrong: list[str] = []
        self.looks = 0
        self._bill = bill
        claims = GatewayClaims(
            id=bill.name,
            team="spenders",
            team_id="spenders",
            expires_at=now_ms() + 24 * HOUR_MS,
            budget=bill.budget // 1_000,
        )
        self._token = sign(claims, instance.secrets.gateway_token_secret)
        self._done = threading.Event()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Spend during the block, and after it until the budget is refused for good."""
        with ThreadPoolExecutor(CALLERS + 1) as pool:
            looking = pool.submit(self._look)
            callers = [pool.submit(self._spend) for _ in range(CALLERS)]
            try:
                yield
                for caller in callers:
                    caller.result(PATIENCE_SECONDS)
            finally:
                self._done.set()
            looking.result(PATIENCE_SECONDS)

    def _spend(self) -> None:
        body = {"model": "dear", "messages": [{"role": "user", "content": self._bill.text}], "max_tokens": OUTPUT_CAP}
        headers = {"Authorization": f"Bearer {self._token}"}
        end = time.monotonic() + PATIENCE_SECONDS
        reply: httpx.Response | None = None
        with httpx.Client(headers=headers, timeout=120, verify=False) as client:  # noqa: S501 - no TLS on loopback
            while not self._done.is_set():
                assert time.monotonic() < end, (
                    f"{self._bill.name} is not used up; the last reply is {reply and reply.text}"
                )
                url = f"{self.instance.gateway_url}/v1/chat/completions"
                try:
                    reply = client.post(url, json=body)
                except httpx.TransportError:
                    reply = None
                if reply is not None and reply.status_code == 402 and "Retry-After" not in reply.headers:
                    return
                if reply is None or reply.status_code != 200:
                    assert reply is None or reply.status_code in {402, 429, 502, 503, 504}, reply.text
                    self._done.wait(0.1)

    def _look(self) -> None:
        """Compare the ledger with the bill, whenever it is open."""
        while not self._done.is_set():
            instance = self.instance
            with Redis.from_url(instance.admin_redis_url()) as redis:
                while instance is self.instance and not self._done.wait(0.01):
                    with suppress(RedisError):
                        self._compare(redis)

    def _compare(self, redis: "Redis[bytes]") -> None:
        before = self._bill.snapshot()
        found = read_ledger(redis, f"token|{self._bill.name}")
        if found is None:
            return
        least = self._bill.least_between(before, self._bill.snapshot())
        self.looks += 1
        if not least <= sum(found) <= self._bill.budget:
            self.wrong.append(f"booked and reserved {found}, owed {least} or more, of {self._bill.budget}")


def read_ledger(redis: "Redis[bytes]", budget: str) -> tuple[int, int] | None:
    """Return what a budget has booked and reserved in the ledger; None while it is closed, or another opens.

    Raises:
        RedisError: Redis is away.
    """
    ledger = redis.hmget(f"{PREFIX}|ledger", "state", "epoch")
    sums = redis.hmget(f"{PREFIX}|budget|{(ledger[1] or b'').decode()}|{budget}", "spent", "reserved")
    if ledger[0] != b"open" or redis.hmget(f"{PREFIX}|ledger", "state", "epoch") != ledger:
        return None
    return int(sums[0] or 0), int(sums[1] or 0)

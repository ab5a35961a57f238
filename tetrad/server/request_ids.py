"""The ids of the request that is worked on: they are in each reply, line of the log, call to a neighbour and job.

`X-Request-Id` is the caller's if it has the form of one, and made otherwise. `traceparent` (W3C Trace Context, level 1)
names the trace. The id that we make is the trace's, too, so there is one number to look for. Both go from one of our
services to the next, and to no provider.

Also here: how long the request waited for what. A slow request's line of the log says so.
"""

import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import uuid_utils

if TYPE_CHECKING:
    import httpx  # the watchdog has no use for it

REQUEST_ID, TRACEPARENT = "X-Request-Id", "traceparent"
LONGEST_ID, LONGEST_TRACEPARENT = 64, 55
ID = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_ID}}}")
TRACE = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
SAMPLED = 1
MOST_PARTS = 500  # waits of one request that a trace holds

Part: TypeAlias = Literal["database", "lock", "generator", "gateway", "gate", "upstream", "judge"]
"""The parts that a request, or a job, may wait for. The gate is the gateway's own: a free place, and the time between
attempts."""


class RequestContext:
    """The ids of a request or of a job, and the seconds that it waited, by what for.

    `parent` is the caller's span. `is_sampled`: a trace of it is sent (traces.py). Threads of the request share it.
    """

    __slots__ = ("_span", "_trace", "id", "is_sampled", "parent", "parts", "waited")

    def __init__(self, request_id: str, trace: str = "", parent: str = "", *, is_sampled: bool = False) -> None:
        self.id = request_id
        self.parent = parent
        self.is_sampled = is_sampled
        self.waited: dict[Part, float] = {}
        self.parts: list[tuple[Part, float, float]] | None = None  # each wait, if a trace of it is sent
        self._trace = trace
        self._span = ""

    @property
    def trace(self) -> str:
        """The trace's id, 32 hex digits."""
        if not self._trace:
            self._trace = uuid_utils.uuid7().hex
        return self._trace

    @property
    def span(self) -> str:
        """The id of this service's part of the trace, 16 hex digits."""
        if not self._span:
            self._span = secrets.token_hex(8)
        return self._span

    @span.setter
    def span(self, value: str) -> None:
        self._span = value

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace}-{self.span}-{SAMPLED if self.is_sampled else 0:02x}"


current: ContextVar[RequestContext | None] = ContextVar("request", default=None)
"""That of the request or job that this thread or task works on; None between them."""


def read_ids(request_id: str | None, traceparent: str | None, *, is_ours: bool = False) -> RequestContext:
    """Return the context of a request that came with these headers.

    `is_ours`: nobody but our own services can ask here. Only they say whether a trace is sent.
    """
    found = None if traceparent is None else TRACE.fullmatch(traceparent)
    trace, parent = ("", "") if found is None else (found[1], found[2])
    is_sampled = is_ours and found is not None and bool(int(found[3], 16) & SAMPLED)
    if request_id is None or ID.fullmatch(request_id) is None:
        request_id = trace = trace or uuid_utils.uuid7().hex
    return RequestContext(request_id, trace, parent, is_sampled=is_sampled)


def outgoing_headers() -> dict[str, str]:
    """Return the headers that tell one of our own services which request it is asked for; none outside of one."""
    asked = current.get()
    return {} if asked is None else {REQUEST_ID: asked.id, TRACEPARENT: asked.traceparent}


def add_ids(request: "httpx.Request") -> None:
    """Add these headers to a request of httpx: for `event_hooks` of clients that ask our own services."""
    request.headers.update(outgoing_headers())


def id_columns() -> dict[str, str | None]:
    """Return what a row of work keeps of the request that made it due (tetrad/server/scoring_tables.py)."""
    asked = current.get()
    if asked is None:
        return {"request_id": None, "traceparent": None}
    return {"request_id": asked.id, "traceparent": asked.traceparent}


@contextmanager
def working_for(columns: Mapping[str, Any], fallback: str) -> Iterator[RequestContext]:
    """Work on a job for the request whose ids its row keeps, or under `fallback`, the row's id, if it keeps none."""
    asked = read_ids(columns.get("request_id") or fallback, columns.get("traceparent"), is_ours=True)
    token = current.set(asked)
    try:
        yield asked
    finally:
        current.reset(token)


def add_wait(part: Part, begun: float) -> None:
    """Note that the current request or job waited for a part since `begun` (time.perf_counter)."""
    asked = current.get()
    if asked is not None:
        ended = time.perf_counter()
        asked.waited[part] = asked.waited.get(part, 0.0) + ended - begun
        if asked.parts is not None and len(asked.parts) < MOST_PARTS:
            asked.parts.append((part, begun, ended))


@contextmanager
def waiting_for(part: Part) -> Iterator[None]:
    """Count the time of the block as waiting for a part."""
    begun = time.perf_counter()
    try:
        yield
    finally:
        add_wait(part, begun)


def waited_ms(asked: RequestContext) -> dict[str, float]:
    """Return how long it waited, in milliseconds, by what for."""
    return {part: round(seconds * 1000, 1) for part, seconds in asked.waited.items()}

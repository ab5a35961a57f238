"""A submission's events, in order, and the listeners that wait for them.

Each event is written in the transaction of the change that it reports. Whoever writes one holds the submission's row,
so that of one submission a later event never shows before an earlier.

All listeners of a process share one query for new events, which runs every moment. Every process writes to the table,
so nothing is lost with Redis, with a process or between two looks. A listener is woken when there is an event above
what it has read, and reads on from there itself.

Transactions get their ids in one order and end in another. So a look begins some way back, at what was newest
`OVERLAP_SECONDS` ago. Now and then, a part of the listeners is looked up by submission. That finds the events of
transactions that took longer.
"""

import asyncio
import logging
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa
from msgspec import json

from api.database.parts import AT_ONCE
from api.database.schema import events
from api.errors import CapReachedError
from tetrad.contracts.submissions import Event
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_rows

LAST_STATES = frozenset({"scored", "void"})
LAST_KINDS = LAST_STATES | {"rescored"}  # an operator may have a scored submission scored again
MOST_AT_ONCE = 500
LOOK_SECONDS = 0.25
OVERLAP_SECONDS = 2.0
OVERLAP_IDS = 1_000  # of the first look: nobody knows yet what was newest before
LOOKS_A_PART = 8  # between two parts of the listeners that are looked for by submission
RETRY_SECONDS = 15
log = logging.getLogger(__name__)


def events_after(engine: sa.Engine, submission: str, after: int = 0, limit: int = MOST_AT_ONCE) -> list[Event]:
    """Return up to `limit` of the submission's events with ids above `after`, oldest first."""
    query = sa.select(events).where(events.c.submission_id == submission, events.c.id > after).order_by(events.c.id)
    return [
        Event(id=row.id, at=rfc3339(row.at), kind=row.kind, data=json.decode(row.data))
        for row in read_rows(engine, query.limit(limit))
    ]


def newest_events(engine: sa.Engine, among: Iterable[str]) -> dict[str, int]:
    """Return the id of the newest event of each of these submissions."""
    e = events.c
    query = sa.select(e.submission_id, sa.func.max(e.id).label("id"))
    query = query.where(e.submission_id.in_(sorted(among))).group_by(e.submission_id)
    return {row.submission_id: row.id for row in read_rows(engine, query)}


def events_above(engine: sa.Engine, after: int) -> dict[str, int]:
    """Return the id of the newest event above `after` of each submission that has one."""
    e = events.c
    query = sa.select(e.submission_id, sa.func.max(e.id).label("id")).where(e.id > after).group_by(e.submission_id)
    return {row.submission_id: row.id for row in read_rows(engine, query)}


def newest_event(engine: sa.Engine) -> int:
    """Return the id of the newest event of all, 0 where there is none."""
    return int(read_rows(engine, sa.select(sa.func.max(events.c.id)))[0][0] or 0)


@dataclass(eq=False)
class Listener:
    """One open stream: `last` is the id of the newest event it has read."""

    submission: str
    last: int
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


class OpenStreams:
    """Counts the streams that each API key has open in this process. Safe to use from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, key_id: str) -> Callable[[], None]:
        """Count one more stream of the key. Return a function that ends it; a second call does nothing.

        Raises:
            CapReachedError: the key has as many as it may have.
        """
        with self._lock:
            if self._open[key_id] >= self._most:
                detail = (
                    f"this key has {self._most} streams of events open here; close one, or read the events as a list"
                )
                raise CapReachedError(detail, retry_after=RETRY_SECONDS)
            self._open[key_id] += 1
        ended = threading.Event()

        def end() -> None:
            with self._lock:
                if not ended.is_set():
                    ended.set()
                    self._open[key_id] -= 1
                    if not self._open[key_id]:
                        del self._open[key_id]

        return end


class EventFeed:
    """The listeners of one process, and the task that looks for them. For one event loop."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._listeners: defaultdict[str, set[Listener]] = defaultdict(set)
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def listening(self, submission: str, last: int) -> Iterator[Listener]:
        """Give a listener whose `arrived` is set when the submission has events above `last`."""
        listener = Listener(submission, last)
        self._listeners[submission].add(listener)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        try:
            yield listener
        finally:
            self._listeners[submission].discard(listener)
            if not self._listeners[submission]:
                del self._listeners[submission]

    async def close(self) -> None:
        """Stop looking, and wait for the last look: it has a connection of the database."""
        self._listeners.clear()
        if self._looking is not None:
            await self._looking

    async def _look(self) -> None:
        """Look for events while anybody listens. While the database is away the streams stay open."""
        seen: deque[tuple[float, int]] = deque()
        looks = part = 0
        while self._listeners:
            try:
                if not seen:
                    newest = await asyncio.to_thread(newest_event, self._engine)
                    seen.append((time.monotonic(), max(0, newest - OVERLAP_IDS)))
                await self._wake_for_new(seen)
                if looks % LOOKS_A_PART == 0:
                    part = await self._wake_part(part)
                looks += 1
            except sa.exc.SQLAlchemyError as error:
                log.warning("events could not be looked for", extra={"error": type(error).__name__})
            await asyncio.sleep(LOOK_SECONDS)

    async def _wake_for_new(self, seen: deque[tuple[float, int]]) -> None:
        """Wake for the events above what was newest some time ago; `seen` has the newest id of each look since then."""
        while len(seen) > 1 and seen[1][0] <= time.monotonic() - OVERLAP_SECONDS:
            seen.popleft()
        begun = time.monotonic()
        found = await asyncio.to_thread(events_above, self._engine, seen[0][1])
        self._wake(found)
        seen.append((begun, max(found.values(), default=seen[-1][1])))

    async def _wake_part(self, begin: int) -> int:
        """Look for some of the listeners by submission; return where the next part begins."""
        listened = sorted(self._listeners)
        begin = begin if begin < len(listened) else 0
        self._wake(await asyncio.to_thread(newest_events, self._engine, listened[begin : begin + AT_ONCE]))
        return begin + AT_ONCE

    def _wake(self, newest: Mapping[str, int]) -> None:
        for submission, event in newest.items():
            for listener in self._listeners.get(submission, ()):
                if event > listener.last:
                    listener.arrived.set()

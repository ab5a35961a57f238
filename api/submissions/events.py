"""A submission's events, in order, and the listeners that wait for them.

Each event is written in the transaction of what it tells. Whoever writes one holds the submission's row, so that of
one submission a later event never shows before an earlier.

All listeners of a process share one look at the table every moment. Every process writes to the table, so nothing is
lost with Redis, with a process or between two looks. A listener is woken when the newest id is above what it has read,
and reads on from there itself.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa
from msgspec import json

from api.database.parts import parts
from api.database.schema import events
from tetrad.contracts.submissions import Event
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_transaction

LAST_STATES = frozenset({"scored", "void"})
LAST_KINDS = LAST_STATES | {"rescored"}  # an operator may have a scored submission scored again
MOST_AT_ONCE = 500
LOOK_SECONDS = 0.25
log = logging.getLogger(__name__)


def tell(connection: sa.Connection, submission: str, at: int, kind: str, data: dict[str, object]) -> None:
    row = {"submission_id": submission, "at": at, "kind": kind, "data": json.encode(data).decode()}
    connection.execute(sa.insert(events).values(row))


def events_after(engine: sa.Engine, submission: str, after: int = 0, limit: int = MOST_AT_ONCE) -> list[Event]:
    """Return up to `limit` of the submission's events with ids above `after`, oldest first."""
    query = sa.select(events).where(events.c.submission_id == submission, events.c.id > after).order_by(events.c.id)
    with read_transaction(engine) as connection:
        return [
            Event(id=row.id, at=rfc3339(row.at), kind=row.kind, data=json.decode(row.data))
            for row in connection.execute(query.limit(limit))
        ]


def newest_events(engine: sa.Engine, among: Iterable[str]) -> dict[str, int]:
    """Return the id of the newest event of each of these submissions."""
    e = events.c
    query = sa.select(e.submission_id, sa.func.max(e.id).label("id"))
    query = query.where(e.submission_id.in_(sorted(among))).group_by(e.submission_id)
    with read_transaction(engine) as connection:
        return {row.submission_id: row.id for row in connection.execute(query)}


@dataclass(eq=False)
class Listener:
    """One open stream: `last` is the id of the newest event it has read."""

    submission: str
    last: int
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


class EventFeed:
    """The listeners of one process, and the task that looks for them. For one event loop."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._listeners: set[Listener] = set()
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def listening(self, submission: str, last: int) -> Iterator[Listener]:
        """Give a listener whose `arrived` is set when the submission has events above `last`."""
        listener = Listener(submission, last)
        self._listeners.add(listener)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    async def close(self) -> None:
        """Stop looking, and wait for the last look: it has a connection of the database."""
        self._listeners.clear()
        if self._looking is not None:
            await self._looking

    async def _look(self) -> None:
        """Look for events while anybody listens. While the database is away the streams stay open."""
        while self._listeners:
            try:
                await self._wake()
            except sa.exc.SQLAlchemyError as error:
                log.warning("events could not be looked for", extra={"error": type(error).__name__})
            await asyncio.sleep(LOOK_SECONDS)

    async def _wake(self) -> None:
        listened = sorted({listener.submission for listener in self._listeners})
        for part in parts(listened):
            newest = await asyncio.to_thread(newest_events, self._engine, part)
            for listener in self._listeners:
                if newest.get(listener.submission, 0) > listener.last:
                    listener.arrived.set()

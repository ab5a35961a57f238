"""Who listens for events of which submission: one look at the table a moment for all listeners of this process.

The table is what every process writes to, so nothing is lost with Redis, with a process or between two looks: a
listener is woken when the newest id passes what it has read, and reads on from there itself.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa
from litestar.concurrency import sync_to_thread

from api.database.parts import parts
from api.submissions.events.records import newest_events

LOOK_SECONDS = 0.25
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Listener:
    """One open stream: `last` is the id of the newest event it has read."""

    submission: str
    last: int
    news: asyncio.Event = field(default_factory=asyncio.Event)


class EventFeed:
    """The listeners of one process, and the task that looks for them. For one event loop."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._listeners: set[Listener] = set()
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def listening(self, submission: str, last: int) -> Iterator[Listener]:
        """Be woken, by `news`, of events of the submission above `last`."""
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
        """Look while anybody listens. A database that is away is looked at again: the streams stay open."""
        while self._listeners:
            try:
                await self._wake()
            except sa.exc.SQLAlchemyError as error:
                log.warning("events could not be looked for", extra={"error": type(error).__name__})
            await asyncio.sleep(LOOK_SECONDS)

    async def _wake(self) -> None:
        listened = sorted({listener.submission for listener in self._listeners})
        for part in parts(listened):
            newest = await sync_to_thread(newest_events, self._engine, part)
            for listener in self._listeners:
                if newest.get(listener.submission, 0) > listener.last:
                    listener.news.set()

"""A submission's events as they come. The table is read again and again: it is what every process writes to."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import sqlalchemy as sa
from litestar.concurrency import sync_to_thread
from litestar.response import Response, ServerSentEvent
from litestar.response.sse import ServerSentEventMessage
from msgspec import json

from api.submissions.events import LAST_STATES, events_after

EVENT_STREAM = "text/event-stream"
POLL_SECONDS = 0.5
QUIET_SECONDS = 15.0  # proxies close connections that stay silent


def event_stream(engine: sa.Engine, submission: str) -> Response[Any]:
    """Return the response that follows the events until one that is the last."""
    return ServerSentEvent(follow(engine, submission))


async def follow(engine: sa.Engine, submission: str) -> AsyncIterator[ServerSentEventMessage]:
    """Yield every event, old and new, and a comment now and then."""
    last = 0
    spoke = time.monotonic()
    while True:
        for event in await sync_to_thread(events_after, engine, submission, last):
            yield ServerSentEventMessage(id=event.id, event=event.kind, data=json.encode(event))
            if event.kind in LAST_STATES:
                return
            last, spoke = event.id, time.monotonic()
        if time.monotonic() - spoke >= QUIET_SECONDS:
            yield ServerSentEventMessage(comment="waiting", data=None)
            spoke = time.monotonic()
        await asyncio.sleep(POLL_SECONDS)

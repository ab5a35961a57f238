"""A submission's events as they come, from any point on: server-sent events (WHATWG HTML, 9.2)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import sqlalchemy as sa
from litestar.concurrency import sync_to_thread
from litestar.response import Response, ServerSentEvent
from litestar.response.sse import ServerSentEventMessage
from msgspec import json

from api.submissions.events.feed import EventFeed
from api.submissions.events.records import LAST_KINDS, MOST_AT_ONCE, events_after
from tetrad.server.problems import refuse

EVENT_STREAM = "text/event-stream"
LAST_EVENT_ID = "Last-Event-ID"
LARGEST_ID = 2**63 - 1
QUIET_SECONDS = 15.0  # proxies close connections that stay silent
RETRY_MS = 2000  # how long a client waits before it asks again
NO_CONTENT = 204  # tells a client to ask no more
PRIVATE = {"Cache-Control": "private, no-store"}


def event_stream(engine: sa.Engine, feed: EventFeed, submission: str, after: int, *, is_over: bool) -> Response[Any]:
    """Return the response that follows the events above `after`, or 204 when there are none to come."""
    if is_over and not events_after(engine, submission, after, 1):
        return Response(None, status_code=NO_CONTENT, headers=PRIVATE)
    return ServerSentEvent(follow(engine, feed, submission, after), headers=PRIVATE)


def last_event_id(text: str | None) -> int:
    """Return the id of the last event that the client has.

    Raises:
        ProblemError: 422, it is no id of an event.
    """
    if text is None or not text.strip():  # the standard's own "none yet"
        return 0
    if not (text.isascii() and text.isdecimal()) or int(text) > LARGEST_ID:
        raise refuse(422, LAST_EVENT_ID, text, "is no event's id", "send the `id` of the last event, or leave it out")
    return int(text)


async def follow(
    engine: sa.Engine, feed: EventFeed, submission: str, after: int = 0
) -> AsyncIterator[ServerSentEventMessage]:
    """Yield every event above `after`, old and new, until the last one, and a comment now and then."""
    yield ServerSentEventMessage(retry=RETRY_MS, comment="events follow", data=None)
    with feed.listening(submission, after) as listener:
        while True:
            listener.news.clear()
            found = await sync_to_thread(events_after, engine, submission, listener.last)
            for event in found:
                yield ServerSentEventMessage(id=event.id, event=event.kind, data=json.encode(event))
                listener.last = event.id
            if len(found) == MOST_AT_ONCE:
                continue
            if found and found[-1].kind in LAST_KINDS:
                return
            while not await _is_woken(listener.news):
                yield ServerSentEventMessage(comment="waiting", data=None)


async def _is_woken(news: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(news.wait(), QUIET_SECONDS)
    except TimeoutError:
        return False
    return True

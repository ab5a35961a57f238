"""Lists and streams of events: the pages of a list, where a stream goes on, and its place among those of its key."""

import weakref
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from litestar import Request, Response
from litestar.concurrency import sync_to_thread
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from api.http.negotiation import VARY
from api.http.page_links import page_links
from api.paging import cursor_at
from api.settings import ApiSettings
from api.submissions.events import OpenStreams
from api.teams.access import Caller, is_current
from tetrad.server.problems import refuse

EVENT_STREAM = "text/event-stream"
LAST_EVENT_ID = "Last-Event-ID"
LARGEST_ID = 2**63 - 1
QUIET_SECONDS = 15.0  # proxies close connections that stay silent
CHECK_SECONDS = 5.0  # between two looks whether the API key of a stream is revoked
RETRY_MS = 2000  # how long a client waits before it asks again
NO_CONTENT = 204  # tells a client to ask no more
PRIVATE = {"Cache-Control": "private, no-store"}
STREAMED = {**PRIVATE, "X-Accel-Buffering": "no"}  # a proxy hands each event on at once
FORMS: Mapping[str, tuple[str, ...]] = {"json": ("application/json",), "stream": (EVENT_STREAM,)}


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


Numbered = TypeVar("Numbered", bound=_Numbered)


def list_events(
    settings: ApiSettings, request: Request[Any, Any, Any], cursors: str, found: Sequence[Numbered], limit: int
) -> Response[list[Numbered]]:
    """Return a page of up to `limit` events. `found` has one more where a page follows; `cursors` names their kind."""
    following = cursor_at(cursors, found[limit - 1].id) if len(found) > limit else None
    headers = {**PRIVATE, **VARY, **page_links(settings, request, following)}
    return Response(list(found[:limit]), headers=headers)


def stream_events(
    engine: sa.Engine,
    streams: OpenStreams,
    caller: Caller,
    begin: Callable[[Callable[[], None]], AsyncGenerator[ServerSentEventMessage]],
) -> Response[Any]:
    """Return the response of one more stream of the caller's key. `begin` takes what the stream calls at its end.

    The stream ends within CHECK_SECONDS + QUIET_SECONDS after its key was revoked.

    Raises:
        CapReachedError: the key has as many as it may have.
    """
    end = streams.take(caller.key_id)
    stream = begin(end)
    weakref.finalize(stream, end)  # nobody runs it whose listener left before the response began
    return ServerSentEvent(_while_current(engine, caller.key_id, stream), headers=STREAMED)


async def _while_current(
    engine: sa.Engine, key_id: str, stream: AsyncGenerator[ServerSentEventMessage]
) -> AsyncGenerator[ServerSentEventMessage]:
    """Yield the messages of a stream as long as its API key is not revoked. A client that asks again is told."""
    checked = monotonic()
    async with aclosing(stream):
        async for message in stream:
            if monotonic() >= checked + CHECK_SECONDS:
                if not await sync_to_thread(_is_current, engine, key_id):
                    yield ServerSentEventMessage(comment="this key is revoked", data=None)
                    return
                checked = monotonic()
            yield message


def _is_current(engine: sa.Engine, key_id: str) -> bool:
    try:
        return is_current(engine, key_id)
    except sa.exc.SQLAlchemyError:  # streams stay open while the database is away
        return True


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

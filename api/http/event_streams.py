"""Lists and streams of events: the pages of a list, where a stream goes on, and its place among those of its key."""

import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from litestar import Request, Response
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from api.http.negotiation import VARY
from api.http.page_links import page_links
from api.paging import cursor_at
from api.settings import ApiSettings
from api.submissions.events import OpenStreams
from api.teams.access import Caller
from tetrad.server.problems import refuse

EVENT_STREAM = "text/event-stream"
LAST_EVENT_ID = "Last-Event-ID"
LARGEST_ID = 2**63 - 1
QUIET_SECONDS = 15.0  # proxies close connections that stay silent
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
    streams: OpenStreams,
    caller: Caller,
    begin: Callable[[Callable[[], None]], AsyncIterator[ServerSentEventMessage]],
) -> Response[Any]:
    """Return the response of one more stream of the caller's key. `begin` takes what the stream calls at its end.

    Raises:
        CapReachedError: the key has as many as it may have.
    """
    end = streams.take(caller.key_id)
    stream = begin(end)
    weakref.finalize(stream, end)  # nobody runs it whose listener left before the response began
    return ServerSentEvent(stream, headers=STREAMED)


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

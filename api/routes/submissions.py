"""Submissions: opening, listing, finishing, their events."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

import sqlalchemy as sa
from litestar import Request, Response, get, post
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.response.sse import ServerSentEventMessage
from msgspec import json

from api.context import AppContext
from api.http.documents import key, problems
from api.http.event_streams import (
    FORMS,
    LAST_EVENT_ID,
    NO_CONTENT,
    PRIVATE,
    QUIET_SECONDS,
    RETRY_MS,
    last_event_id,
    list_events,
    stream_events,
)
from api.http.guards import needs
from api.http.idempotency import Once
from api.http.negotiation import chosen_format, format_query
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import SubmissionId
from api.http.state import HttpState
from api.paging import link, position_of
from api.submissions.events import LAST_KINDS, LAST_STATES, MOST_AT_ONCE, EventFeed, events_after
from api.submissions.finding import find_owned, list_own, show
from api.submissions.finishing import finish
from api.submissions.opening import open_submission
from api.teams.access import Caller
from tetrad.contracts.submissions import Event, Submission, SubmissionList, SubmissionRequest


@post(
    "/submissions",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="openSubmission",
    summary="Open a submission on a sealed draw of its own",
    responses=problems(400, 401, 403, 404, 409, 422, 429, 502, 503),
    sync_to_thread=True,
)
def new_submission(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[SubmissionRequest],
) -> Response[Submission]:
    """Seal a draw, write its commitment to the public log, and say by when to answer."""
    address = http_state.addresses.of(request.scope)

    def headers(opened: Submission) -> dict[str, str]:
        return {"Location": link(context.settings, "submissions", opened.id)}

    return once()(lambda keep: open_submission(context, caller, data, keep, address=address), headers)


@get(
    "/submissions",
    guards=needs("read"),
    security=key("read"),
    operation_id="listSubmissions",
    summary="Your team's submissions, newest first",
    responses=problems(400, 401, 403, 422),
    sync_to_thread=True,
)
def submissions(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[SubmissionList]:
    """Give each as `GET /v1/submissions/{submission}` does, also private ones and those of evaluations."""
    page = list_own(context.engine, context.settings, caller, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@get(
    "/submissions/{submission:str}",
    guards=needs("read"),
    security=key("read"),
    operation_id="getSubmission",
    summary="State and progress of a submission",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def submission(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], submission: SubmissionId
) -> Submission:
    """Tell how far it is, and its headline once it is scored. Another team's submission is 404."""
    return show(context.settings, find_owned(context.engine, caller, submission))


@post(
    "/submissions/{submission:str}/finish",
    status_code=200,
    guards=needs("submit"),
    security=key("submit"),
    operation_id="finishSubmission",
    summary="Finish now: what is missing is wrong",
    responses=problems(401, 403, 404, 409),
    sync_to_thread=True,
)
def finish_submission(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller], submission: SubmissionId
) -> Submission:
    """Take no answer any more and queue it to be scored. What is unanswered counts as wrong."""
    return finish(context, caller, submission)


@get(
    "/submissions/{submission:str}/events",
    guards=needs("read"),
    security=key("read"),
    operation_id="listEvents",
    summary="What happened, as a list or as a stream of server-sent events",
    responses=problems(400, 401, 403, 404, 406, 422),
    sync_to_thread=True,
)
def events(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: SubmissionId,
    cursor: Cursor = None,
    limit: PageLimit = 500,
    form: Annotated[str | None, format_query(FORMS)] = None,
) -> Response[list[Event]]:
    """Give events as JSON, oldest first, or follow them as server-sent events until the submission is scored.

    A stream goes on after the event that Last-Event-ID names; 204 says that none is to come.
    """
    row = find_owned(context.engine, caller, submission)
    if chosen_format(request, FORMS, form) == "stream":
        after = last_event_id(request.headers.get(LAST_EVENT_ID))
        is_over = row.state in LAST_STATES
        return event_stream(context.engine, http_state, caller, submission, after, is_over=is_over)
    found = events_after(context.engine, submission, position_of("events", cursor, 0), limit + 1)
    return list_events(context.settings, request, "events", found, limit)


def event_stream(
    engine: sa.Engine, http_state: HttpState, caller: Caller, submission: str, after: int, *, is_over: bool
) -> Response[Any]:
    """Return the response that follows the events above `after`, or 204 when there are none to come."""
    if is_over and not events_after(engine, submission, after, 1):
        return Response(None, status_code=NO_CONTENT, headers=PRIVATE)
    return stream_events(
        engine, http_state.streams, caller, partial(follow, engine, http_state.feed, submission, after)
    )


async def follow(
    engine: sa.Engine, feed: EventFeed, submission: str, after: int, end: Callable[[], None]
) -> AsyncGenerator[ServerSentEventMessage]:
    """Yield every event above `after`, old and new, until the last one, and a comment now and then; then call `end`."""
    with ExitStack() as at_end:
        at_end.callback(end)
        listener = at_end.enter_context(feed.listening(submission, after))
        yield ServerSentEventMessage(retry=RETRY_MS, comment="events follow", data=None)
        while True:
            listener.arrived.clear()
            found = await sync_to_thread(events_after, engine, submission, listener.last)
            for event in found:
                yield ServerSentEventMessage(id=event.id, event=event.kind, data=json.encode(event))
                listener.last = event.id
            if len(found) == MOST_AT_ONCE:
                continue
            if found and found[-1].kind in LAST_KINDS:
                return
            while not await _is_woken(listener.arrived):
                yield ServerSentEventMessage(comment="waiting", data=None)


async def _is_woken(arrived: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(arrived.wait(), QUIET_SECONDS)
    except TimeoutError:
        return False
    return True


HANDLERS = [new_submission, submissions, submission, finish_submission, events]

"""Submissions: opening, listing, finishing, what happened to them."""

from collections.abc import Callable
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from api.context import Services
from api.http.cursors import cursor_at, position_of
from api.http.documents import key, problems
from api.http.idempotency import Once
from api.http.links import Cursor, PageLimit, link, page_links
from api.http.negotiation import VARY, chosen_format, format_query
from api.submissions.events.records import LAST_STATES, events_after
from api.submissions.events.stream import EVENT_STREAM, LAST_EVENT_ID, event_stream, last_event_id
from api.submissions.finding import list_own, owned, show
from api.submissions.finishing import finish
from api.submissions.opening import open_submission
from api.teams.access import Caller, needs
from tetrad.contracts.submissions import Event, Submission, SubmissionList, SubmissionRequest

FORMS = {"json": ("application/json",), "stream": (EVENT_STREAM,)}


@post(
    "/submissions",
    guards=needs("submit"),
    security=key("submit"),
    operation_id="openSubmission",
    summary="Open a submission on a sealed draw of its own",
    responses=problems(400, 401, 403, 404, 409, 422, 502, 503),
    sync_to_thread=True,
)
def new_submission(
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[SubmissionRequest],
) -> Response[Submission]:
    """Seal a draw, write its commitment to the public log, and say by when to answer."""

    def headers(opened: Submission) -> dict[str, str]:
        return {"Location": link(services.settings, "submissions", opened.id)}

    return once()(lambda keep: open_submission(services, caller, data, keep), headers)


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
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
) -> Response[SubmissionList]:
    page = list_own(services, caller, cursor, limit)
    return Response(page, headers=page_links(services.settings, request, page.next))


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
    services: NamedDependency[Services], caller: NamedDependency[Caller], submission: FromPath[str]
) -> Submission:
    return show(services.settings, owned(services, caller, submission))


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
def finished(
    services: NamedDependency[Services], caller: NamedDependency[Caller], submission: FromPath[str]
) -> Submission:
    return finish(services, caller, submission)


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
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
    cursor: Cursor = None,
    limit: PageLimit = 500,
    form: Annotated[str | None, format_query(FORMS)] = None,
) -> Response[list[Event]]:
    """Give events as JSON, oldest first, or follow them as server-sent events until the submission is scored.

    A stream goes on after the event that Last-Event-ID names; 204 says that none is to come.
    """
    row = owned(services, caller, submission)
    if chosen_format(request, FORMS, form) == "stream":
        after = last_event_id(request.headers.get(LAST_EVENT_ID))
        is_over = row.state in LAST_STATES
        return event_stream(services.engine, services.feed, submission, after, is_over=is_over)
    found = events_after(services.engine, submission, position_of("events", cursor, 0), limit + 1)
    following = cursor_at("events", found[limit - 1].id) if len(found) > limit else None
    headers = {"Cache-Control": "private, no-store", **VARY, **page_links(services.settings, request, following)}
    return Response(found[:limit], headers=headers)


HANDLERS = [new_submission, submissions, submission, finished, events]

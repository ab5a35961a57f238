"""Submissions: opening, listing, finishing, what happened to them."""

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from api.access import Caller, needs
from api.documents import KEY, problems
from api.links import PageLimit, link, next_header
from api.services import Services
from api.submissions.event_stream import EVENT_STREAM, event_stream
from api.submissions.events import events_after
from api.submissions.finding import list_own, owned, show
from api.submissions.finishing import finish
from api.submissions.opening import open_submission
from tetrad.contracts.submissions import Submission, SubmissionList, SubmissionRequest

JSON = "application/json"


@post(
    "/submissions",
    dependencies=needs("submit"),
    security=KEY,
    operation_id="openSubmission",
    summary="Open a submission on a sealed draw of its own",
    responses=problems(400, 401, 403, 404, 422, 429, 502, 503),
    sync_to_thread=True,
)
def new_submission(
    services: NamedDependency[Services], caller: NamedDependency[Caller], data: JSONBody[SubmissionRequest]
) -> Response[Submission]:
    """Seal a draw, write its commitment to the public log, and say by when to answer."""
    opened = open_submission(services, caller, data)
    return Response(opened, headers={"Location": link(services.settings, "submissions", opened.id)})


@get(
    "/submissions",
    dependencies=needs("read"),
    security=KEY,
    operation_id="listSubmissions",
    summary="Your team's submissions, newest first",
    responses=problems(400, 401, 403, 404),
    sync_to_thread=True,
)
def submissions(
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    cursor: Annotated[str | None, QueryParameter(description="`next` of the page before")] = None,
    limit: PageLimit = 50,
) -> Response[SubmissionList]:
    page = list_own(services, caller, cursor, limit)
    return Response(page, headers=next_header(services.settings, request, cursor=page.next))


@get(
    "/submissions/{submission:str}",
    dependencies=needs("read"),
    security=KEY,
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
    dependencies=needs("submit"),
    security=KEY,
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
    dependencies=needs("read"),
    security=KEY,
    operation_id="listEvents",
    summary="What happened, as a list or as a stream of server-sent events",
    responses=problems(401, 403, 404),
    sync_to_thread=True,
)
def events(
    services: NamedDependency[Services],
    caller: NamedDependency[Caller],
    request: Request[Any, Any, Any],
    submission: FromPath[str],
) -> Response[Any]:
    """Give all events as JSON, or with `Accept: text/event-stream` follow them until the submission is scored."""
    owned(services, caller, submission)
    if request.accept.best_match([JSON, EVENT_STREAM], default=JSON) == EVENT_STREAM:
        return event_stream(services.engine, submission)
    return Response(events_after(services.engine, submission))


HANDLERS = [new_submission, submissions, submission, finished, events]

"""Operators and results: voiding, queueing again, hiding rows, scoring again."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from api.context import Services
from api.http.documents import problems
from api.http.idempotency import Once
from api.http.links import Cursor, PageLimit, link, page_links
from api.operator.access import Operator
from api.operator.applying import apply_batch
from api.operator.rescoring import SHOWN, queue_rescoring, show_batch
from api.operator.rows import hide, show
from api.operator.submissions import requeue, void
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.operator import Explained, Noted, RescoringRequest, RowRequest
from tetrad.contracts.rescoring import RescoringBatch
from tetrad.contracts.submissions import Submission


@post(
    "/submissions/{submission:str}/void",
    status_code=200,
    operation_id="adminVoidSubmission",
    summary="Take a submission out of all that counts, for good, with a public reason",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def voided(
    services: NamedDependency[Services],
    operator: NamedDependency[Operator],
    submission: FromPath[str],
    data: JSONBody[Explained],
) -> Submission:
    return void(services, operator, submission, data.reason)


@post(
    "/submissions/{submission:str}/requeue",
    status_code=200,
    operation_id="adminRequeueSubmission",
    summary="Queue a failed submission afresh",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def requeued(
    services: NamedDependency[Services],
    operator: NamedDependency[Operator],
    submission: FromPath[str],
    data: JSONBody[Noted],
) -> Submission:
    return requeue(services, operator, submission, data.reason)


@post(
    "/rows/hide",
    status_code=200,
    operation_id="adminHideRow",
    summary="Take a model's row off a board, with a public reason",
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def hidden(
    services: NamedDependency[Services], operator: NamedDependency[Operator], data: JSONBody[RowRequest]
) -> Board:
    """Give the board as everybody sees it from now on."""
    return hide(services, operator, data)


@post(
    "/rows/show",
    status_code=200,
    operation_id="adminShowRow",
    summary="Put a hidden row back",
    responses=problems(400, 404, 409, 422, 502, 503),
    sync_to_thread=True,
)
def shown(
    services: NamedDependency[Services], operator: NamedDependency[Operator], data: JSONBody[RowRequest]
) -> Board:
    return show(services, operator, data)


@post(
    "/rescorings",
    status_code=202,
    operation_id="adminProposeRescoring",
    summary="Score a submission, or all of a benchmark, again: a proposal, nothing changes yet",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def new_rescoring(
    services: NamedDependency[Services],
    operator: NamedDependency[Operator],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[RescoringRequest],
) -> Response[RescoringBatch]:
    def headers(queued: RescoringBatch) -> dict[str, str]:
        return {"Location": link(services.settings, "admin", "rescorings", queued.id), "Retry-After": "1"}

    return once()(lambda keep: queue_rescoring(services, operator, data, keep), headers, 202)


@get(
    "/rescorings/{batch:str}",
    operation_id="adminGetRescoring",
    summary="How far a rescoring is, what differs, and which rows would move",
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def rescoring(
    *,
    services: NamedDependency[Services],
    request: Request[Any, Any, Any],
    batch: FromPath[str],
    cursor: Cursor = None,
    limit: PageLimit = SHOWN,
) -> Response[RescoringBatch]:
    page = show_batch(services, batch, cursor, limit)
    return Response(page, headers=page_links(services.settings, request, page.next))


@post(
    "/rescorings/{batch:str}/apply",
    status_code=200,
    operation_id="adminApplyRescoring",
    summary="Put the proposed reports in the place of the old ones, which stay readable",
    responses=problems(404, 409, 502, 503),
    sync_to_thread=True,
)
def applied(
    services: NamedDependency[Services], operator: NamedDependency[Operator], batch: FromPath[str]
) -> RescoringBatch:
    return apply_batch(services, operator, batch)


HANDLERS = [voided, requeued, hidden, shown, new_rescoring, rescoring, applied]

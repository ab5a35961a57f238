"""Operators and results: voiding, queueing again, hiding rows, scoring again."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.context import AppContext
from api.http.documents import problems
from api.http.idempotency import Once
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import RescoringId, SubmissionId
from api.operator.access import Operator
from api.operator.rescoring import SHOWN, apply_batch, queue_rescoring, show_batch
from api.operator.rows import hide, show
from api.operator.submissions import requeue, void
from api.paging import link
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
def void_submission(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    submission: SubmissionId,
    data: JSONBody[Explained],
) -> Submission:
    """Take it off every board. Its report is shown no more, and everybody may read the reason."""
    return void(context.engine, context.settings, operator, submission, data.reason)


@post(
    "/submissions/{submission:str}/requeue",
    status_code=200,
    operation_id="adminRequeueSubmission",
    summary="Queue a failed submission afresh",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def requeue_submission(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    submission: SubmissionId,
    data: JSONBody[Noted],
) -> Submission:
    """Give a submission that could not be scored new attempts, once what failed is mended."""
    return requeue(context, operator, submission, data.reason)


@post(
    "/rows/hide",
    status_code=200,
    operation_id="adminHideRow",
    summary="Take a model's row off a board, with a public reason",
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def hide_row(
    context: NamedDependency[AppContext], operator: NamedDependency[Operator], data: JSONBody[RowRequest]
) -> Board:
    """Give the board as everybody sees it from now on."""
    return hide(context.engine, context.cards, context.boards, operator, data)


@post(
    "/rows/show",
    status_code=200,
    operation_id="adminShowRow",
    summary="Put a hidden row back",
    responses=problems(400, 404, 409, 422, 502, 503),
    sync_to_thread=True,
)
def show_row(
    context: NamedDependency[AppContext], operator: NamedDependency[Operator], data: JSONBody[RowRequest]
) -> Board:
    """Give the board as everybody sees it from now on."""
    return show(context.engine, context.cards, context.boards, operator, data)


@post(
    "/rescorings",
    status_code=202,
    operation_id="adminProposeRescoring",
    summary="Score a submission, or all of a benchmark, again: a proposal, nothing changes yet",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def new_rescoring(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    once: NamedDependency[Callable[[], Once]],
    data: JSONBody[RescoringRequest],
) -> Response[RescoringBatch]:
    """Queue a new report of each scored submission that is named.

    Nothing that others see changes before it is applied.
    """

    def headers(queued: RescoringBatch) -> dict[str, str]:
        return {"Location": link(context.settings, "admin", "rescorings", queued.id), "Retry-After": "1"}

    return once()(lambda keep: queue_rescoring(context.engine, context.notifier, operator, data, keep), headers, 202)


@get(
    "/rescorings/{batch:str}",
    operation_id="adminGetRescoring",
    summary="How far a rescoring is, what differs, and which rows would move",
    responses=problems(400, 404, 422, 502, 503),
    sync_to_thread=True,
)
def rescoring(
    *,
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    batch: RescoringId,
    cursor: Cursor = None,
    limit: PageLimit = SHOWN,
) -> Response[RescoringBatch]:
    """Give the counts by state and a page of what differs.

    Once nothing is queued, the rows that would move are in it.
    """
    page = show_batch(context.engine, context.cards, batch, cursor, limit)
    return Response(page, headers=page_links(context.settings, request, page.next))


@post(
    "/rescorings/{batch:str}/apply",
    status_code=200,
    operation_id="adminApplyRescoring",
    summary="Put the proposed reports in the place of the old ones, which stay readable",
    responses=problems(404, 409, 502, 503),
    sync_to_thread=True,
)
def apply_rescoring(
    context: NamedDependency[AppContext], operator: NamedDependency[Operator], batch: RescoringId
) -> RescoringBatch:
    """Replace all proposed reports in one transaction. A submission that was scored again since is left out."""
    return apply_batch(context.engine, context.cards, operator, batch)


HANDLERS = [void_submission, requeue_submission, hide_row, show_row, new_rescoring, rescoring, apply_rescoring]

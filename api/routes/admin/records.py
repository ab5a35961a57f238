"""Operators and the instance: their audit log, what teams used, and the seed secrets that are needed."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.context import AppContext
from api.http.documents import problems
from api.http.page_links import Cursor, PageLimit, page_links
from api.operator.access import Operator
from api.operator.audit_log import list_acts
from api.operator.secrets import review_secrets
from api.operator.usage import write_usage
from tetrad.contracts.operator import ActList, SecretStates


@get(
    "/acts",
    operation_id="adminListActs",
    summary="What operators did, newest first",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def acts(
    *,
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
    subject: Annotated[str | None, QueryParameter(description="only acts on this id")] = None,
) -> Response[ActList]:
    """Give the lines of the append-only log: who did what to which id, when and why."""
    page = list_acts(context.engine, cursor, limit, subject)
    return Response(page, headers=page_links(context.settings, request, page.next))


@get(
    "/usage",
    operation_id="adminGetUsage",
    summary="What each team used in a period, as CSV",
    media_type="text/csv",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def usage(
    *,
    context: NamedDependency[AppContext],
    since: Annotated[date | None, QueryParameter(description="the first day, in UTC; this month's by default")] = None,
    until: Annotated[date | None, QueryParameter(description="the day after the last; tomorrow by default")] = None,
) -> str:
    """Give a line for each team, oldest first, deleted ones by their pseudonyms.

    Columns: `team` (its id), `name`, `state`; `submissions` opened in the period, with their `items`, the `answers`
    that were sealed and how many are `scored`; `evaluations` begun; what calls of models cost, in US `dollars`, and
    how much of that is `estimated`, because a provider reported no usage.
    """
    today = datetime.now(UTC).date()
    return write_usage(context.engine, since or today.replace(day=1), until or today + timedelta(days=1))


@post(
    "/secrets/review",
    status_code=200,
    operation_id="adminReviewSecrets",
    summary="Let go of draws nobody can answer, and say which seed secrets the others need",
    responses=problems(502, 503),
    sync_to_thread=True,
)
def secrets(context: NamedDependency[AppContext], operator: NamedDependency[Operator]) -> SecretStates:
    """Close the draws that nobody can answer any more, and count for each secret the draws that still need it."""
    return review_secrets(context.engine, context.generator, operator)


HANDLERS = [acts, usage, secrets]

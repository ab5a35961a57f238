"""Operators and the instance: the log of their acts, and which seed secrets are needed."""

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.context import Services
from api.http.documents import problems
from api.http.links import Cursor, PageLimit, page_links
from api.operator.access import Operator
from api.operator.acts import list_acts
from api.operator.secrets import review_secrets
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
    services: NamedDependency[Services],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
    subject: Annotated[str | None, QueryParameter(description="only acts on this id")] = None,
) -> Response[ActList]:
    page = list_acts(services, cursor, limit, subject)
    return Response(page, headers=page_links(services.settings, request, page.next))


@post(
    "/secrets/review",
    status_code=200,
    operation_id="adminReviewSecrets",
    summary="Let go of draws nobody can answer, and say which seed secrets the others need",
    responses=problems(502, 503),
    sync_to_thread=True,
)
def secrets(services: NamedDependency[Services], operator: NamedDependency[Operator]) -> SecretStates:
    return review_secrets(services, operator)


HANDLERS = [acts, secrets]

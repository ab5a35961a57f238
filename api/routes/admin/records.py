"""Operators and the instance: the log of their acts, and which seed secrets are needed."""

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.documents import OPERATOR_TOKEN, problems
from api.links import Cursor, PageLimit, page_links
from api.operator.access import OPERATOR, Operator
from api.operator.acts import list_acts
from api.operator.secrets import review_secrets
from api.services import Services
from tetrad.contracts.operator import ActList, SecretStates


@get(
    "/admin/acts",
    dependencies=OPERATOR,
    security=OPERATOR_TOKEN,
    operation_id="adminListActs",
    summary="What operators did, newest first",
    responses=problems(400, 401, 403, 422),
    sync_to_thread=True,
)
def acts(
    *,
    services: NamedDependency[Services],
    operator: NamedDependency[Operator],  # noqa: ARG001 -- asking for it keeps others out
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
    subject: Annotated[str | None, QueryParameter(description="only acts on this id")] = None,
) -> Response[ActList]:
    page = list_acts(services, cursor, limit, subject)
    return Response(page, headers=page_links(services.settings, request, page.next))


@post(
    "/admin/secrets/review",
    status_code=200,
    dependencies=OPERATOR,
    security=OPERATOR_TOKEN,
    operation_id="adminReviewSecrets",
    summary="Let go of draws nobody can answer, and say which seed secrets the others need",
    responses=problems(401, 403, 502, 503),
    sync_to_thread=True,
)
def secrets(services: NamedDependency[Services], operator: NamedDependency[Operator]) -> SecretStates:
    return review_secrets(services, operator)


HANDLERS = [acts, secrets]

"""Operators and the gateway: tokens that open it, and what teams may spend there."""

from typing import Annotated, Any

from litestar import Request, Response, get, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from api.context import AppContext
from api.http.documents import problems
from api.http.page_links import Cursor, PageLimit, page_links
from api.http.path_ids import TeamIdOrName, TokenId
from api.operator.access import Operator
from api.operator.gateway_tokens import list_tokens, make_token, revoke_token, set_budget, show_budget
from tetrad.contracts.inference import (
    GatewayTokenList,
    GatewayTokenRecord,
    GatewayTokenRequest,
    GrantedGatewayToken,
    ModelBudget,
    ModelBudgetRequest,
)
from tetrad.contracts.operator import Noted


@post(
    "/gateway-tokens",
    operation_id="adminMakeGatewayToken",
    summary="Record a token for the gateway, which the command signs",
    responses=problems(400, 403, 404, 409, 422),
    sync_to_thread=True,
)
def new_token(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    data: JSONBody[GatewayTokenRequest],
) -> Response[GrantedGatewayToken]:
    """Record the token. `tetrad admin gateway-token make` signs it, for the api holds no secret that does."""
    made = make_token(context.engine, context.settings, operator, data)
    return Response(made, status_code=201, headers={"Cache-Control": "no-store"})


@get(
    "/gateway-tokens",
    operation_id="adminListGatewayTokens",
    summary="The gateway's tokens, without the tokens themselves",
    responses=problems(400, 422),
    sync_to_thread=True,
)
def tokens(
    *,
    context: NamedDependency[AppContext],
    request: Request[Any, Any, Any],
    cursor: Cursor = None,
    limit: PageLimit = 50,
    team: Annotated[str | None, QueryParameter(description="only those of this team, by id or name")] = None,
) -> Response[GatewayTokenList]:
    """Give each token's team, purpose, models and budget, also of revoked and expired ones."""
    page = list_tokens(context.engine, cursor, limit, team)
    return Response(page, headers=page_links(context.settings, request, page.next))


@post(
    "/gateway-tokens/{token:str}/revoke",
    status_code=200,
    operation_id="adminRevokeGatewayToken",
    summary="Revoke a token: the gateway lets it pass no more within seconds",
    responses=problems(400, 404, 422),
    sync_to_thread=True,
)
def revoke_gateway_token(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    token: TokenId,
    data: JSONBody[Noted],
) -> GatewayTokenRecord:
    """Take the token back. A second time changes nothing."""
    return revoke_token(context.engine, operator, token, data.reason)


@get(
    "/teams/{team:str}/model-budget",
    operation_id="adminShowModelBudget",
    summary="What a team may spend on models of the gateway, and has spent",
    responses=problems(400, 404, 422),
    sync_to_thread=True,
)
def budget(context: NamedDependency[AppContext], team: TeamIdOrName) -> ModelBudget:
    """Give the team's bound, and what all its tokens have spent."""
    return show_budget(context.engine, team)


@put(
    "/teams/{team:str}/model-budget",
    operation_id="adminSetModelBudget",
    summary="Bound what a team spends on models of the gateway; null takes the bound away",
    responses=problems(400, 404, 409, 422),
    sync_to_thread=True,
)
def new_budget(
    context: NamedDependency[AppContext],
    operator: NamedDependency[Operator],
    team: TeamIdOrName,
    data: JSONBody[ModelBudgetRequest],
) -> ModelBudget:
    """Bound the spending of all the team's tokens together. Gateways hear of it within seconds."""
    return set_budget(context.engine, operator, team, data)


HANDLERS = [new_token, tokens, revoke_gateway_token, budget, new_budget]

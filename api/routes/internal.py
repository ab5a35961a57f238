"""Routes for the gateway: settlements, the epochs of its ledger, revoked tokens. Not public."""

from typing import Any

from litestar import Router, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import JSONBody

from api import spending
from api.context import AppContext
from api.operator.gateway_tokens import revoked_tokens
from tetrad.contracts.inference import RevokedTokens
from tetrad.internal.spending import LedgerOpened, Settlements, SettlementsRecorded
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import check_token


@post("/settlements", status_code=200, sync_to_thread=True)
def record(data: JSONBody[Settlements], context: NamedDependency[AppContext]) -> SettlementsRecorded:
    """Keep a batch of settlements, each once."""
    return spending.record(context.engine, data.settlements)


@post("/ledger", status_code=200, sync_to_thread=True)
def open_ledger(context: NamedDependency[AppContext]) -> LedgerOpened:
    """Begin the next epoch of the gateway's ledger."""
    return spending.open_ledger(context.engine)


@get("/revoked-tokens", sync_to_thread=True)
def list_revoked_tokens(context: NamedDependency[AppContext]) -> RevokedTokens:
    """List the tokens of the gateway that may pass no more, though they have not expired."""
    return revoked_tokens(context.engine)


async def gateway_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Let only the gateway pass; without a token in the settings, nobody.

    The token is looked up at each request, in the context of that moment.
    """
    context: AppContext | None = connection.app.state["context"]
    token = "" if context is None else context.settings.ledger_token
    if not token:
        raise ProblemError(404, f"there is no {connection.url.path}")
    check_token(connection, token)


ROUTER = Router(
    "/internal/v1",
    route_handlers=[record, open_ledger, list_revoked_tokens],
    guards=[gateway_only],
    include_in_schema=False,
)

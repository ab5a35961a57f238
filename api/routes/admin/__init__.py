"""The operators' part of the API: one router, whose guard keeps everybody else out."""

from litestar import Router
from litestar.di import Provide

from api.context import AppContext
from api.http.documents import OPERATOR_TOKEN
from api.http.guards import operator_of, operators_only
from api.routes.admin import baselines, gateway_tokens, invites, outcomes, records, teams

MODULES = (teams, outcomes, records, gateway_tokens, invites, baselines)


def admin_router(context: AppContext | None) -> Router:
    """Return the routes below /v1/admin; without a context nobody may operate."""
    return Router(
        "/admin",
        route_handlers=[handler for module in MODULES for handler in module.HANDLERS],
        guards=[operators_only("" if context is None else context.settings.operator_token)],
        dependencies={"operator": Provide(operator_of, sync_to_thread=False)},
        security=OPERATOR_TOKEN,
    )

"""Guards and what they find: who is asking, with which scope, as an operator, and with which names in the query.

Guards look before a byte of the body is read. They are async, because Litestar takes a thread for one that is not.

The operators' routes stand on the public listener: one port, one kind of error, and one prefix (/v1/admin) that a proxy
can keep from the outside. An API key is no operator's token, whatever its scopes.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.types import Guard

from api.context import AppContext
from api.http.problems import CHALLENGE
from api.inputs import check_names
from api.operator.access import Operator, operator_with
from api.teams.access import Caller, identify
from api.teams.approvals import REVEALED, allowed_to, is_revealed
from api.teams.caps import check_active
from tetrad.contracts.accounts import Scope
from tetrad.server.database import read_transaction
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import bearer_token

CARD_NAMES = {"card_names": True}
"""`opt` of a route whose query names depend on a card: it looks itself."""


def needs(scope: Scope) -> Sequence[Guard]:
    """Return the guards of a handler that needs an API key of this scope."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        found = await identify_key(connection)
        if found is None:
            detail = "a key is needed: send Authorization: Bearer tetrad_...; POST /v1/teams gives the first one"
            raise ProblemError(401, detail, headers=CHALLENGE)
        check_scope(found, scope)

    return [guard]


def check_scope(caller: Caller, scope: Scope) -> None:
    """Check that a caller may do what needs this scope.

    Raises:
        ProblemError: 403, its API key lacks the scope.
        InactiveTeamError: its team may only read.
    """
    if scope not in caller.scopes:
        held = ", ".join(sorted(caller.scopes))
        raise ProblemError(403, f"this needs a key with scope {scope}; this one has {held}")
    if scope != "read" and caller.state == "suspended":
        check_active(caller.state, caller.state_reason)


async def _anyone(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Refuse a wrong API key: it is an error even where none is needed."""
    await identify_key(connection)


ANYONE: Sequence[Guard] = [_anyone]
"""The guards of a handler that needs no API key and looks at one that comes."""


def caller_of(request: Request[Any, Any, Any]) -> Caller | None:
    """Return the caller that the guard of this route found; None where no API key is needed and none was sent."""
    found: Caller | None = request.auth
    return found


async def identify_key(connection: ASGIConnection[Any, Any, Any, Any]) -> Caller | None:
    """Return and keep the caller, None where no API key was sent. The database is asked in a thread: it may be slow."""
    context: AppContext = connection.app.state.context
    key = bearer_token(connection)
    found = None if key is None else await sync_to_thread(identify, context.engine, key)
    connection.scope["auth"] = found
    return found


def operators_only(setting: str) -> Guard:
    """Return a guard for the operators of TETRAD_API_OPERATOR_TOKEN alone; some of them may only view."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        _operator(setting, connection).check_may(str(connection.scope.get("method")))

    return guard


def operator_of(request: Request[Any, Any, Any], context: NamedDependency[AppContext]) -> Operator:
    """Return the operator, for handlers that write the audit log or show contacts."""
    return _operator(context.settings.operator_token, request)


def _operator(setting: str, connection: ASGIConnection[Any, Any, Any, Any]) -> Operator:
    token = bearer_token(connection)
    if token is None:
        raise ProblemError(401, "an operator's token is needed (TETRAD_API_OPERATOR_TOKEN)", headers=CHALLENGE)
    return operator_with(setting, token)


async def known_query_names(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Check that the query has names of its route only, each once: a `dry-run` must not count for nothing."""
    if connection.scope["query_string"] and not handler.opt.get("card_names"):
        check_names(list(connection.query_params.multi_items()), _names_of(handler))


@lru_cache(maxsize=256)
def _names_of(handler: BaseRouteHandler) -> tuple[str, ...]:
    parameters = handler.parsed_fn_signature.parameters.items()
    return tuple(
        str(field.kwarg_definition.name or name)
        for name, field in parameters
        if isinstance(field.kwarg_definition, QueryParameter)
    )


def allowed_by_request(context: AppContext, request: Request[Any, Any, Any], seed: str = "") -> list[str]:
    """Return what whoever sent a request may draw from beside public sources; `seed` is that of the item asked for.

    Nobody is looked up where all sources are public and whole.

    Raises:
        UnknownKeyError: the API key is nobody's.
    """
    sources = [source for info in context.cards.all() for source in info.sources]
    if all(source.access == "public" and not source.divided for source in sources):
        return []
    caller: Caller | None = request.scope.get("auth")  # of a page, whose guard has looked
    key = bearer_token(request)
    if caller is None and key is not None:
        caller = identify(context.engine, key)
    with read_transaction(context.engine) as connection:
        allowed = [] if caller is None else allowed_to(connection, caller.team_id)
        return [*allowed, REVEALED] if seed and is_revealed(connection, seed) else allowed

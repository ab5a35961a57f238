"""Who may operate: tokens of the environment, each under a name, so that the log of acts can say who it was.

The routes stand on the public listener: one port, one kind of error, and one prefix (/v1/admin) that a proxy can keep
from the outside. A guard on that prefix keeps others out before a body or a row is read. A team's key is no operator's
token, whatever its scopes.
"""

import hmac
from dataclasses import dataclass
from typing import Any

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.types import Guard

from api.context import Services
from api.operator.tokens import operators
from api.teams.access import CHALLENGE
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import bearer_token


@dataclass(frozen=True)
class Operator:
    name: str


def operators_only(setting: str) -> Guard:
    """Return a guard that lets only these operators pass."""

    def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        _identified(setting, connection)

    return guard


def operator_of(request: Request[Any, Any, Any], services: NamedDependency[Services]) -> Operator:
    """Return who operates, for handlers that write it down."""
    return _identified(services.settings.operator_token, request)


def _identified(setting: str, connection: ASGIConnection[Any, Any, Any, Any]) -> Operator:
    """Return whose token came.

    Raises:
        ProblemError: 401 without a token; 403 with one that is no operator's, or where the instance has none.
    """
    token = bearer_token(connection)
    if token is None:
        raise ProblemError(401, "an operator's token is needed (TETRAD_API_OPERATOR_TOKEN)", headers=CHALLENGE)
    known = operators(setting)
    found = [name for secret, name in known.items() if hmac.compare_digest(secret.encode(), token.encode())]
    if not found:
        raise ProblemError(403, "this is no operator's token; a team's key does not open /v1/admin")
    return Operator(found[0])

"""Service tokens identify the calling service. They are compared in constant time."""

import hmac
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Guard

from tetrad.server.problems import ProblemError


def bearer_token(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the token of `Authorization: Bearer TOKEN`, or None."""
    return token_in(connection.headers.get("authorization", ""))


def token_in(authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def require_token(*accepted: str) -> Guard:
    """Return a guard that lets only callers with one of these tokens pass: async, or Litestar takes a thread for it.

    Raises:
        ProblemError: 401 without a token, 403 with another one.
    """

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        check_token(connection, *accepted)

    return guard


def check_token(connection: ASGIConnection[Any, Any, Any, Any], *accepted: str) -> None:
    """Let only callers with one of these tokens pass.

    Raises:
        ProblemError: 401 without a token, 403 with another one.
    """
    token = bearer_token(connection)
    if token is None:
        raise ProblemError(401, "a service token is needed", headers={"WWW-Authenticate": "Bearer"})
    if not any(hmac.compare_digest(token.encode(), known.encode()) for known in accepted):
        raise ProblemError(403, "this token does not open this endpoint")

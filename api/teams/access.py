"""Who is asking: keys are 256 random bits, kept as SHA-256 and looked up by it; scopes say what a key may do.

Guards look, since they run before a byte of the body is read; what they find is kept with the request.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Guard

from api.context import Services
from api.database.schema import keys, teams
from api.teams.caps import check_active
from tetrad.contracts.accounts import Scope
from tetrad.server.database import read_transaction
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import bearer_token

KEY_PREFIX = "tetrad_"
SHOWN = 12  # characters of a key that lists show: the prefix and five of 43
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="tetrad"'}


@dataclass(frozen=True)
class Caller:
    """A team, and what the key it came with may do."""

    team_id: str
    team: str
    key_id: str
    scopes: frozenset[str]
    state: str = "active"
    state_reason: str | None = None


def new_key() -> str:
    return KEY_PREFIX + secrets.token_urlsafe(32)


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def identify(engine: sa.Engine, key: str) -> Caller:
    """Return whose key this is.

    Raises:
        ProblemError: 401, nobody's or a revoked one: the same words for both.
    """
    query = (
        sa.select(
            keys.c.id, keys.c.scopes, teams.c.id.label("team_id"), teams.c.name, teams.c.state, teams.c.state_reason
        )
        .join_from(keys, teams)
        .where(keys.c.hash == key_hash(key), keys.c.revoked_at.is_(None))
    )
    with read_transaction(engine) as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise ProblemError(401, "this key is unknown or revoked; send a current one", headers=CHALLENGE)
    return Caller(row.team_id, row.name, row.id, frozenset(row.scopes.split()), row.state, row.state_reason)


def caller_of(request: Request[Any, Any, Any]) -> Caller | None:
    """Return whom the guard of this route found: `caller: Caller`, or `Caller | None` where no key is needed."""
    found: Caller | None = request.auth
    return found


def needs(scope: Scope) -> Sequence[Guard]:
    """Return the guards of a handler that needs a key of this scope."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        found = await _identified(connection)
        if found is None:
            detail = "a key is needed: send Authorization: Bearer tetrad_...; POST /v1/teams gives the first one"
            raise ProblemError(401, detail, headers=CHALLENGE)
        if scope not in found.scopes:
            held = ", ".join(sorted(found.scopes))
            raise ProblemError(403, f"this needs a key with scope {scope}; this one has {held}")
        if scope != "read" and found.state == "suspended":
            check_active(found.state, found.state_reason)

    return [guard]


async def _anyone(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Let all pass but who sends a wrong key: that is an error even where none is needed."""
    await _identified(connection)


ANYONE: Sequence[Guard] = [_anyone]
"""The guards of a handler that only asks who it is."""


async def _identified(connection: ASGIConnection[Any, Any, Any, Any]) -> Caller | None:
    """Return and keep the caller, None where no key was sent. The database is asked in a thread: it may be slow."""
    services: Services = connection.app.state.services
    key = bearer_token(connection)
    found = None if key is None else await sync_to_thread(identify, services.engine, key)
    connection.scope["auth"] = found
    return found

"""Who is asking: keys are 256 random bits, kept as SHA-256 and looked up by it; scopes say what a key may do."""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from litestar import Request
from litestar.di import NamedDependency, Provide

from api.caps import check_active
from api.database.schema import keys, teams
from api.services import Services
from tetrad.contracts.accounts import Scope
from tetrad.serving.database import reading
from tetrad.serving.problems import ProblemError
from tetrad.serving.tokens import bearer_token

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
    with reading(engine) as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise ProblemError(401, "this key is unknown or revoked; send a current one", headers=CHALLENGE)
    return Caller(row.team_id, row.name, row.id, frozenset(row.scopes.split()), row.state, row.state_reason)


def caller_of(request: Request[Any, Any, Any], services: NamedDependency[Services]) -> Caller | None:
    """Return the caller, or None where no key was sent. A wrong key is an error even where none is needed."""
    key = bearer_token(request)
    return None if key is None else identify(services.engine, key)


def needs(scope: Scope) -> Mapping[str, Provide]:
    """Return the dependency `caller: Caller` for handlers that need a key of this scope."""

    def caller(request: Request[Any, Any, Any], services: NamedDependency[Services]) -> Caller:
        found = caller_of(request, services)
        if found is None:
            detail = "a key is needed: send Authorization: Bearer tetrad_...; POST /v1/teams gives the first one"
            raise ProblemError(401, detail, headers=CHALLENGE)
        if scope not in found.scopes:
            held = ", ".join(sorted(found.scopes))
            raise ProblemError(403, f"this needs a key with scope {scope}; this one has {held}")
        if scope != "read" and found.state == "suspended":
            check_active(found.state, found.state_reason)
        return found

    return {"caller": Provide(caller, sync_to_thread=True)}


ANYONE: Mapping[str, Provide] = {"caller": Provide(caller_of, sync_to_thread=True)}
"""The dependency `caller: Caller | None`."""

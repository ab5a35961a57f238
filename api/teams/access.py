"""API keys: 256 random bits, kept as SHA-256 and looked up by it. Scopes say what one may do."""

import hashlib
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from api.database.schema import keys, teams
from api.errors import UnknownKeyError
from tetrad.server.database import read_rows

KEY_PREFIX = "tetrad_"
SHOWN = 12  # characters of an API key that lists show: the prefix and five of 43


@dataclass(frozen=True)
class Caller:
    """A team, and the scopes of the API key that it came with.

    `is_service`: the service itself acts for the team, to answer the submissions of its evaluations.
    """

    team_id: str
    team: str
    key_id: str
    scopes: frozenset[str]
    state: str = "active"
    state_reason: str | None = None
    is_service: bool = False


def new_api_key() -> str:
    return KEY_PREFIX + secrets.token_urlsafe(32)


def api_key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def identify(engine: sa.Engine, key: str) -> Caller:
    """Return the caller that has this API key.

    Raises:
        UnknownKeyError: it is unknown or revoked.
    """
    found = _find(engine, keys.c.hash == api_key_hash(key))
    if found is None:
        raise UnknownKeyError("this key is unknown or revoked; send a current one")
    return found


def is_current(engine: sa.Engine, key_id: str) -> bool:
    """Return whether the API key of this id, which was known a moment ago, would still be let in."""
    return _find(engine, keys.c.id == key_id) is not None


def _find(engine: sa.Engine, which: sa.ColumnElement[bool]) -> Caller | None:
    query = (
        sa.select(
            keys.c.id, keys.c.scopes, teams.c.id.label("team_id"), teams.c.name, teams.c.state, teams.c.state_reason
        )
        .join_from(keys, teams)
        .where(which, keys.c.revoked_at.is_(None))
    )
    found = read_rows(engine, query)
    if not found:
        return None
    row = found[0]
    return Caller(row.team_id, row.name, row.id, frozenset(row.scopes.split()), row.state, row.state_reason)


def is_known(engine: sa.Engine, digest: str) -> bool:
    """Return whether a team has the API key of this SHA-256, and it is not revoked."""
    query = sa.select(keys.c.id).where(keys.c.hash == digest, keys.c.revoked_at.is_(None))
    return bool(read_rows(engine, query))

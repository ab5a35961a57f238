"""Sessions of people in a browser: opened by an API key, whose scopes they have.

A session ends with a sign-out, after twelve hours, when its API key is revoked, and when its team is suspended.
"""

import secrets

import sqlalchemy as sa

from api.database.schema import keys, sessions, teams
from api.teams.access import Caller, api_key_hash, identify
from api.teams.caps import check_active
from tetrad.server.clock import HOUR_MS, now_ms
from tetrad.server.database import read_rows, write_transaction

BEGINNING = "session_"
HOURS = 12
ENDED = ("suspended", "deleted")
"""States of teams that end their sessions."""


def open_session(engine: sa.Engine, key: str) -> str:
    """Open a session with an API key, and return its token: 256 random bits, of which only the hash is kept.

    Sessions whose time is over are deleted here.

    Raises:
        UnknownKeyError: the API key is unknown or revoked.
        InactiveTeamError: its team is suspended.
    """
    caller = identify(engine, key)
    if caller.state in ENDED:
        check_active(caller.state, caller.state_reason)
    token, now = BEGINNING + secrets.token_urlsafe(32), now_ms()
    row = {
        "id": api_key_hash(token),
        "key_id": caller.key_id,
        "team_id": caller.team_id,
        "created_at": now,
        "expires_at": now + HOURS * HOUR_MS,
    }
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(sessions).where(sessions.c.expires_at <= now))
        connection.execute(sa.insert(sessions).values(row))
    return token


def find_session(engine: sa.Engine, token: str) -> Caller | None:
    """Return the caller that has this session; None where it has ended or never was."""
    query = (
        sa.select(
            keys.c.id, keys.c.scopes, teams.c.id.label("team_id"), teams.c.name, teams.c.state, teams.c.state_reason
        )
        .select_from(sessions)
        .join(keys, keys.c.id == sessions.c.key_id)
        .join(teams, teams.c.id == keys.c.team_id)
        .where(
            sessions.c.id == api_key_hash(token),
            sessions.c.expires_at > now_ms(),
            keys.c.revoked_at.is_(None),
            teams.c.state.not_in(ENDED),
        )
    )
    found = read_rows(engine, query)
    if not found:
        return None
    row = found[0]
    return Caller(row.team_id, row.name, row.id, frozenset(row.scopes.split()), row.state, row.state_reason)


def end_session(engine: sa.Engine, token: str) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(sessions).where(sessions.c.id == api_key_hash(token)))


def end_sessions_of(connection: sa.Connection, team_id: str) -> None:
    """End all sessions of a team for good: none comes back when the team does."""
    connection.execute(sa.delete(sessions).where(sessions.c.team_id == team_id))

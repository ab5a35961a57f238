"""Teams and their API keys."""

import sqlalchemy as sa

from api.database.idempotency import Keep, unkept
from api.database.schema import keys, teams
from api.errors import (
    InvalidInputError,
    InvalidInviteError,
    LastAdminKeyError,
    NameTakenError,
    RegistrationClosedError,
    StateConflictError,
    not_found,
)
from api.inputs import known_id, storable
from api.paging import cursor_at, position_of
from api.settings import ApiSettings
from api.teams.access import SHOWN, Caller, api_key_hash, new_api_key
from api.teams.approvals import approvals_of
from api.teams.caps import caps_of, team_row, usage_of
from api.teams.instance_caps import count_team
from api.teams.invites import use_invite
from tetrad.contracts.accounts import ApiKey, KeyList, KeyRequest, NewApiKey, Registration, Scope, Team, TeamRequest
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id

OURS = frozenset({"admin", "operator", "tetrad", "baselines"})
"""Names under which a team would seem to speak for the service."""
ALL_SCOPES: list[Scope] = ["read", "submit", "admin"]


def register(
    engine: sa.Engine,
    settings: ApiSettings,
    request: TeamRequest,
    keep: Keep[Registration] = unkept,
    *,
    address: str = "",
) -> Registration:
    """Make a team and its first API key. `address` is the client's; without one, none is counted.

    Raises:
        RegistrationClosedError: teams are made by the operator alone.
        InvalidInviteError: the invite code is not valid.
        InvalidInputError: the contact is not an address of a domain that may register, or the name is one of ours.
        CapReachedError: of this address without an invite, or of all, within a day.
        NameTakenError: another team has the name.
    """
    if settings.registration == "closed":
        raise RegistrationClosedError("registration is closed on this instance; ask its operator for a team")
    if settings.registration == "invite" and request.invite is None:
        problem, remedy = "this instance registers teams by invitation", "ask its operator for a code and send it"
        raise InvalidInviteError.at("invite", None, problem, remedy)
    if settings.registration == "email":
        check_domain(settings, request.contact)
    if request.name in OURS:
        raise InvalidInputError.at("name", request.name, "would speak for the service", "choose another name")
    title, contact = storable("title", request.title), storable("contact", request.contact)
    row = {"id": new_id("team"), "name": request.name, "title": title or request.name, "created_at": now_ms()}
    try:
        with write_transaction(engine) as connection:
            is_invited = request.invite is not None
            count_team(connection, settings, "" if is_invited else address)
            if request.invite is not None:
                use_invite(connection, request.invite)
            waits = settings.registration == "approval" and request.invite is None
            state = "pending" if waits else "active"
            connection.execute(sa.insert(teams).values(**row, contact=contact, state=state))
            first = add_api_key(connection, str(row["id"]), KeyRequest(name="first", scopes=ALL_SCOPES))
            team = team_of(connection, settings, str(row["id"]))
            made = Registration(team=team, key=first.key, about=first.about)
            keep(connection, made)
    except sa.exc.IntegrityError as error:
        raise NameTakenError.at("name", request.name, "another team has this name", "choose another one") from error
    return made


def check_domain(settings: ApiSettings, contact: str | None) -> None:
    """Check that the contact is an e-mail address of a domain that may register.

    It is not checked whether the address exists or belongs to the sender.

    Raises:
        InvalidInputError: it is not such an address.
    """
    name, _, domain = (contact or "").rpartition("@")
    domains = settings.registration_domains.split(",")
    if not name or any(character.isspace() for character in name) or domain.lower() not in domains:
        problem = "is not an e-mail address of a domain whose members may register"
        remedy = f"give one of {', '.join(domains)}, or ask the operator for a team"
        raise InvalidInputError.at("contact", contact, problem, remedy)


def register_again(
    engine: sa.Engine, settings: ApiSettings, lost: str, keep: Keep[Registration] = unkept
) -> Registration:
    """Return a registration again, with another API key in the place of the one with the id `lost`.

    Raises:
        StateConflictError: the API key is revoked or gone.
    """
    with write_transaction(engine) as connection:
        team_id, key = _replace_api_key(connection, lost)
        made = Registration(team=team_of(connection, settings, team_id), key=key.key, about=key.about)
        keep(connection, made)
    return made


def find_team(engine: sa.Engine, settings: ApiSettings, caller: Caller) -> Team:
    with read_transaction(engine) as connection:
        return team_of(connection, settings, caller.team_id)


def team_of(connection: sa.Connection, settings: ApiSettings, team_id: str) -> Team:
    row = team_row(connection, team_id)
    return Team(
        id=row.id,
        name=row.name,
        title=row.title,
        created_at=rfc3339(row.created_at),
        state=row.state,
        state_reason=row.state_reason,
        caps=caps_of(settings, row),
        usage=usage_of(connection, team_id, now_ms()),
        approvals=approvals_of(connection, team_id),
    )


def add_api_key(connection: sa.Connection, team_id: str, request: KeyRequest) -> NewApiKey:
    key = new_api_key()
    scopes = [scope for scope in ALL_SCOPES if scope in request.scopes]
    row = {
        "id": new_id("key"),
        "team_id": team_id,
        "name": request.name,
        "prefix": key[:SHOWN],
        "hash": api_key_hash(key),
        "scopes": " ".join(scopes),
        "created_at": now_ms(),
    }
    connection.execute(sa.insert(keys).values(row))
    kept = connection.execute(sa.select(keys).where(keys.c.id == row["id"])).one()
    return NewApiKey(key=key, about=about(kept))


def make_api_key(engine: sa.Engine, caller: Caller, request: KeyRequest, keep: Keep[NewApiKey] = unkept) -> NewApiKey:
    with write_transaction(engine) as connection:
        made = add_api_key(connection, caller.team_id, request)
        keep(connection, made)
    return made


def make_api_key_again(engine: sa.Engine, lost: str, keep: Keep[NewApiKey] = unkept) -> NewApiKey:
    """Make another API key in the place of the one with the id `lost`.

    Raises:
        StateConflictError: that one is revoked or gone.
    """
    with write_transaction(engine) as connection:
        _, made = _replace_api_key(connection, lost)
        keep(connection, made)
    return made


def _replace_api_key(connection: sa.Connection, lost: str) -> tuple[str, NewApiKey]:
    """Revoke an API key and make another one like it; return the team's id and the new one."""
    this = keys.c.id == lost
    row = connection.execute(sa.select(keys).where(this, keys.c.revoked_at.is_(None)).with_for_update()).one_or_none()
    if row is None:
        detail = "the API key that was made under this Idempotency-Key has been revoked: send a new Idempotency-Key"
        raise StateConflictError(detail)
    connection.execute(sa.update(keys).where(this).values(revoked_at=now_ms()))
    return row.team_id, add_api_key(connection, row.team_id, KeyRequest(name=row.name, scopes=row.scopes.split()))


def list_api_keys(engine: sa.Engine, caller: Caller, cursor: str | None, limit: int) -> KeyList:
    """Return a page of the team's API keys, oldest first."""
    after = position_of("keys", cursor, "")
    query = sa.select(keys).where(keys.c.team_id == caller.team_id, keys.c.id > after).order_by(keys.c.id)
    with read_transaction(engine) as connection:
        rows = connection.execute(query.limit(limit + 1)).all()
    shown = rows[:limit]
    following = cursor_at("keys", shown[-1].id) if len(rows) > limit else None
    return KeyList(keys=[about(row) for row in shown], next=following)


def revoke_api_key(engine: sa.Engine, caller: Caller, key_id: str) -> None:
    """Revoke an API key from this moment on. Revoking it again changes nothing.

    Raises:
        NotFoundError: the team has no such API key.
        LastAdminKeyError: it is the team's last key with scope admin.
    """
    known_id("key", key_id, "key")
    own = sa.select(keys).where(keys.c.team_id == caller.team_id)
    with write_transaction(engine) as connection:
        rows = connection.execute(own.with_for_update()).all()
        if key_id not in {row.id for row in rows}:
            raise not_found("key", key_id)
        admins = {row.id for row in rows if row.revoked_at is None and "admin" in row.scopes.split()}
        if admins == {key_id}:
            remedy = "make another key with scope admin first"
            raise LastAdminKeyError.at("key", key_id, "this is your team's last key with scope admin", remedy)
        current = sa.update(keys).where(keys.c.id == key_id, keys.c.revoked_at.is_(None))
        connection.execute(current.values(revoked_at=now_ms()))


def about(row: sa.Row[tuple[object, ...]]) -> ApiKey:
    revoked = None if row.revoked_at is None else rfc3339(row.revoked_at)
    return ApiKey(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=row.scopes.split(),
        created_at=rfc3339(row.created_at),
        revoked_at=revoked,
    )

"""Invite codes: an operator makes them, and registering a team with a code uses it up."""

import hashlib
import secrets

import sqlalchemy as sa

from api.database.schema import invites
from api.errors import InvalidInviteError, not_found
from api.inputs import known_id, storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.paging import cursor_at, position_of
from tetrad.contracts.operator import InviteList, InviteRecord, InviteRequest, NewInvite
from tetrad.server.clock import DAY_MS, now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id

REMEDY = "ask the operator of this instance for a code"


def make_invite(engine: sa.Engine, operator: Operator, request: InviteRequest) -> NewInvite:
    """Make a code for so many teams. It is shown only now: only its digest is kept."""
    code, now = f"invite-{secrets.token_urlsafe(24)}", now_ms()
    row = {
        "id": new_id("inv"),
        "hash": _digest(code),
        "note": storable("note", request.note) or "",
        "teams_left": request.teams,
        "created_at": now,
        "expires_at": now + int(request.days * DAY_MS),
    }
    with write_transaction(engine) as connection:
        connection.execute(sa.insert(invites).values(row))
        note(connection, operator, "make invite", str(row["id"]), reason=request.note, teams=request.teams)
        made = connection.execute(sa.select(invites).where(invites.c.id == row["id"])).one()
    return NewInvite(code=code, about=_record(made))


def list_invites(engine: sa.Engine, cursor: str | None, limit: int) -> InviteList:
    """Return a page of invites, oldest first, without the codes."""
    after = position_of("invites", cursor, "")
    query = sa.select(invites).where(invites.c.id > after).order_by(invites.c.id).limit(limit + 1)
    with read_transaction(engine) as connection:
        rows = connection.execute(query).all()
    shown = rows[:limit]
    following = cursor_at("invites", shown[-1].id) if len(rows) > limit else None
    return InviteList(invites=list(map(_record, shown)), next=following)


def revoke_invite(engine: sa.Engine, operator: Operator, invite: str, reason: str) -> InviteRecord:
    """Revoke a code: nobody can register with it from now on. Teams that did stay. A second time changes nothing.

    Raises:
        NotFoundError: there is none.
    """
    this = invites.c.id == known_id("inv", invite, "invite")
    with write_transaction(engine) as connection:
        found = connection.execute(sa.select(invites).where(this).with_for_update()).one_or_none()
        if found is None:
            raise not_found("invite", invite)
        note(connection, operator, "revoke invite", invite, reason=reason)
        connection.execute(sa.update(invites).where(this, invites.c.revoked_at.is_(None)).values(revoked_at=now_ms()))
        return _record(connection.execute(sa.select(invites).where(this)).one())


def use_invite(connection: sa.Connection, code: str) -> None:
    """Use the code up for one team, in the transaction that makes it.

    Raises:
        InvalidInviteError: it is unknown, used up, expired or revoked.
    """
    i = invites.c
    row = connection.execute(sa.select(invites).where(i.hash == _digest(code)).with_for_update()).one_or_none()
    if row is None:
        raise InvalidInviteError.at("invite", None, "there is no such code", REMEDY)
    if row.revoked_at is not None:
        raise InvalidInviteError.at("invite", None, "the code is revoked", REMEDY)
    if row.expires_at <= now_ms():
        raise InvalidInviteError.at("invite", None, f"the code expired at {rfc3339(row.expires_at)}", REMEDY)
    if row.teams_left < 1:
        raise InvalidInviteError.at("invite", None, "the code is used up", REMEDY)
    connection.execute(sa.update(invites).where(i.id == row.id).values(teams_left=i.teams_left - 1))


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _record(row: sa.Row[tuple[object, ...]]) -> InviteRecord:
    return InviteRecord(
        id=row.id,
        note=row.note,
        teams_left=row.teams_left,
        created_at=rfc3339(row.created_at),
        expires_at=rfc3339(row.expires_at),
        revoked_at=None if row.revoked_at is None else rfc3339(row.revoked_at),
    )

"""Teams as operators see and change them: states, caps, approvals."""

import msgspec
import sqlalchemy as sa

from api.database.schema import keys, models, submissions, teams
from api.errors import DeletedTeamError, InvalidInputError, not_found
from api.inputs import storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.paging import cursor_at, position_of
from api.settings import ApiSettings
from api.teams.accounts import team_of
from api.teams.approvals import approve, disapprove
from api.teams.caps import team_row
from api.teams.sessions import end_sessions_of
from tetrad.contracts.accounts import TeamState
from tetrad.contracts.operator import ApprovalRequest, CapsRequest, TeamRecord, TeamRecordList
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction

CAPS = ("open_submissions", "items_a_day", "models")


def team_id_of(connection: sa.Connection, team: str) -> str:
    """Return the id of the team of this id or name.

    Raises:
        NotFoundError: there is none.
    """
    named = sa.or_(teams.c.id == storable("team", team), teams.c.name == team)
    found = connection.execute(sa.select(teams.c.id).where(named).order_by(teams.c.id != team).limit(1)).scalar()
    if found is None:
        raise not_found("team", team)
    return str(found)


def living_team(connection: sa.Connection, team: str) -> str:
    """Return the id of a team that is not deleted, its row locked.

    Raises:
        NotFoundError: there is none.
        DeletedTeamError: it is deleted.
    """
    team_id = team_id_of(connection, team)
    row = connection.execute(sa.select(teams.c.state).where(teams.c.id == team_id).with_for_update()).one()
    if row.state == "deleted":
        raise DeletedTeamError(f"team {team_id} is deleted; nothing of it can be changed")
    return team_id


def seen_by(operator: Operator, record: TeamRecord) -> TeamRecord:
    """Return the record as this operator may see it."""
    return msgspec.structs.replace(record, contact=None) if operator.is_viewing else record


def list_teams(
    engine: sa.Engine, settings: ApiSettings, cursor: str | None, limit: int, state: TeamState | None
) -> TeamRecordList:
    """Return a page of teams, oldest first."""
    after = position_of("teams", cursor, "")
    query = sa.select(teams.c.id).where(teams.c.id > after).order_by(teams.c.id).limit(limit + 1)
    if state is not None:
        query = query.where(teams.c.state == state)
    with read_transaction(engine) as connection:
        found = list(connection.execute(query).scalars())
        shown = found[:limit]
        records = [_record(connection, settings, team) for team in shown]
    return TeamRecordList(teams=records, next=cursor_at("teams", shown[-1]) if len(found) > limit else None)


def show_team(engine: sa.Engine, settings: ApiSettings, team: str) -> TeamRecord:
    with read_transaction(engine) as connection:
        return _record(connection, settings, team_id_of(connection, team))


def set_state(
    engine: sa.Engine, settings: ApiSettings, operator: Operator, team: str, state: TeamState, *, reason: str
) -> TeamRecord:
    """Approve or suspend the team; a second time changes the reason. An approved team is an established one.

    Raises:
        NotFoundError: there is no such team.
        DeletedTeamError: it is deleted.
    """
    act = "approve team" if state == "active" else "suspend team"
    with write_transaction(engine) as connection:
        team_id = living_team(connection, team)
        note(connection, operator, act, team_id, reason=reason)
        shown = reason if state == "suspended" else None
        this = sa.update(teams).where(teams.c.id == team_id)
        established = {"established_at": now_ms()} if state == "active" else {}
        connection.execute(this.values(state=state, state_reason=shown, **established))
        if state == "suspended":
            end_sessions_of(connection, team_id)
    return show_team(engine, settings, team_id)


def set_caps(
    engine: sa.Engine, settings: ApiSettings, operator: Operator, team: str, request: CapsRequest
) -> TeamRecord:
    """Change the named caps; null means the default again.

    Raises:
        NotFoundError: there is no such team.
        DeletedTeamError: it is deleted.
        InvalidInputError: no cap is named.
    """
    given = {name: getattr(request, name) for name in CAPS if getattr(request, name) is not msgspec.UNSET}
    if not given:
        raise InvalidInputError(f"no cap is named; give at least one of {', '.join(CAPS)}")
    with write_transaction(engine) as connection:
        team_id = living_team(connection, team)
        columns = {f"{name}_cap": value for name, value in given.items()}
        connection.execute(sa.update(teams).where(teams.c.id == team_id).values(columns))
        note(connection, operator, "set caps", team_id, reason=request.reason, **given)
    return show_team(engine, settings, team_id)


def approve_corpus(
    engine: sa.Engine, settings: ApiSettings, operator: Operator, team: str, corpus: str, *, request: ApprovalRequest
) -> TeamRecord:
    """Let the team open up to so many submissions on the corpus; again replaces the number.

    Raises:
        NotFoundError: there is no such team.
        DeletedTeamError: it is deleted.
    """
    with write_transaction(engine) as connection:
        team_id = living_team(connection, team)
        approve(connection, team_id, corpus, request.submissions_cap, now_ms())
        details = {"corpus": corpus, "submissions_cap": request.submissions_cap}
        note(connection, operator, "approve corpus", team_id, reason=request.reason, **details)
    return show_team(engine, settings, team_id)


def disapprove_corpus(
    engine: sa.Engine, settings: ApiSettings, operator: Operator, team: str, corpus: str
) -> TeamRecord:
    """Take an approval back.

    Raises:
        NotFoundError: there is no such team or approval.
        DeletedTeamError: the team is deleted.
    """
    with write_transaction(engine) as connection:
        team_id = living_team(connection, team)
        if not disapprove(connection, team_id, corpus):
            raise not_found("approval for corpus", corpus)
        note(connection, operator, "disapprove corpus", team_id, reason="", corpus=corpus)
    return show_team(engine, settings, team_id)


def _record(connection: sa.Connection, settings: ApiSettings, team_id: str) -> TeamRecord:
    s, count = submissions.c, sa.func.count()
    states = sa.select(s.state, count.label("number")).where(s.team_id == team_id).group_by(s.state)
    current = sa.select(count).select_from(keys).where(keys.c.team_id == team_id, keys.c.revoked_at.is_(None))
    names = sa.select(models.c.name).where(models.c.team_id == team_id).order_by(models.c.name)
    return TeamRecord(
        team=team_of(connection, settings, team_id),
        contact=team_row(connection, team_id).contact,
        keys=connection.execute(current).scalar_one(),
        models=list(connection.execute(names).scalars()),
        submissions={row.state: row.number for row in connection.execute(states)},
    )

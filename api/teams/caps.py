"""Caps of teams, and their usage. Both are checked where usage grows, with the team's row locked."""

import sqlalchemy as sa

from api.database.schema import models, submissions, teams
from api.errors import CapReachedError, InactiveTeamError, TooManyModelsError
from api.settings import ApiSettings
from tetrad.contracts.accounts import Caps, CapUsage
from tetrad.contracts.problems import Fault
from tetrad.server.clock import DAY_MS, now_ms, rfc3339
from tetrad.server.database import is_state

ASK = "ask the operator for more"
MOST_WAIT_SECONDS = 3600  # the team can free a place at any moment by finishing a submission


def team_row(connection: sa.Connection, team_id: str) -> sa.Row[tuple[object, ...]]:
    return connection.execute(sa.select(teams).where(teams.c.id == team_id)).one()


def locked_team(connection: sa.Connection, team_id: str) -> sa.Row[tuple[object, ...]]:
    """Return the team's row, locked: until the transaction ends, other writers of this team wait."""
    return connection.execute(sa.select(teams).where(teams.c.id == team_id).with_for_update()).one()


def caps_of(settings: ApiSettings, team: sa.Row[tuple[object, ...]]) -> Caps:
    """Return the team's caps: its own, or the instance's defaults."""
    return Caps(
        open_submissions=_either(team.open_submissions_cap, settings.open_submissions_cap),
        items_a_day=_either(team.items_a_day_cap, settings.items_a_day_cap),
        models=_either(team.models_cap, settings.models_cap),
    )


def usage_of(connection: sa.Connection, team_id: str, now: int) -> CapUsage:
    """Count open submissions, the items of those opened within 24 hours, and models.

    A failed submission whose questions were fetched counts, too: the team has seen them, and a team could make scoring
    fail on purpose.
    """
    count = sa.func.count()
    of_open = sa.select(count).select_from(submissions).where(_is_open(team_id, now))
    items = sa.select(sa.func.coalesce(sa.func.sum(submissions.c.size), 0)).where(_is_todays(team_id, now))
    of_models = sa.select(count).select_from(models).where(_is_own_model(team_id))
    return CapUsage(
        open_submissions=connection.execute(of_open).scalar_one(),
        items_a_day=int(connection.execute(items).scalar_one()),
        models=connection.execute(of_models).scalar_one(),
    )


def allow_submission(
    connection: sa.Connection, settings: ApiSettings, team: sa.Row[tuple[object, ...]], size: int, now: int
) -> None:
    """Check that a submission of this size may be opened.

    Raises:
        InactiveTeamError: the team waits for approval or is suspended.
        CapReachedError: it would pass a cap; the error says which, and when to try again.
    """
    check_active(team.state, team.state_reason)
    caps, usage = caps_of(settings, team), usage_of(connection, str(team.id), now)
    if usage.open_submissions >= caps.open_submissions:
        raise _too_many_open(connection, str(team.id), caps.open_submissions, usage.open_submissions, now)
    if usage.items_a_day + size > caps.items_a_day:
        raise _too_many_items(connection, str(team.id), caps.items_a_day, usage.items_a_day, size)


def allow_model(connection: sa.Connection, settings: ApiSettings, team_id: str, *, is_admin: bool) -> None:
    """Check that a model may be registered. Without the scope admin the last tenth of the cap stays free.

    Raises:
        TooManyModelsError: the team has as many as it may.
    """
    cap = caps_of(settings, locked_team(connection, team_id)).models
    of_team = sa.select(sa.func.count()).select_from(models).where(_is_own_model(team_id))
    has = connection.execute(of_team).scalar_one()
    if has >= cap:
        raise TooManyModelsError.at("name", None, f"your team has {has} models; its cap on models is {cap}", ASK)
    if not is_admin and has >= (left := cap - cap // 10):
        problem = f"your team has {has} models of {cap}; keys without the scope admin register up to {left}"
        raise TooManyModelsError.at("name", None, problem, "register it with a key that has admin")


def check_active(state: str, reason: str | None) -> None:
    """Check that the team is active.

    Raises:
        InactiveTeamError: it waits for approval, or is suspended, with the operator's reason.
    """
    if state == "pending":
        raise InactiveTeamError(
            "your team waits for the operator's approval; it can open submissions once it is approved"
        )
    if state != "active":
        raise InactiveTeamError(f"your team is {state} and may only read: {reason}; ask the operator")


def _either(own: int | None, default: int) -> int:
    return default if own is None else own


def _is_own_model(team_id: str) -> sa.ColumnElement[bool]:
    """Return the condition that a model is registered by the team; rows of evaluations are the service's."""
    return sa.and_(models.c.team_id == team_id, models.c.origin == "team")


def _is_open(team_id: str, now: int) -> sa.ColumnElement[bool]:
    s = submissions.c
    return sa.and_(s.team_id == team_id, is_state(s.state, "open"), s.deadline_at > now)


def _is_todays(team_id: str, now: int) -> sa.ColumnElement[bool]:
    s = submissions.c
    counts = sa.or_(s.state != "failed", s.fetched_at.is_not(None))
    return sa.and_(s.team_id == team_id, s.opened_at > now - DAY_MS, counts)


def _too_many_open(connection: sa.Connection, team_id: str, cap: int, used: int, now: int) -> CapReachedError:
    """Return the error, with the seconds until deadlines make room, where they do."""
    query = sa.select(submissions.c.deadline_at).where(_is_open(team_id, now)).order_by(submissions.c.deadline_at)
    until = connection.execute(query.offset(used - cap).limit(1)).scalar_one_or_none()
    remedy, wait_seconds = ASK, None
    if until is not None:
        wait = f"wait until {rfc3339(until)}, when a deadline makes room"
        remedy = f"fetch the questions of one and finish it, {wait}, or {ASK}"
        wait_seconds = min(MOST_WAIT_SECONDS, max(1, -(-(until - now) // 1000)))
    problem = f"{used} of your submissions are open; your cap open_submissions is {cap}"
    fault = Fault(field="open_submissions", value=str(used), problem=problem, remedy=remedy)
    return CapReachedError(f"{problem}; {remedy}", faults=[fault], retry_after=wait_seconds)


def _too_many_items(connection: sa.Connection, team_id: str, cap: int, used: int, size: int) -> CapReachedError:
    """Return the error, with the seconds until enough items are older than a day, where there are."""
    now = now_ms()
    query = sa.select(submissions.c.opened_at, submissions.c.size).where(_is_todays(team_id, now))
    wait_seconds, free = None, cap - used
    for row in connection.execute(query.order_by(submissions.c.opened_at)):
        free += row.size
        if free >= size:
            wait_seconds = max(1, -(-(row.opened_at + DAY_MS - now) // 1000))
            break
    detail = (
        f"your cap items_a_day is {cap} items within 24 hours: {max(0, cap - used)} are left, and you asked for {size}"
    )
    return CapReachedError(f"{detail}; ask for fewer, wait, or {ASK}", retry_after=wait_seconds)

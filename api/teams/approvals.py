"""Which teams may use which corpus, and how often: fixed items can't be redrawn, so each look at them counts."""

import sqlalchemy as sa

from api.database.operator_tables import team_approvals
from tetrad.contracts.accounts import Approval
from tetrad.server.clock import rfc3339


def approval_of(connection: sa.Connection, team_id: str, corpus: str) -> Approval | None:
    """Return the team's approval for this corpus, or None where it has none.

    Whoever counts submissions up to the cap does so in the transaction that opens one, after the team's row is
    locked (`api.teams.caps.locked_team`): of two that come together, one then counts the other.
    """
    a = team_approvals.c
    query = sa.select(team_approvals).where(a.team_id == team_id, a.corpus == corpus)
    row = connection.execute(query).one_or_none()
    return None if row is None else _approval(row)


def approvals_of(connection: sa.Connection, team_id: str) -> list[Approval]:
    query = sa.select(team_approvals).where(team_approvals.c.team_id == team_id).order_by(team_approvals.c.corpus)
    return [_approval(row) for row in connection.execute(query)]


def approve(connection: sa.Connection, team_id: str, corpus: str, submissions_cap: int, now: int) -> None:
    """Let the team open up to `submissions_cap` submissions on the corpus; again replaces the number."""
    disapprove(connection, team_id, corpus)
    row = {"team_id": team_id, "corpus": corpus, "submissions_cap": submissions_cap, "approved_at": now}
    connection.execute(sa.insert(team_approvals).values(row))


def disapprove(connection: sa.Connection, team_id: str, corpus: str) -> bool:
    """Take the approval back; False where there was none."""
    a = team_approvals.c
    gone = sa.delete(team_approvals).where(a.team_id == team_id, a.corpus == corpus)
    return connection.execute(gone).rowcount == 1


def _approval(row: sa.Row[tuple[object, ...]]) -> Approval:
    return Approval(corpus=row.corpus, submissions_cap=row.submissions_cap, approved_at=rfc3339(row.approved_at))

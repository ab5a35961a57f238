"""Who is on a board: models with their public submissions whose questions were fetched."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from api.boards.pooling import Fetched, Score
from api.database.operator_tables import hidden_rows
from api.database.schema import models, reports, submissions, teams


@dataclass(frozen=True)
class Entrant:
    """A model on one board, and what its score is pooled from."""

    model: str
    team: str
    team_models: int
    fetched: Sequence[Fetched]


def entrants_on(connection: sa.Connection, name: str) -> dict[str, Entrant]:
    """Return the board's entrants by model id; those whose row is hidden are left out."""
    fetched = _fetched(connection, name)
    siblings = models.alias()
    of_team = sa.select(sa.func.count()).select_from(siblings).where(siblings.c.team_id == teams.c.id)
    query = (
        sa.select(models.c.id, models.c.name, teams.c.name.label("team"), of_team.scalar_subquery().label("of_team"))
        .join_from(models, teams, teams.c.id == models.c.team_id)
        .where(models.c.id.in_(sa.select(submissions.c.model_id).where(submissions.c.board == name)))
        .where(~sa.exists().where(hidden_rows.c.board == name, hidden_rows.c.model_id == models.c.id))
    )
    return {
        row.id: Entrant(row.name, row.team, row.of_team, fetched[row.id])
        for row in connection.execute(query)
        if row.id in fetched
    }


def _fetched(connection: sa.Connection, name: str) -> dict[str, list[Fetched]]:
    """Return the public submissions that count or will, by model id: void ones and those nobody has seen don't."""
    s, r = submissions.c, reports.c
    has_score = sa.and_(r.submission_id == s.id, s.state == "scored")
    query = (
        sa.select(s.model_id, s.id, s.fetched_at, r.total, r["items"], r.asked, r.unread, s.scored_at)
        .join_from(submissions, reports, has_score, isouter=True)
        .where(s.board == name, s.visibility == "public", s.state != "void", s.fetched_at.is_not(None))
    )
    found: dict[str, list[Fetched]] = {}
    for model, submission, fetched_at, total, items, asked, unread, scored_at in connection.execute(query).all():
        score = None
        if total is not None:
            score = Score(total=total, items=items, asked=asked, unread=unread, scored_at=scored_at)
        found.setdefault(model, []).append(Fetched(submission, fetched_at, score))
    return found

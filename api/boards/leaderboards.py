"""Boards: a model's score pools its public submissions, with an interval that is valid at any stop.

In order: the entrants of a board, its rows and ranks, and its pages.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from msgspec.structs import replace

from api.boards.board_key import board_of
from api.boards.pooling import Fetched, Pool, Score, pool
from api.boards.queries import BoardQuery
from api.database.schema import hidden_rows, models, reports, submissions, teams
from api.http.cursors import cursor_at
from tetrad.contracts.benchmarks import Card, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow, HiddenRow, VoidSubmission
from tetrad.contracts.reports import IntervalValue
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_transaction
from tetrad.statistics import RankedRow, ScoredRow, rank_ranges

BY_THE_TEAM = "reported by the team"
MOST_VOID = 100  # shown on a board


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


def board(engine: sa.Engine, card: Card, where: BoardQuery, bank: str) -> Board:
    """Return the board of draws from the sources of this digest.

    Models below the card's least number of items come after the ranked ones, without a rank.
    The board of a fixed corpus is empty, for ever and for everybody, and says why.
    """
    whole = Board(
        benchmark=card.name,
        version=card.version,
        track=where.track,
        setting=where.setting,
        parameters=where.parameters,
        bank=bank,
        metric=card.headline.metric,
        least_items=card.headline.least_items,
        rows=[],
        reference=[],
        notice=None if card.corpus is None else card.corpus.notice,
        conversation=where.conversation,
    )
    if card.corpus is not None:
        return whole
    name = board_of(card, where, bank)
    with read_transaction(engine) as connection:
        entrants = entrants_on(connection, name)
        hidden, void = _hidden(connection, name), _void(connection, name)
    rows = list(ranked_rows(entrants, card.headline.least_items).values())
    return replace(whole, rows=rows, reference=_reference(card, where), hidden=hidden, void=void)


def ranked_rows(entrants: Mapping[str, Entrant], least: int) -> dict[str, BoardRow]:
    """Return the rows by model id: ranked ones first, then those below the least number of items.

    A model without a score has no row. A model whose scores all wait has a row that says so, without a score.
    """
    pools = {name: pooled for name, one in entrants.items() if (pooled := pool(one.fetched, least)) is not None}
    ranked = {rank.id: _row(entrants[rank.id], pools[rank.id], rank) for rank in rank_ranges(_scored(pools))}
    fewer = sorted(
        (name for name in pools if name not in ranked),
        key=lambda name: (-pools[name].items, pools[name].first_scored_at),
    )
    return ranked | {name: _row(entrants[name], pools[name], None) for name in fewer}


def _hidden(connection: sa.Connection, name: str) -> list[HiddenRow]:
    h = hidden_rows.c
    query = (
        sa.select(models.c.name, teams.c.name.label("team"), h.reason, h.hidden_at)
        .join_from(hidden_rows, models, models.c.id == h.model_id)
        .join(teams, teams.c.id == models.c.team_id)
        .where(h.board == name)
        .order_by(h.hidden_at)
    )
    return [
        HiddenRow(model=row.name, team=row.team, reason=row.reason, hidden_at=rfc3339(row.hidden_at))
        for row in connection.execute(query)
    ]


def _void(connection: sa.Connection, name: str) -> list[VoidSubmission]:
    s = submissions.c
    query = (
        sa.select(s.id, models.c.name, teams.c.name.label("team"), s.void_reason)
        .join_from(submissions, models, models.c.id == s.model_id)
        .join(teams, teams.c.id == s.team_id)
        .where(s.board == name, s.visibility == "public", s.state == "void")
        .order_by(s.id.desc())
        .limit(MOST_VOID)
    )
    return [
        VoidSubmission(submission=row.id, model=row.name, team=row.team, reason=row.void_reason)
        for row in connection.execute(query)
    ]


def _scored(pools: Mapping[str, Pool]) -> Iterable[ScoredRow]:
    return [
        ScoredRow(
            id=name,
            score=one.score,
            lower=one.interval.lower,
            upper=one.interval.upper,
            since=datetime.fromtimestamp(one.enough_at / 1000, UTC),
        )
        for name, one in pools.items()
        if one.enough_at is not None
    ]


def _row(entrant: Entrant, one: Pool, rank: RankedRow | None) -> BoardRow:
    bounds = one.interval
    return BoardRow(
        model=entrant.model,
        team=entrant.team,
        score=one.score,
        interval=IntervalValue(lower=bounds.lower, upper=bounds.upper, level=bounds.level, method=bounds.method),
        rank_best=None if rank is None else rank.best,
        rank_worst=None if rank is None else rank.worst,
        group=None if rank is None else rank.group,
        items=one.items,
        attempts=one.attempts,
        team_models=entrant.team_models,
        unread_share=one.unread / one.asked if one.asked else 0.0,
        cost=None,
        origin=BY_THE_TEAM,
        first_scored_at=rfc3339(one.first_scored_at),
        ranked_since=None if one.enough_at is None else rfc3339(one.enough_at),
        waiting=one.waiting,
        unfinished=one.unfinished,
    )


def _reference(card: Card, where: BoardQuery) -> list[ReferenceRow]:
    """Return the published figures of the board's own metric that were measured as the board is.

    A row that names no track, setting or parameter is not bound to one. The card puts questions as its paper does.
    """
    if where.conversation != card.conversation(where.setting):
        return []
    places = {"track": where.track, "setting": where.setting}
    return [
        row
        for row in card.reference
        if row.metric == card.headline.metric
        and all(places[name] in row.where.get(name, (places[name],)) for name in places)
        and row.parameters.items() <= where.parameters.items()
    ]


def board_page(whole: Board, after: str, limit: int) -> Board:
    """Return up to `limit` rows after the model of the cursor; a model that is gone begins the board again."""
    places = [_name(row) for row in whole.rows]
    begin = places.index(after) + 1 if after in places else 0
    shown = whole.rows[begin : begin + limit]
    is_last = begin + limit >= len(whole.rows)
    return replace(whole, rows=shown, next=None if is_last else cursor_at("board", _name(shown[-1])))


def _name(row: BoardRow) -> str:
    return f"{row.team} {row.model}"

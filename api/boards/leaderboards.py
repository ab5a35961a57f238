"""Boards: a model's score pools its public submissions, with an interval that is valid at any stop.

In order: what a board is read from, its rows and ranks, and its pages. `finished_boards` keeps what is made here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.boards.pooling import Fetched, Pool, Score, pool_scores
from api.boards.queries import BoardQuery
from api.database.parts import parts
from api.database.schema import hidden_rows, models, reports, submissions, teams
from api.paging import cursor_at
from tetrad.contracts.benchmarks import Card, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow, HiddenRow, VoidSubmission
from tetrad.contracts.metrics import Gap
from tetrad.contracts.reports import IntervalValue, MetricValue
from tetrad.contracts.rescoring import KeptDifference, KeptFacet
from tetrad.server.clock import rfc3339
from tetrad.server.database import is_state
from tetrad.statistics.rank_ranges import RankedRow, ScoredRow, rank_ranges

BY_THE_TEAM = "reported by the team"
BY_THE_SERVICE = "run by the service"
BASELINE = "baseline, run by the service"
ORIGINS = {"team": BY_THE_TEAM, "service": BY_THE_SERVICE, "baseline": BASELINE}
MOST_VOID = 100  # shown on a board
KEPT_DIFFERENCES = json.Decoder(tuple[KeptDifference, ...])
KEPT_FACETS = json.Decoder(tuple[KeptFacet, ...])


@dataclass(frozen=True)
class Entrant:
    """A model on a board, by the names that stand there."""

    team_id: str
    model: str
    team: str
    team_models: int
    origin: str = BY_THE_TEAM


def entrants_of(connection: sa.Connection, model_ids: Sequence[str]) -> dict[str, Entrant]:
    """Return the entrants by model id."""
    siblings = models.alias()
    of_team = sa.select(sa.func.count()).select_from(siblings).where(siblings.c.team_id == teams.c.id)
    query = sa.select(
        models.c.id,
        models.c.team_id,
        models.c.name,
        models.c.origin,
        teams.c.name.label("team"),
        of_team.scalar_subquery().label("of_team"),
    ).join_from(models, teams, teams.c.id == models.c.team_id)
    return {
        row.id: Entrant(row.team_id, row.name, row.team, row.of_team, ORIGINS.get(row.origin, BY_THE_TEAM))
        for part in parts(model_ids)
        for row in connection.execute(query.where(models.c.id.in_(part)))
    }


def fetched_on(connection: sa.Connection, name: str, among: Sequence[str] | None = None) -> dict[str, list[Fetched]]:
    """Return a board's public submissions that count or will, by model id: void ones and those never fetched don't.

    `among` are the ids of the models to read, all of them by default.
    """
    s, r = submissions.c, reports.c
    has_score = sa.and_(r.submission_id == s.id, s.state == "scored")
    query = (
        sa.select(
            *(s.model_id, s.id, s.fetched_at, r.total, r["items"], r.asked, r.unread, s.scored_at, r.differences),
            r.by_facet,
        )
        .join_from(submissions, reports, has_score, isouter=True)
        .where(s.board == name, s.visibility == "public", s.state != "void", s.fetched_at.is_not(None))
        .where(s.unranked.is_(None))
    )
    chosen = [query] if among is None else [query.where(s.model_id.in_(part)) for part in parts(among)]
    found: dict[str, list[Fetched]] = {}
    for chosen_query in chosen:
        for model, submission, fetched_at, total, items, asked, unread, scored_at, text, facets in connection.execute(
            chosen_query
        ).all():
            score = None
            if total is not None:
                kept = KEPT_DIFFERENCES.decode(text)
                score = Score(
                    total=total,
                    items=items,
                    asked=asked,
                    unread=unread,
                    scored_at=scored_at,
                    differences=kept,
                    by_facet=KEPT_FACETS.decode(facets),
                )
            found.setdefault(model, []).append(Fetched(submission, fetched_at, score))
    return found


def pool_by_model(fetched: Mapping[str, Sequence[Fetched]], least: int) -> dict[str, Pool]:
    """Return the pools by model id; a model without a score has none."""
    return {name: made for name, scores in fetched.items() if (made := pool_scores(scores, least)) is not None}


def empty_board(card: Card, where: BoardQuery, bank: str) -> Board:
    """Return the board of draws from the sources of this digest, without rows.

    That of a fixed corpus stays so, for ever and for everybody, and says why. Published figures of its items are shown.
    """
    return Board(
        benchmark=card.name,
        version=card.version,
        track=where.track,
        setting=where.setting,
        parameters=where.parameters,
        bank=bank,
        metric=card.metric_of(where.setting),
        least_items=card.headline.least_items,
        rows=[],
        reference=_reference(card, where, bank),
        notice=None if card.corpus is None else card.corpus.notice,
        conversation=where.conversation,
    )


def ranked_rows(entrants: Mapping[str, Entrant], pools: Mapping[str, Pool]) -> dict[str, BoardRow]:
    """Return the rows of these pools by model id: ranked ones first, then those below the least number of items.

    If all scores of a model have to wait, its row says so and shows no score. Baselines have no rank, whatever they
    have answered.
    """
    may_rank = {name: pool for name, pool in pools.items() if entrants[name].origin != BASELINE}
    ranked = {rank.id: _row(entrants[rank.id], pools[rank.id], rank) for rank in rank_ranges(_scored_rows(may_rank))}
    fewer = sorted(
        (name for name in pools if name not in ranked),
        key=lambda name: (-pools[name].items, pools[name].first_scored_at),
    )
    return ranked | {name: _row(entrants[name], pools[name], None) for name in fewer}


def chance_on(connection: sa.Connection, name: str) -> float | None:
    """Return what guessing scores on a board's draws, by its newest report; None while there is none."""
    s = submissions.c
    query = (
        sa.select(reports.c.headline)
        .join_from(submissions, reports, reports.c.submission_id == s.id)
        .where(s.board == name, is_state(s.visibility, "public"), is_state(s.state, "scored"))
        .order_by(s.id.desc())
        .limit(1)
    )
    found = connection.execute(query).scalar()
    return None if found is None else json.decode(found, type=MetricValue).uniform_chance


def hidden_on(connection: sa.Connection, name: str) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return the rows that are hidden on a board: model_id, model, team, reason, hidden_at; oldest first."""
    h = hidden_rows.c
    query = (
        sa.select(h.model_id, models.c.name.label("model"), teams.c.name.label("team"), h.reason, h.hidden_at)
        .join_from(hidden_rows, models, models.c.id == h.model_id)
        .join(teams, teams.c.id == models.c.team_id)
        .where(h.board == name)
        .order_by(h.hidden_at)
    )
    return connection.execute(query).all()


def hidden_row(row: sa.Row[*tuple[Any, ...]]) -> HiddenRow:
    return HiddenRow(model=row.model, team=row.team, reason=row.reason, hidden_at=rfc3339(row.hidden_at))


def void_on(connection: sa.Connection, name: str) -> list[VoidSubmission]:
    s = submissions.c
    query = (
        sa.select(s.id, models.c.name, teams.c.name.label("team"), s.void_reason)
        .join_from(submissions, models, models.c.id == s.model_id)
        .join(teams, teams.c.id == s.team_id)
        .where(s.board == name, s.visibility == "public", is_state(s.state, "void"))
        .order_by(s.id.desc())
        .limit(MOST_VOID)
    )
    return [
        VoidSubmission(submission=row.id, model=row.name, team=row.team, reason=row.void_reason)
        for row in connection.execute(query)
    ]


def _scored_rows(pools: Mapping[str, Pool]) -> Iterable[ScoredRow]:
    return [
        ScoredRow(
            id=name,
            score=pool.score,
            lower=pool.interval.lower,
            upper=pool.interval.upper,
            since=datetime.fromtimestamp(pool.enough_at / 1000, UTC),
        )
        for name, pool in pools.items()
        if pool.enough_at is not None
    ]


def _row(entrant: Entrant, pool: Pool, rank: RankedRow | None) -> BoardRow:
    bounds = pool.interval
    return BoardRow(
        model=entrant.model,
        team=entrant.team,
        score=pool.score,
        interval=IntervalValue(lower=bounds.lower, upper=bounds.upper, level=bounds.level, method=bounds.method),
        rank_best=None if rank is None else rank.best,
        rank_worst=None if rank is None else rank.worst,
        group=None if rank is None else rank.group,
        items=pool.items,
        attempts=pool.attempts,
        team_models=entrant.team_models,
        unread_share=pool.unread / pool.asked if pool.asked else 0.0,
        cost=None,
        origin=entrant.origin,
        first_scored_at=rfc3339(pool.first_scored_at),
        ranked_since=None if pool.enough_at is None else rfc3339(pool.enough_at),
        waiting=pool.waiting,
        unfinished=pool.unfinished,
        differences=list(pool.differences),
        by_facet=list(pool.by_facet),
    )


def _reference(card: Card, where: BoardQuery, bank: str) -> list[ReferenceRow]:
    """Return the published figures that were measured as the board is, and its baselines.

    They are of the board's own metric, or of a gap between kinds of question that its setting asks beside each other.

    A row that names no track, setting, parameter or source is bound to none. The card puts questions as its paper does.
    """
    if where.conversation != card.conversation(where.setting):
        return []
    places = {"track": where.track, "setting": where.setting}
    metrics = {card.metric_of(where.setting), *(metric.name for metric in card.metrics if isinstance(metric, Gap))}
    return [
        row
        for row in card.reference
        if row.metric in metrics
        and all(places[name] in row.where.get(name, (places[name],)) for name in places)
        and row.parameters.items() <= where.parameters.items()
        and row.bank in {"", bank}
    ]


def board_page(whole: Board, places: Mapping[str, int], after: str, limit: int) -> Board:
    """Return up to `limit` rows after the row of this name. If that row is gone, begin with the first."""
    begin = places[after] + 1 if after in places else 0
    shown = whole.rows[begin : begin + limit]
    is_last = begin + limit >= len(whole.rows)
    return replace(whole, rows=shown, next=None if is_last else cursor_at("board", row_name(shown[-1])))


def row_name(row: BoardRow) -> str:
    """Return what a cursor names a row by."""
    return f"{row.team} {row.model}"

"""Boards: a model's score pools all its scored public submissions, with an interval that is valid at any stop."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

import sqlalchemy as sa
from msgspec.structs import replace

from api.boards import board_of, ranked_parameters
from api.database.operator_tables import hidden_rows
from api.database.schema import models, reports, submissions, teams
from api.services import Services
from tetrad.contracts.benchmarks import Card, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow, HiddenRow, VoidSubmission
from tetrad.contracts.reports import IntervalValue
from tetrad.contracts.wire import ParameterValue
from tetrad.serving.clock import rfc3339
from tetrad.serving.database import reading
from tetrad.statistics import Interval, RankedRow, ScoredRow, confidence_sequence, rank_ranges

LEVEL = 0.95
BY_THE_TEAM = "reported by the team"
MOST_VOID = 100  # shown on a board


@dataclass(frozen=True)
class Pooled:
    """All scored public submissions of one model on one board."""

    model: str
    team: str
    team_models: int
    total: float
    items: int
    asked: int
    unread: int
    attempts: int
    first_scored_at: int
    interval: Interval

    @property
    def score(self) -> float | None:
        return self.total / self.items if self.items else None


def board(services: Services, card: Card, track: str, setting: str, parameters: Mapping[str, ParameterValue]) -> Board:
    """Return the board; models below the card's least number of items come after the ranked ones, without a rank.

    That of a fixed corpus is empty, for ever and for everybody, and says why.
    """
    ranked = ranked_parameters(card, parameters)
    whole = Board(
        benchmark=card.name,
        version=card.version,
        track=track,
        setting=setting,
        parameters=ranked,
        metric=card.headline.metric,
        least_items=card.headline.least_items,
        rows=[],
        reference=[],
        notice=None if card.corpus is None else card.corpus.notice,
    )
    if card.corpus is not None:
        return whole
    name = board_of(card, track, setting, parameters)
    with reading(services.engine) as connection:
        pooled = pooled_on(connection, name)
        hidden, void = _hidden(connection, name), _void(connection, name)
    rows = list(ranked_rows(pooled, card.headline.least_items).values())
    return replace(whole, rows=rows, reference=_reference(card, track, setting, ranked), hidden=hidden, void=void)


def ranked_rows(pooled: Mapping[str, Pooled], least: int) -> dict[str, BoardRow]:
    """Return the rows by model id: ranked ones first, then those below the least number of items."""
    enough = {name: one for name, one in pooled.items() if one.items >= least}
    fewer = {name: one for name, one in pooled.items() if name not in enough}
    ranked = {rank.id: _row(enough[rank.id], rank) for rank in rank_ranges(_scored(enough))}
    waiting = sorted(fewer, key=lambda name: (-fewer[name].items, fewer[name].first_scored_at))
    return ranked | {name: _row(fewer[name], None) for name in waiting}


def pooled_on(connection: sa.Connection, name: str) -> dict[str, Pooled]:
    """Return every model's pooled submissions on the board by model id; hidden rows are left out."""
    s, r, total = submissions.c, reports.c, sa.func.sum
    siblings = models.alias()
    of_team = sa.select(sa.func.count()).select_from(siblings).where(siblings.c.team_id == teams.c.id)
    query = (
        sa.select(
            models.c.id,
            models.c.name,
            teams.c.name.label("team"),
            of_team.scalar_subquery().label("team_models"),
            total(r.total).label("total"),
            total(r["items"]).label("items"),
            total(r.asked).label("asked"),
            total(r.unread).label("unread"),
            sa.func.count().label("attempts"),
            sa.func.min(s.scored_at).label("first_scored_at"),
        )
        .join_from(submissions, reports, r.submission_id == s.id)
        .join(models, models.c.id == s.model_id)
        .join(teams, teams.c.id == s.team_id)
        .where(s.board == name, s.visibility == "public", s.state == "scored")
        .where(~sa.exists().where(hidden_rows.c.board == name, hidden_rows.c.model_id == models.c.id))
        .group_by(models.c.id, models.c.name, teams.c.id, teams.c.name)
    )
    return {row.id: _pool(row) for row in connection.execute(query)}


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


def _pool(row: sa.Row[tuple[object, ...]]) -> Pooled:
    items = int(row.items)
    total = min(float(row.total), items)  # a sum of means may pass the count by a rounding
    return Pooled(
        model=row.name,
        team=row.team,
        team_models=row.team_models,
        total=total,
        items=items,
        asked=int(row.asked),
        unread=int(row.unread),
        attempts=row.attempts,
        first_scored_at=row.first_scored_at,
        interval=interval_of(total, items),
    )


@lru_cache(maxsize=20_000)  # a third of a millisecond each, and a board has those of its models at every look
def interval_of(total: float, items: int) -> Interval:
    return confidence_sequence(total, items, LEVEL)


def _scored(pooled: Mapping[str, Pooled]) -> Iterable[ScoredRow]:
    return [
        ScoredRow(
            id=name,
            score=one.score,
            lower=one.interval.lower,
            upper=one.interval.upper,
            first_scored_at=datetime.fromtimestamp(one.first_scored_at / 1000, UTC),
        )
        for name, one in pooled.items()
    ]


def _row(one: Pooled, rank: RankedRow | None) -> BoardRow:
    bounds = one.interval
    return BoardRow(
        model=one.model,
        team=one.team,
        score=one.score,
        interval=IntervalValue(lower=bounds.lower, upper=bounds.upper, level=bounds.level, method=bounds.method),
        rank_best=None if rank is None else rank.best,
        rank_worst=None if rank is None else rank.worst,
        group=None if rank is None else rank.group,
        items=one.items,
        attempts=one.attempts,
        team_models=one.team_models,
        unread_share=one.unread / one.asked if one.asked else 0.0,
        cost=None,
        origin=BY_THE_TEAM,
        first_scored_at=rfc3339(one.first_scored_at),
    )


def _reference(card: Card, track: str, setting: str, parameters: Mapping[str, ParameterValue]) -> list[ReferenceRow]:
    """Return the published figures of the board's own metric that were measured as the board is.

    A row that names no track, setting or parameter is not bound to one.
    """
    places = {"track": track, "setting": setting}
    return [
        row
        for row in card.reference
        if row.metric == card.headline.metric
        and all(places[name] in row.where.get(name, (places[name],)) for name in places)
        and row.parameters.items() <= parameters.items()
    ]

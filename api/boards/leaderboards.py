"""Boards: a model's score pools its public submissions, with an interval that is valid at any stop."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import sqlalchemy as sa
from msgspec.structs import replace

from api.boards.board_key import board_of, ranked_parameters
from api.boards.entrants import Entrant, entrants_on
from api.boards.pooling import Pool, pool
from api.boards.queries import BoardQuery
from api.context import Services
from api.database.operator_tables import hidden_rows
from api.database.schema import models, submissions, teams
from tetrad.contracts.benchmarks import Card, ReferenceRow
from tetrad.contracts.leaderboards import Board, BoardRow, HiddenRow, VoidSubmission
from tetrad.contracts.reports import IntervalValue
from tetrad.contracts.wire import ParameterValue
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_transaction
from tetrad.statistics import RankedRow, ScoredRow, rank_ranges

BY_THE_TEAM = "reported by the team"
MOST_VOID = 100  # shown on a board


def board(services: Services, card: Card, where: BoardQuery, bank: str) -> Board:
    """Return the board of draws from the sources of this digest.

    Models below the card's least number of items come after the ranked ones, without a rank.

    That of a fixed corpus is empty, for ever and for everybody, and says why.
    """
    track, setting, parameters = where.track, where.setting, where.parameters
    ranked = ranked_parameters(card, parameters)
    whole = Board(
        benchmark=card.name,
        version=card.version,
        track=track,
        setting=setting,
        parameters=ranked,
        bank=bank,
        metric=card.headline.metric,
        least_items=card.headline.least_items,
        rows=[],
        reference=[],
        notice=None if card.corpus is None else card.corpus.notice,
    )
    if card.corpus is not None:
        return whole
    name = board_of(card, track, setting, parameters, bank)
    with read_transaction(services.engine) as connection:
        entrants = entrants_on(connection, name)
        hidden, void = _hidden(connection, name), _void(connection, name)
    rows = list(ranked_rows(entrants, card.headline.least_items).values())
    return replace(whole, rows=rows, reference=_reference(card, track, setting, ranked), hidden=hidden, void=void)


def ranked_rows(entrants: Mapping[str, Entrant], least: int) -> dict[str, BoardRow]:
    """Return the rows by model id: ranked ones first, then those below the least number of items.

    Who has nothing scored has no row. One whose scores all wait has a row without a score, which says so.
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

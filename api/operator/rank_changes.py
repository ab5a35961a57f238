"""Which rows of which boards move when a batch of proposals is applied."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa
from msgspec import json

from api.database.operator_tables import rescorings
from api.database.schema import reports, submissions
from api.leaderboards import Pooled, interval_of, pooled_on, ranked_rows
from api.submissions.finding import SubmissionRow, identity_of
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.leaderboards import BoardRow
from tetrad.contracts.rescoring import ProposedReport, RankChange


def rank_changes(connection: sa.Connection, known: Sequence[BenchmarkInfo], batch: str) -> list[RankChange]:
    """Compare every board that a proposal of the batch counts on, as it is and as it would be.

    Left out are boards of versions that are not loaded any more, and of fixed corpora: nobody is shown those.
    """
    cards = {(info.card.name, info.card.version): info.card for info in known if info.card.corpus is None}
    r, s = rescorings.c, submissions.c
    query = (
        sa.select(submissions, r.report, reports.c.total, reports.c["items"], reports.c.asked, reports.c.unread)
        .join_from(rescorings, submissions, s.id == r.submission_id)
        .join(reports, reports.c.submission_id == s.id)
        .where(r.batch == batch, r.state == "proposed", s.visibility == "public", s.state == "scored")
    )
    boards: dict[str, list[SubmissionRow]] = {}
    for row in connection.execute(query):
        boards.setdefault(str(row.board), []).append(row)
    shown = {name: rows for name, rows in boards.items() if (rows[0].benchmark, rows[0].version) in cards}
    return [
        change
        for name, rows in shown.items()
        for change in _on_board(connection, cards[rows[0].benchmark, rows[0].version].headline.least_items, name, rows)
    ]


def _on_board(connection: sa.Connection, least: int, name: str, rows: list[SubmissionRow]) -> list[RankChange]:
    before = pooled_on(connection, name)
    old, new = ranked_rows(before, least), ranked_rows(_shifted(before, rows), least)
    return [_change(rows[0], old[model], new[model]) for model in new if _place(old[model]) != _place(new[model])]


def _shifted(pooled: Mapping[str, Pooled], rows: list[SubmissionRow]) -> dict[str, Pooled]:
    """Return the pool with each proposal's numbers in the place of its report's."""
    shifted = dict(pooled)
    for row in rows:
        one = shifted.get(str(row.model_id))
        if one is not None:  # its row may be hidden
            shifted[str(row.model_id)] = _with(one, row, json.decode(row.report, type=ProposedReport))
    return shifted


def _with(one: Pooled, row: SubmissionRow, new: ProposedReport) -> Pooled:
    items = one.items + new.headline.items - int(row.items)
    total = max(0.0, min(one.total + new.headline.total - float(row.total), items))
    return replace(
        one,
        total=total,
        items=items,
        asked=one.asked + new.asked - int(row.asked),
        unread=one.unread + new.unread - int(row.unread),
        interval=interval_of(total, items),
    )


def _place(row: BoardRow) -> tuple[float | None, tuple[int, int] | None, int, float]:
    return row.score, _ranks(row), row.items, row.unread_share


def _ranks(row: BoardRow) -> tuple[int, int] | None:
    return None if row.rank_best is None or row.rank_worst is None else (row.rank_best, row.rank_worst)


def _change(row: SubmissionRow, old: BoardRow, new: BoardRow) -> RankChange:
    identity = identity_of(row)
    return RankChange(
        benchmark=identity.benchmark,
        version=identity.version,
        track=identity.track,
        setting=identity.setting,
        parameters=identity.parameters,
        model=new.model,
        team=new.team,
        score_before=old.score,
        score_after=new.score,
        ranks_before=_ranks(old),
        ranks_after=_ranks(new),
    )

"""Which rows of which boards move when a batch of proposals is applied."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa
from msgspec import json, structs

from api.boards.entrants import Entrant, entrants_on
from api.boards.leaderboards import ranked_rows
from api.boards.pooling import Fetched
from api.database.operator_tables import rescorings
from api.database.schema import submissions
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
        sa.select(submissions, r.report)
        .join_from(rescorings, submissions, s.id == r.submission_id)
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
    before = entrants_on(connection, name)
    old, new = ranked_rows(before, least), ranked_rows(_shifted(before, rows), least)
    return [_change(rows[0], old[model], new[model]) for model in new if _place(old[model]) != _place(new[model])]


def _shifted(entrants: Mapping[str, Entrant], rows: list[SubmissionRow]) -> dict[str, Entrant]:
    """Return the entrants with each proposal's numbers in the place of its report's; a row may be hidden."""
    proposed = {str(row.id): json.decode(row.report, type=ProposedReport) for row in rows}
    return {
        name: replace(one, fetched=[_with(proposed, each) for each in one.fetched]) for name, one in entrants.items()
    }


def _with(proposed: Mapping[str, ProposedReport], one: Fetched) -> Fetched:
    new = proposed.get(one.submission)
    if new is None or one.score is None:
        return one
    score = structs.replace(
        one.score, total=new.headline.total, items=new.headline.items, asked=new.asked, unread=new.unread
    )
    return structs.replace(one, score=score)


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

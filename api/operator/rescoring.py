"""Scoring again: queues proposals, shows what they would change, and applies a batch of them.

Scoring makes the proposals, because it alone sees answer keys: a new report beside the old, and the difference. Before
`apply_batch` nothing visible to others changes. Then the whole batch changes in one transaction. The old reports
are kept as earlier revisions.

In order: queueing and showing, applying, and the rows of boards that would move.
"""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from msgspec import json, structs

from api.boards.leaderboards import entrants_of, fetched_on, hidden_on, pool_by_model, ranked_rows
from api.boards.pooling import Fetched
from api.database.idempotency import Keep, unkept
from api.database.schema import reports, rescorings, submissions, superseded_reports, teams
from api.errors import InvalidInputError, NotFoundError, UnfinishedBatchError, not_found
from api.inputs import known_id, storable
from api.operator.access import Operator
from api.operator.audit_log import note
from api.paging import cursor_at, position_of
from api.submissions.finding import SubmissionRow, identity_of
from api.upstream.cards import Cards
from api.upstream.job_notifier import JobNotifier
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.leaderboards import BoardRow
from tetrad.contracts.operator import RescoringRequest
from tetrad.contracts.rescoring import ProposedReport, RankChange, ReportDifference, Rescoring, RescoringBatch
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id
from tetrad.server.request_ids import id_columns
from tetrad.server.scoring_tables import add_event

NOTIFIED_AT_ONCE = 50  # the sweeper finds the rest
SHOWN = 200  # the default number on a page
MOVED_ON = "the submission is void, or was scored again since this proposal was made"


def queue_rescoring(
    engine: sa.Engine,
    notifier: JobNotifier,
    operator: Operator,
    request: RescoringRequest,
    keep: Keep[RescoringBatch] = unkept,
) -> RescoringBatch:
    """Queue a proposal for one scored submission, or for every one of a benchmark.

    Raises:
        InvalidInputError: neither or both are named.
        NotFoundError: nothing of it is scored.
    """
    wanted, reason = _select_scored(request), str(storable("reason", request.reason))
    batch, now = new_id("rsb"), now_ms()
    with write_transaction(engine) as connection:
        found = list(connection.execute(wanted.order_by(submissions.c.id)).scalars())
        if not found:
            raise NotFoundError("no scored submission matches: nothing can be scored again")
        rows = [
            {
                "id": new_id("rsc"),
                "batch": batch,
                "submission_id": submission,
                "reason": reason,
                "state": "queued",
                "created_at": now,
                **id_columns(),
            }
            for submission in found
        ]
        connection.execute(sa.insert(rescorings), rows)
        subject = request.submission or f"{request.benchmark} {request.version or 'all versions'}"
        note(connection, operator, "rescore", subject, reason=reason, batch=batch, submissions=len(found))
        queued = RescoringBatch(
            id=batch, reason=reason, created_at=rfc3339(now), counts={"queued": len(found)}, rescorings=[], ranks=[]
        )
        keep(connection, queued)
    for row in rows[:NOTIFIED_AT_ONCE]:
        notifier.rescore(str(row["id"]))
    return queued


def show_batch(
    engine: sa.Engine, cards: Cards, batch: str, cursor: str | None = None, limit: int = SHOWN
) -> RescoringBatch:
    """Return the batch: its counts, a page of differences, and, once nothing is queued, the rows that would move.

    Raises:
        NotFoundError: there is no such batch.
        InvalidInputError: the cursor is another list's.
        GeneratorAwayError, GeneratorFailedError: the generator is away and was never heard of.
    """
    after = position_of("rescorings", cursor, "")
    r, known = rescorings.c, cards.all()
    mine = r.batch == known_id("rsb", batch, "rescoring")
    counts = sa.select(r.state, sa.func.count().label("number")).where(mine).group_by(r.state)
    telling = r.state.in_(("proposed", "applied", "failed", "dropped"))
    page = sa.select(rescorings).where(mine, telling, r.submission_id > after).order_by(r.submission_id)
    with read_transaction(engine) as connection:
        first = connection.execute(sa.select(r.reason, r.created_at).where(mine).limit(1)).one_or_none()
        if first is None:
            raise not_found("rescoring", batch)
        states = {row.state: row.number for row in connection.execute(counts)}
        found = connection.execute(page.limit(limit + 1)).all()
        ranks = [] if "queued" in states else rank_changes(connection, known, batch)
    shown = found[:limit]
    return RescoringBatch(
        id=batch,
        reason=first.reason,
        created_at=rfc3339(first.created_at),
        counts=states,
        rescorings=[_show_rescoring(row) for row in shown],
        ranks=ranks,
        next=cursor_at("rescorings", shown[-1].submission_id) if len(found) > limit else None,
    )


def _select_scored(request: RescoringRequest) -> sa.Select[tuple[str]]:
    """Return the query for the ids of the scored submissions."""
    s = submissions.c
    scored = (
        sa.select(s.id)
        .join_from(submissions, reports, reports.c.submission_id == s.id)
        .join(teams, teams.c.id == s.team_id)
        .where(s.state == "scored", teams.c.state != "deleted")  # replies of deleted teams are gone
    )
    if (request.submission is None) == (request.benchmark is None):
        raise InvalidInputError("name either a submission or a benchmark")
    if request.submission is not None:
        return scored.where(s.id == known_id("sub", request.submission, "submission"))
    scored = scored.where(s.benchmark == request.benchmark)
    return scored if request.version is None else scored.where(s.version == request.version)


def _show_rescoring(row: sa.Row[tuple[object, ...]]) -> Rescoring:
    return Rescoring(
        id=row.id,
        submission=row.submission_id,
        state=row.state,
        revision=row.revision,
        failure=row.failure,
        difference=None if row.difference is None else json.decode(row.difference, type=ReportDifference),
    )


def apply_batch(engine: sa.Engine, cards: Cards, operator: Operator, batch: str) -> RescoringBatch:
    """Apply every proposal of the batch, all in one transaction. Applying it again changes nothing.

    If the submission is no longer scored, or was scored again since, its proposal is dropped.

    Raises:
        NotFoundError: there is no such batch.
        UnfinishedBatchError: some of it is still queued.
    """
    r, now = rescorings.c, now_ms()
    mine = r.batch == known_id("rsb", batch, "rescoring")
    show_batch(engine, cards, batch)
    with write_transaction(engine) as connection:
        if connection.execute(sa.select(sa.exists().where(mine, r.state == "queued"))).scalar():
            raise UnfinishedBatchError("the batch is not done: some of it is still queued", retry_after=2)
        query = sa.select(rescorings).where(mine, r.state == "proposed").order_by(r.submission_id).with_for_update()
        proposals = connection.execute(query).all()
        applied = sum(_apply(connection, proposal, now) for proposal in proposals)
        if proposals:
            dropped = len(proposals) - applied
            note(connection, operator, "apply rescoring", batch, reason="", applied=applied, dropped=dropped)
    return show_batch(engine, cards, batch)


def _apply(connection: sa.Connection, proposal: sa.Row[tuple[object, ...]], now: int) -> bool:
    """Replace one report and say so in its submission's events; False where it has moved on."""
    new = json.decode(proposal.report, type=ProposedReport)
    current = sa.select(reports).join(submissions, submissions.c.id == reports.c.submission_id)
    current = current.where(submissions.c.id == proposal.submission_id, submissions.c.state == "scored")
    old = (
        connection.execute(current.where(reports.c.revision == new.revision - 1).with_for_update())
        .mappings()
        .one_or_none()
    )
    this = sa.update(rescorings).where(rescorings.c.id == proposal.id)
    if old is None:
        connection.execute(this.values(state="dropped", failure=MOVED_ON))
        return False
    kept = {**old, "superseded_at": now, "reason": proposal.reason}
    connection.execute(sa.insert(superseded_reports).values(kept))
    replaced = sa.update(reports).where(reports.c.submission_id == proposal.submission_id)
    connection.execute(replaced.values(_columns(new)))
    connection.execute(this.values(state="applied"))
    data = {"revision": new.revision, "headline": new.headline.value, "reason": proposal.reason}
    add_event(connection, str(proposal.submission_id), now, "rescored", data)
    return True


def _columns(new: ProposedReport) -> dict[str, object]:
    return {
        "revision": new.revision,
        "object": new.object,
        "digest": new.digest,
        "metric": new.headline.name,
        "headline": json.encode(new.headline).decode(),
        "total": new.headline.total,
        "items": new.headline.items,
        "asked": new.asked,
        "unread": new.unread,
        "missing": new.missing,
        "scored_at": new.scored_at,
        "differences": json.encode(new.differences).decode(),
        "by_facet": json.encode(new.by_facet).decode(),
    }


def rank_changes(connection: sa.Connection, known: Sequence[BenchmarkInfo], batch: str) -> list[RankChange]:
    """Compare every board that a proposal of the batch would change: the present one and the one after `apply_batch`.

    Boards of versions that are not loaded any more and of fixed corpora are left out, because nobody is shown those.
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
    hidden = {row.model_id for row in hidden_on(connection, name)}
    before = {model: fetched for model, fetched in fetched_on(connection, name).items() if model not in hidden}
    entrants = entrants_of(connection, list(before))
    old = ranked_rows(entrants, pool_by_model(before, least))
    new = ranked_rows(entrants, pool_by_model(_shift(before, rows), least))
    return [_change(rows[0], old[model], new[model]) for model in new if _place(old[model]) != _place(new[model])]


def _shift(before: Mapping[str, Sequence[Fetched]], rows: list[SubmissionRow]) -> dict[str, list[Fetched]]:
    """Return the submissions with each proposal's numbers in the place of its report's; a row may be hidden."""
    proposed = {str(row.id): json.decode(row.report, type=ProposedReport) for row in rows}
    return {
        model: [_shift_submission(proposed, submission) for submission in fetched] for model, fetched in before.items()
    }


def _shift_submission(proposed: Mapping[str, ProposedReport], submission: Fetched) -> Fetched:
    new = proposed.get(submission.submission)
    if new is None or submission.score is None:
        return submission
    score = structs.replace(
        submission.score,
        total=new.headline.total,
        items=new.headline.items,
        asked=new.asked,
        unread=new.unread,
        differences=tuple(new.differences),
        by_facet=tuple(new.by_facet),
    )
    return structs.replace(submission, score=score)


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
        conversation=row.conversation,
    )

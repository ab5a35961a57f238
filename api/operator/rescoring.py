"""Scoring again: queue proposals, show what they would change, and put them in the old reports' place, or not.

Scoring makes the proposals (it alone sees keys): a new report beside the old, and the difference. Nothing that
anybody else sees changes before `apply`, and then all of a batch does, in one transaction.
"""

import sqlalchemy as sa
from msgspec import json

from api.context import Services
from api.database.operator_tables import rescorings
from api.database.schema import reports, submissions, teams
from api.http.cursors import cursor_at, position_of
from api.http.idempotency import Keep, unkept
from api.http.known_ids import known_id, not_found
from api.http.texts import storable
from api.operator.access import Operator
from api.operator.acts import note
from api.operator.rank_changes import rank_changes
from tetrad.contracts.operator import RescoringRequest
from tetrad.contracts.rescoring import ReportDifference, Rescoring, RescoringBatch
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.ids import new_id
from tetrad.server.problems import ProblemError

RINGS = 50  # the sweeper rings for the rest
SHOWN = 200  # on a page, unless more or fewer are asked for


def queue_rescoring(
    services: Services, operator: Operator, request: RescoringRequest, keep: Keep[RescoringBatch] = unkept
) -> RescoringBatch:
    """Queue a proposal for one scored submission, or for every one of a benchmark.

    Raises:
        ProblemError: 422, neither or both are named; 404, nothing of it is scored.
    """
    wanted, reason = _wanted(request), str(storable("reason", request.reason))
    batch, now = new_id("rsb"), now_ms()
    with write_transaction(services.engine) as connection:
        found = list(connection.execute(wanted.order_by(submissions.c.id)).scalars())
        if not found:
            raise ProblemError(404, "there is no such scored submission: nothing can be scored again")
        rows = [
            {
                "id": new_id("rsc"),
                "batch": batch,
                "submission_id": submission,
                "reason": reason,
                "state": "queued",
                "created_at": now,
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
    for row in rows[:RINGS]:
        services.doorbell.rescore(str(row["id"]))
    return queued


def show_batch(services: Services, batch: str, cursor: str | None = None, limit: int = SHOWN) -> RescoringBatch:
    """Return how far the batch is, a page of what differs, and, once nothing is queued, which rows would move.

    Raises:
        ProblemError: 404; 422, a cursor of another list; 502 or 503, the generator is away and was never heard of.
    """
    after = position_of("rescorings", cursor, "")
    r, known = rescorings.c, services.cards.all()
    mine = r.batch == known_id("rsb", batch, "rescoring")
    counts = sa.select(r.state, sa.func.count().label("number")).where(mine).group_by(r.state)
    telling = r.state.in_(("proposed", "applied", "failed", "dropped"))
    page = sa.select(rescorings).where(mine, telling, r.submission_id > after).order_by(r.submission_id)
    with read_transaction(services.engine) as connection:
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
        rescorings=[_shown(row) for row in shown],
        ranks=ranks,
        next=cursor_at("rescorings", shown[-1].submission_id) if len(found) > limit else None,
    )


def _wanted(request: RescoringRequest) -> sa.Select[tuple[str]]:
    """Return the query for the ids of what is scored now."""
    s = submissions.c
    scored = (
        sa.select(s.id)
        .join_from(submissions, reports, reports.c.submission_id == s.id)
        .join(teams, teams.c.id == s.team_id)
        .where(s.state == "scored", teams.c.state != "deleted")  # of those the replies are gone
    )
    if (request.submission is None) == (request.benchmark is None):
        raise ProblemError(422, "name either a submission or a benchmark")
    if request.submission is not None:
        return scored.where(s.id == known_id("sub", request.submission, "submission"))
    scored = scored.where(s.benchmark == request.benchmark)
    return scored if request.version is None else scored.where(s.version == request.version)


def _shown(row: sa.Row[tuple[object, ...]]) -> Rescoring:
    return Rescoring(
        id=row.id,
        submission=row.submission_id,
        state=row.state,
        revision=row.revision,
        failure=row.failure,
        difference=None if row.difference is None else json.decode(row.difference, type=ReportDifference),
    )

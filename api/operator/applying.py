"""Putting proposed reports in the place of the old ones, which are kept as earlier revisions."""

import sqlalchemy as sa
from msgspec import json

from api.context import Services
from api.database.operator_tables import rescorings, superseded_reports
from api.database.schema import reports, submissions
from api.http.known_ids import known_id
from api.operator.access import Operator
from api.operator.acts import note
from api.operator.rescoring import show_batch
from api.submissions.events.records import tell
from tetrad.contracts.rescoring import ProposedReport, RescoringBatch
from tetrad.server.clock import now_ms
from tetrad.server.database import write_transaction
from tetrad.server.problems import ProblemError

MOVED_ON = "the submission is void or was scored again meanwhile"


def apply_batch(services: Services, operator: Operator, batch: str) -> RescoringBatch:
    """Apply every proposal of the batch, all in one transaction. Applying it again changes nothing.

    A proposal is dropped whose submission is no longer scored, or was scored again since.

    Raises:
        ProblemError: 404; 409, some are still queued.
    """
    r, now = rescorings.c, now_ms()
    mine = r.batch == known_id("rsb", batch, "rescoring")
    show_batch(services, batch)
    with write_transaction(services.engine) as connection:
        if connection.execute(sa.select(sa.exists().where(mine, r.state == "queued"))).scalar():
            raise ProblemError(409, "the batch is not done: some of it is still queued", headers={"Retry-After": "2"})
        query = sa.select(rescorings).where(mine, r.state == "proposed").order_by(r.submission_id).with_for_update()
        proposals = connection.execute(query).all()
        applied = sum(_apply(connection, proposal, now) for proposal in proposals)
        if proposals:
            dropped = len(proposals) - applied
            note(connection, operator, "apply rescoring", batch, reason="", applied=applied, dropped=dropped)
    return show_batch(services, batch)


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
    tell(connection, str(proposal.submission_id), now, "rescored", data)
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
    }

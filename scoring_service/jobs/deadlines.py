"""Deadlines: what was fetched is scored as it stands, what nobody ever saw leaves no trace."""

import json
from collections.abc import Sequence

import sqlalchemy as sa

from scoring_service.jobs.ledger import answers, events, items, questions, submissions
from tetrad.server.database import write_transaction

AT_ONCE = 500  # rows a transaction, so that it stays short
LAPSED = "lapsed"  # as the finish reason of an open submission

FINISHED = {"state": "queued", "finish_reason": "deadline", "finished_at": submissions.c.deadline_at}


def queue_expired(engine: sa.Engine, now: int) -> list[str]:
    """Finish the open submissions whose deadline has passed and whose questions were seen; return their ids."""
    expired = sa.update(submissions).where(_is_expired(now), submissions.c.fetched_at.is_not(None))
    with write_transaction(engine) as connection:
        ids = list(connection.execute(expired.values(FINISHED).returning(submissions.c.id)).scalars())
        if ids:
            data = json.dumps({"reason": "deadline"})
            rows = [{"submission_id": name, "at": now, "kind": "finished", "data": data} for name in ids]
            connection.execute(sa.insert(events), rows)
    return ids


def lapse_unseen(engine: sa.Engine, now: int) -> list[str]:
    """Mark the open submissions whose deadline passed before anything was fetched; return marked ones' ids.

    From then on the api opens nothing of them, whatever its clock says and however late a fetch is that began in
    time: their draws can be closed.
    """
    unseen = sa.update(submissions).where(_is_expired(now), _is_unseen(), submissions.c.finish_reason.is_(None))
    with write_transaction(engine) as connection:
        connection.execute(unseen.values(finish_reason=LAPSED))
        return list(connection.execute(sa.select(submissions.c.id).where(_is_lapsed()).limit(AT_ONCE)).scalars())


def drop_lapsed(engine: sa.Engine, closed: Sequence[str]) -> int:
    """Delete those of these submissions that are marked; return how many. Their draws have to be closed before.

    Their line in the public log of commitments stays: it says that a draw was sealed, not whether it was used.
    """
    marked = sa.select(submissions.c.id).where(submissions.c.id.in_(closed), _is_lapsed())
    with write_transaction(engine) as connection:
        ids = list(connection.execute(marked.with_for_update()).scalars())
        for table in (questions, items, answers, events):
            connection.execute(sa.delete(table).where(table.c.submission_id.in_(ids)))
        connection.execute(sa.delete(submissions).where(submissions.c.id.in_(ids)))
    return len(ids)


def _is_expired(now: int) -> sa.ColumnElement[bool]:
    return sa.and_(submissions.c.state == "open", submissions.c.deadline_at <= now)


def _is_unseen() -> sa.ColumnElement[bool]:
    return submissions.c.fetched_at.is_(None)


def _is_lapsed() -> sa.ColumnElement[bool]:
    return sa.and_(submissions.c.state == "open", submissions.c.finish_reason == LAPSED, _is_unseen())

"""What happened to a submission, in order. Events are written in the transaction of what they tell.

Whoever writes one holds the submission's row, so that of one submission a later event never shows before an earlier.
"""

from collections.abc import Iterable

import sqlalchemy as sa
from msgspec import json

from api.database.schema import events
from tetrad.contracts.submissions import Event
from tetrad.server.clock import rfc3339
from tetrad.server.database import read_transaction

LAST_STATES = frozenset({"scored", "void"})
LAST_KINDS = LAST_STATES | {"rescored"}  # of a submission that is scored for good, an operator may change the report
MOST_AT_ONCE = 500


def tell(connection: sa.Connection, submission: str, at: int, kind: str, data: dict[str, object]) -> None:
    row = {"submission_id": submission, "at": at, "kind": kind, "data": json.encode(data).decode()}
    connection.execute(sa.insert(events).values(row))


def events_after(engine: sa.Engine, submission: str, after: int = 0, limit: int = MOST_AT_ONCE) -> list[Event]:
    """Return up to `limit` of the submission's events with ids above `after`, oldest first."""
    query = sa.select(events).where(events.c.submission_id == submission, events.c.id > after).order_by(events.c.id)
    with read_transaction(engine) as connection:
        return [
            Event(id=row.id, at=rfc3339(row.at), kind=row.kind, data=json.decode(row.data))
            for row in connection.execute(query.limit(limit))
        ]


def newest_events(engine: sa.Engine, among: Iterable[str]) -> dict[str, int]:
    """Return the id of the newest event of each of these submissions."""
    e = events.c
    query = sa.select(e.submission_id, sa.func.max(e.id).label("id"))
    query = query.where(e.submission_id.in_(sorted(among))).group_by(e.submission_id)
    with read_transaction(engine) as connection:
        return {row.submission_id: row.id for row in connection.execute(query)}

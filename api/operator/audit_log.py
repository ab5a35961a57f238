"""The operators' audit log, written in the transaction of what they change. Triggers keep it append-only."""

import sqlalchemy as sa
from msgspec import json

from api.database.schema import operator_acts
from api.inputs import storable
from api.operator.access import Operator
from api.paging import cursor_at, position_of
from tetrad.contracts.operator import Act, ActList
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import read_transaction


def note(
    connection: sa.Connection, operator: Operator, act: str, subject: str, *, reason: str, **details: object
) -> None:
    """Write an entry: who did what to which id, and why. Teams are named by id, because a name may have to be deleted.

    Raises:
        InvalidInputError: the reason cannot be stored.
    """
    row = {
        "at": now_ms(),
        "operator": operator.name,
        "act": act,
        "subject": subject,
        "reason": storable("reason", reason),
        "details": json.encode(details).decode(),
    }
    connection.execute(sa.insert(operator_acts).values(row))


def list_acts(engine: sa.Engine, cursor: str | None, limit: int, subject: str | None) -> ActList:
    """Return a page of entries, newest first."""
    before = position_of("acts", cursor, 0)
    query = sa.select(operator_acts).order_by(operator_acts.c.id.desc()).limit(limit + 1)
    if before:
        query = query.where(operator_acts.c.id < before)
    if subject is not None:
        query = query.where(operator_acts.c.subject == storable("subject", subject))
    with read_transaction(engine) as connection:
        rows = connection.execute(query).all()
    shown = rows[:limit]
    following = cursor_at("acts", shown[-1].id) if len(rows) > limit else None
    return ActList(acts=[_act(row) for row in shown], next=following)


def _act(row: sa.Row[tuple[object, ...]]) -> Act:
    return Act(
        id=row.id,
        at=rfc3339(row.at),
        operator=row.operator,
        act=row.act,
        subject=row.subject,
        reason=row.reason,
        details=json.decode(row.details),
    )

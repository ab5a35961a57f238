"""The log of operators' acts, written in the transaction of what they change. Triggers keep it append-only."""

import sqlalchemy as sa
from msgspec import json

from api.database.operator_tables import operator_acts
from api.operator.access import Operator
from api.services import Services
from api.texts import storable
from tetrad.contracts.operator import Act, ActList
from tetrad.serving.clock import now_ms, rfc3339
from tetrad.serving.database import reading


def note(
    connection: sa.Connection, operator: Operator, act: str, subject: str, *, reason: str, **details: object
) -> None:
    """Write down who does what to which id, and why. Names of teams stay out: they may have to go, the log stays.

    Raises:
        ProblemError: 422, the reason cannot be stored.
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


def list_acts(services: Services, cursor: int | None, limit: int, subject: str | None) -> ActList:
    """Return acts, newest first; `cursor` is the last id of the page before."""
    query = sa.select(operator_acts).order_by(operator_acts.c.id.desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(operator_acts.c.id < cursor)
    if subject is not None:
        query = query.where(operator_acts.c.subject == storable("subject", subject))
    with reading(services.engine) as connection:
        rows = connection.execute(query).all()
    shown = rows[:limit]
    return ActList(acts=[_act(row) for row in shown], next=str(shown[-1].id) if len(rows) > limit else None)


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

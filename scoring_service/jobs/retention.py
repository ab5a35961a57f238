"""What is kept for a time: verifications, with the reports that strangers sent to be checked."""

import sqlalchemy as sa

from scoring_service.jobs.ledger import verifications
from scoring_service.jobs.outbox import QUEUED
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.objects import ObjectStore

AT_ONCE = 100  # a sweep; the next one goes on


def drop_verifications(engine: sa.Engine, store: ObjectStore, before: int) -> int:
    """Delete the verifications that ended before `before` (ms), and return how many.

    The reports go first: a row is all that names one.

    Raises:
        StoreError: the rows stay, and the next sweep tries again.
    """
    ended = sa.and_(verifications.c.state != QUEUED, verifications.c.finished_at < before)
    query = sa.select(verifications.c.id, verifications.c.object).where(ended).limit(AT_ONCE)
    with read_transaction(engine) as connection:
        reports: dict[str, str] = {row.id: row.object for row in connection.execute(query)}
    for name in reports.values():
        store.delete(name)
    if reports:
        with write_transaction(engine) as connection:
            connection.execute(sa.delete(verifications).where(verifications.c.id.in_(reports)))
    return len(reports)

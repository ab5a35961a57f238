"""The draws that are neither revealed nor closed: who needs which secret, and letting go of those nobody can answer."""

from collections.abc import Callable, Collection, Sequence

import sqlalchemy as sa

from generator_service.sealing.record_tables import draws
from tetrad.internal.draws import OpenDraw
from tetrad.server.clock import now_ms
from tetrad.server.database import read_transaction, write_transaction

IS_OPEN = sa.and_(draws.c.revealed_at.is_(None), draws.c.closed_at.is_(None))
Fit = Callable[[sa.Row[tuple[object, ...]]], tuple[str, str] | None]
"""From a draw's row to the id of the secret that fits its commitment, and its seed."""


class OpenDrawsRecord:
    """Views and acts over all draws of a record, beside those on one draw in `Record`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def page(self, after: str, limit: int) -> list[OpenDraw]:
        """Return up to `limit` open draws with submission ids above `after`, in their order."""
        query = sa.select(draws).where(IS_OPEN, draws.c.submission > after).order_by(draws.c.submission).limit(limit)
        with read_transaction(self._engine) as connection:
            return [
                OpenDraw(submission=row.submission, secret=row.secret or "", sealed_at=row.sealed_at)
                for row in connection.execute(query)
            ]

    def secrets(self) -> dict[str, int]:
        """Count the open draws by the id of their secret."""
        query = sa.select(draws.c.secret, sa.func.count().label("number")).where(IS_OPEN).group_by(draws.c.secret)
        with read_transaction(self._engine) as connection:
            return {row.secret or "": row.number for row in connection.execute(query)}

    def close(self, submissions: Sequence[str]) -> int:
        """Close these draws and forget their nonces; return how many were open. Revealed ones only lose the nonce."""
        these = draws.c.submission.in_(submissions)
        with write_transaction(self._engine) as connection:
            closed = sa.update(draws).where(these, IS_OPEN).values(closed_at=now_ms(), nonce="")
            number = connection.execute(closed).rowcount
            connection.execute(sa.update(draws).where(these, draws.c.seed.is_not(None)).values(nonce=""))
        return number

    def close_of_secrets(self, lost: Collection[str]) -> int:
        """Close every open draw whose secret is lost; return how many."""
        with write_transaction(self._engine) as connection:
            closed = sa.update(draws).where(IS_OPEN, draws.c.secret.in_(lost)).values(closed_at=now_ms(), nonce="")
            return connection.execute(closed).rowcount

    def adopt(self, fit: Fit) -> None:
        """Give the draws of a record from before secrets had ids theirs, and the revealed ones their seeds."""
        old = sa.select(draws).where(draws.c.secret.is_(None), draws.c.closed_at.is_(None))
        with read_transaction(self._engine) as connection:
            rows = connection.execute(old).all()
        found = [(row, fit(row)) for row in rows]
        if not rows:
            return
        with write_transaction(self._engine) as connection:
            for row, fitting in found:
                if fitting is not None:
                    seed = None if row.revealed_at is None else fitting[1]
                    this = sa.update(draws).where(draws.c.submission == row.submission)
                    connection.execute(this.values(secret=fitting[0], seed=seed))

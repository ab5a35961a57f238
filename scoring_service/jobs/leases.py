"""A lease that lives as long as its holder: renewed in the background while the work goes on."""

import contextvars
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from scoring_service.jobs.outbox import Claim, renew
from tetrad.server.clock import now_ms

RENEWALS_PER_LEASE = 4  # three may be late before another worker takes the row

log = logging.getLogger(__name__)


@contextmanager
def kept_alive(engine: sa.Engine, held: Claim, lease_ms: int) -> Iterator[None]:
    """Renew the lease until the block ends. A lease that is lost all the same shows at the commit."""
    done = threading.Event()
    here = contextvars.copy_context()  # the log's fields
    renewer = threading.Thread(target=here.run, args=(_renew_until, done, engine, held, lease_ms), daemon=True)
    renewer.start()
    try:
        yield
    finally:
        done.set()
        renewer.join()


def _renew_until(done: threading.Event, engine: sa.Engine, held: Claim, lease_ms: int) -> None:
    while not done.wait(lease_ms / 1000 / RENEWALS_PER_LEASE):
        try:
            if not renew(engine, held, now_ms() + lease_ms):
                log.warning("lease lost", extra={"row": held.id, "attempt": held.attempt})
                return
        except sa.exc.SQLAlchemyError as error:
            log.warning("lease not renewed", extra={"row": held.id, "error": type(error).__name__})

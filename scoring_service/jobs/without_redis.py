"""A worker while Redis is away: it looks for what is due by itself, and does it as a job would."""

import logging
import threading
import time

import sqlalchemy as sa
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from scoring_service.jobs.context import Workplace
from scoring_service.jobs.definitions import JOBS, TABLES
from scoring_service.jobs.outbox import due
from tetrad.internal.jobs import DELIVERY, QUEUES, queue_of
from tetrad.server.clock import now_ms
from tetrad.server.garbage_collection import collector_paused

ROUND_SECONDS = 10.0  # then the worker sees whether Redis is back
IN_ORDER = sorted(TABLES, key=lambda name: QUEUES.index(queue_of(name)))

log = logging.getLogger(__name__)


def work_off(workplace: Workplace, stop: threading.Event) -> int:
    """Do what is due, one row after the other, for a round or until `stop`; return how many were tried.

    Each is claimed as ever, so that it does not matter how many workers do the same, nor who still rings. Only the
    main thread may: the time limit is a signal. Whatever goes wrong besides the rows' own work ends the round.
    """
    tried = 0
    end = time.monotonic() + ROUND_SECONDS
    try:
        while not stop.is_set() and time.monotonic() < end and (first := _first_due(workplace)):
            _do(workplace, *first)
            tried += 1
    except sa.exc.SQLAlchemyError as error:
        log.warning("work put off", extra={"error": type(error).__name__})
    except Exception:
        log.exception("work without Redis failed")
    return tried


def _first_due(workplace: Workplace) -> tuple[str, str] | None:
    """Return the job and the row to do next; what has no attempt left waits for the sweeper, who gives it up."""
    most = workplace.settings.most_attempts
    for name in IN_ORDER:
        for row in due(workplace.engine, TABLES[name], now_ms()):
            if row.tries < most:
                return name, row.id
    return None


def _do(workplace: Workplace, name: str, row_id: str) -> None:
    with UnixSignalDeathPenalty(DELIVERY["timeout"], JobTimeoutException), collector_paused():  # type: ignore[no-untyped-call]
        JOBS[name](workplace, row_id)

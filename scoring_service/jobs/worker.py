"""The worker: `python -m scoring_service.jobs.worker`. One process works on due rows, a slice at a time, and sweeps.

The database holds the due rows, `turns` chooses among them, and JOBS maps each row to a function. The worker reads the
database, works until nothing is due, and waits (tetrad/server/notifications.py). A job that the api enqueues with RQ
ends the wait early. The worker neither reads nor runs that job. While Redis is away, or after it was flushed, the
worker still finds every row.
"""

import logging
import os
import threading
import time
from collections.abc import Mapping
from functools import partial

import sqlalchemy as sa

from scoring_service.jobs.attempts import Job, attempt
from scoring_service.jobs.context import CONNECTIONS, WorkerContext, open_context
from scoring_service.jobs.keys_ahead import MOST_AHEAD, KeysAhead
from scoring_service.jobs.report_work import open_report_work
from scoring_service.jobs.rescore_submission import rescore_submission
from scoring_service.jobs.score_submission import score_submission
from scoring_service.jobs.sweeper import sweeping
from scoring_service.jobs.verify_report import verify_report
from scoring_service.settings import PREFIX, ScoringSettings
from tetrad.internal.jobs import QUEUE
from tetrad.server.clock import now_ms
from tetrad.server.database import check_pool
from tetrad.server.notifications import Notifications, is_any_queued, seconds_until_due
from tetrad.server.scoring_tables import OUTBOXES, rescorings, submissions, verifications
from tetrad.server.settings import load_settings
from tetrad.server.worker_process import begin_worker, show_numbers, stop_on_signals

JOBS: Mapping[sa.Table, Job] = {
    submissions: score_submission,
    rescorings: rescore_submission,
    verifications: verify_report,
}
"""The function for a due row of each outbox. Nothing else is ever run."""

AFTER_TROUBLE_SECONDS = 1.0  # the longest time until the next look, if the database was away or something failed

log = logging.getLogger(__name__)


def main() -> None:
    """Work until told to stop. Exits with a message when the settings are wrong."""
    settings = begin_worker("scoring", partial(load_settings, ScoringSettings, PREFIX, os.environ))
    context = open_context(settings)
    check_pool(context.engine, CONNECTIONS, "the pool of a worker of scoring")
    show_numbers(settings, context.records.metrics)
    stop, found = stop_on_signals(), threading.Event()
    ahead = KeysAhead(partial(open_report_work, context, ahead=True))
    try:
        with sweeping(context, found):
            work(context, Notifications(settings.redis_url, QUEUE), stop, ahead, found)
    finally:
        ahead.close()
        context.close()


def work(
    context: WorkerContext,
    notifications: Notifications,
    stop: threading.Event,
    ahead: KeysAhead | None = None,
    found: threading.Event | None = None,
) -> None:
    """Work on due rows, one after the other, until `stop`. An error does not end this: the rows stay due.

    `found` is set by the sweeper when it has made a row due.
    """
    ends = (stop,) if found is None else (stop, found)
    is_idle = False
    while not stop.is_set():
        if found is not None:
            found.clear()
        looked_at, seconds = now_ms(), AFTER_TROUBLE_SECONDS
        try:
            is_idle = is_idle and not is_any_queued(context.engine, OUTBOXES)
            if not is_idle and work_on_next(context, ahead):
                continue
            is_idle = True
            seconds = seconds_until_due(context.engine, OUTBOXES, looked_at)
        except sa.exc.SQLAlchemyError as error:
            log.warning("work put off", extra={"error": type(error).__name__})
        except Exception:
            log.exception("work failed")
        notifications.wait(seconds, *ends)


def work_on_next(context: WorkerContext, ahead: KeysAhead | None = None) -> bool:
    """Lease the row whose turn it is, and work on its job for a slice; False where none is due.

    Meanwhile the first keys of the submissions after it are fetched ahead.
    """
    turn = context.turns.next()
    if turn is None:
        return False
    job = JOBS[turn.lease.table]
    if ahead is not None:
        ahead.fetch(turn.lease.id, context.turns.upcoming(MOST_AHEAD))
        job = partial(score_submission, ahead=ahead) if job is score_submission else job
    begun = time.monotonic()
    try:
        attempt(context, turn.lease, job)
    finally:
        context.turns.charge(turn, time.monotonic() - begun)
    return True


if __name__ == "__main__":
    main()

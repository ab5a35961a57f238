"""The worker: `python -m scoring_service.jobs.worker`. One process works on due rows, a slice at a time, and sweeps.

The database holds the due rows, `turns` chooses among them, and JOBS maps each row to a function. The worker reads the
database, works until nothing is due, and waits. A job that the api enqueues with RQ ends the wait early. The worker
neither reads nor runs that job, and writes nothing to Redis. So somebody who can write to Redis can only make a worker
read the database once more. While Redis is away, or after it was flushed, the worker still finds every row.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from functools import partial

import sqlalchemy as sa
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import DequeueTimeout

from scoring_service.jobs.attempts import Job, attempt
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.keys_ahead import MOST_AHEAD, KeysAhead
from scoring_service.jobs.report_work import open_report_work
from scoring_service.jobs.rescore_submission import rescore_submission
from scoring_service.jobs.score_submission import score_submission
from scoring_service.jobs.sweeper import sweeping
from scoring_service.jobs.verify_report import verify_report
from scoring_service.settings import PREFIX, ScoringSettings
from tetrad.internal.jobs import QUEUE
from tetrad.server.garbage_collection import freeze_collector
from tetrad.server.logs import configure_logs
from tetrad.server.scoring_tables import rescorings, submissions, verifications
from tetrad.server.settings import SettingsError, load_settings

WAIT_SECONDS = 1  # the longest time between two checks of the database and of the signal to stop
REDIS_SECONDS = 5.0  # a Redis that does not answer for so long is away

JOBS: Mapping[sa.Table, Job] = {
    submissions: score_submission,
    rescorings: rescore_submission,
    verifications: verify_report,
}
"""The function for a due row of each outbox. Nothing else is ever run."""

log = logging.getLogger(__name__)


def main() -> None:
    """Work until told to stop. Exits with a message when the settings are wrong."""
    try:
        settings = load_settings(ScoringSettings, PREFIX, os.environ)
        configure_logs("scoring", settings.log_level)
    except SettingsError as error:
        sys.exit(str(error))
    context = open_context(settings)
    freeze_collector()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())  # the current row is finished first
    ahead = KeysAhead(partial(open_report_work, context, ahead=True))
    try:
        with sweeping(context):
            work(context, Notifications(settings.redis_url), stop, ahead)
    finally:
        ahead.close()
        context.close()


class Notifications:
    """The queue into which the api puts a job for every row that became due. The jobs themselves are not read."""

    def __init__(self, url: str) -> None:
        """Take redis://[USER:PASSWORD@]HOST:PORT/NUMBER; nothing is connected to before it is used."""
        self._redis: Redis[bytes] = Redis.from_url(
            url, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self._key = Queue(QUEUE, connection=self._redis).key
        self._is_away = False

    def wait(self, stop: threading.Event) -> None:
        """Return when there is a notification, and after WAIT_SECONDS at the latest, Redis or not."""
        try:
            Queue.lpop([self._key], WAIT_SECONDS, self._redis)
        except DequeueTimeout:
            self._is_away = False
        except RedisError as error:
            if not self._is_away:
                log.warning("Redis is away: the worker polls the database", extra={"error": type(error).__name__})
            self._is_away = True
            stop.wait(WAIT_SECONDS)


def work(
    context: WorkerContext, notifications: Notifications, stop: threading.Event, ahead: KeysAhead | None = None
) -> None:
    """Work on due rows, one after the other, until `stop`. An error does not end this: the rows stay due."""
    while not stop.is_set():
        worked = False
        try:
            worked = work_on_next(context, ahead)
        except sa.exc.SQLAlchemyError as error:
            log.warning("work put off", extra={"error": type(error).__name__})
        except Exception:
            log.exception("work failed")
        if not worked:
            notifications.wait(stop)


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

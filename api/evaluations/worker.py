"""The worker of evaluations: `python -m api.evaluations.worker`. One process has several runs under way.

It is the api's own, over the same domain and with the same settings, and works as scoring's worker does: the database
holds the due runs, and a job that the api enqueues with RQ only ends the wait for them
(tetrad/server/notifications.py). The worker reads no job.
"""

import logging
import os
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from api.context import AppContext, make_context
from api.database.schema import evaluation_runs
from api.evaluations.event_loop import EventLoop
from api.evaluations.run_records import RunRecords
from api.evaluations.running import MOST_DEATHS, work_on
from api.evaluations.signing import TokenSigner
from api.evaluations.steering import end_run, resume_due
from api.settings import PREFIX, EvaluationSettings
from tetrad.internal.jobs import EVALUATIONS_QUEUE
from tetrad.server.clock import now_ms, patient_ms
from tetrad.server.database import check_pool, write_transaction
from tetrad.server.notifications import SWEEP_SECONDS, Notifications, is_any_queued, seconds_until_due
from tetrad.server.outbox import Lease, find_exhausted, lease_next
from tetrad.server.settings import load_settings
from tetrad.server.worker_process import begin_worker, show_numbers, stop_on_signals
from tetrad.tls import load_trusted

BUSY_SECONDS = 1.0  # between two looks into the database while every slot is taken, or without Redis
SWITCH_SECONDS = 0.0005  # Python's 5 ms are a tenth of a fast model's call, for each thread that is in between
GIVEN_UP = "its worker died {attempts} times while working on it"
log = logging.getLogger(__name__)


def main() -> None:
    """Work until told to stop. Exits with a message when the settings are wrong."""
    settings = begin_worker("evaluations", partial(load_settings, EvaluationSettings, PREFIX, os.environ))
    context = make_context(settings)
    records = RunRecords()
    check_pool(context.engine, settings.database_connections, f"{PREFIX}_DATABASE_CONNECTIONS")
    load_trusted()  # read here, or else the first calls wait for it
    show_numbers(settings, records.metrics)
    sys.setswitchinterval(SWITCH_SECONDS)
    signer = TokenSigner(settings.gateway_token_secrets)
    try:
        Worker(context, signer, stop_on_signals(), records).work()
    finally:
        context.engine.dispose()


class Worker:
    """The slots of one process: as many runs as its settings say."""

    def __init__(self, context: AppContext, signer: TokenSigner, stop: threading.Event, records: RunRecords) -> None:
        self._context, self._signer, self._stop, self._records = context, signer, stop, records
        self._loop = EventLoop()
        self._slots = ThreadPoolExecutor(context.settings.evaluation_runs, "run")
        self._busy: set[Future[None]] = set()
        self._wake = threading.Event()
        url = context.settings.redis_url
        self._notifications = Notifications(url, EVALUATIONS_QUEUE) if url else None

    def work(self) -> None:
        """Fill the slots with due runs until told to stop. An error does not end this: the runs stay due."""
        try:
            while not self._stop.is_set():
                seconds = BUSY_SECONDS
                try:
                    seconds = self._look()
                except sa.exc.SQLAlchemyError as error:
                    log.warning("work put off", extra={"error": type(error).__name__})
                except Exception:
                    log.exception("work failed")
                self._beat()
                if seconds:
                    self._wait(seconds)
        finally:
            self._slots.shutdown()
            self._loop.close()
            if self._notifications is not None:
                self._notifications.close()

    def _look(self) -> float:
        """Resume what was paused long enough, and begin the run whose turn it is.

        Return the seconds until the next look, 0 where a run began.
        """
        looked_at = now_ms()
        resume_due(self._context)
        if not is_any_queued(self._context.engine, [evaluation_runs]):
            return SWEEP_SECONDS
        self._give_up_exhausted()
        if self._begin_next():
            return 0.0
        return seconds_until_due(self._context.engine, [evaluation_runs], looked_at)

    def _begin_next(self) -> bool:
        """Begin the run whose turn it is; False if none is due or every slot is taken."""
        self._busy = {slot for slot in self._busy if not slot.done()}
        if len(self._busy) >= self._context.settings.evaluation_runs:
            return False
        lease_ms = int(self._context.settings.evaluation_lease_seconds * 1000)
        lease = lease_next(self._context.engine, evaluation_runs, now_ms(), lease_ms, MOST_DEATHS, order=_turns())
        if lease is None:
            return False
        slot = self._slots.submit(self._work_on, lease)
        self._busy.add(slot)
        slot.add_done_callback(self._end_slot)
        return True

    def _work_on(self, lease: Lease) -> None:
        with self._records.slice(lease):
            work_on(self._context, self._signer, lease, self._loop, self._stop)

    def _end_slot(self, slot: "Future[None]") -> None:
        if (error := slot.exception()) is not None:
            log.error("a slot failed", exc_info=error)
        self._wake.set()

    def _give_up_exhausted(self) -> None:
        """Give up what kills its workers."""
        for lease in find_exhausted(self._context.engine, evaluation_runs, patient_ms(), MOST_DEATHS):
            self._give_up(lease)

    def _give_up(self, lease: Lease) -> None:
        log.error("given up", extra={"row": lease.id, "attempt": lease.attempt})
        with write_transaction(self._context.engine) as connection:
            finished = end_run(connection, lease.id, "failed", GIVEN_UP.format(attempts=lease.tries))
        for submission in finished:
            self._context.notifier.score(submission)

    def _beat(self) -> None:
        if self._context.settings.evaluation_heartbeat_file:
            Path(self._context.settings.evaluation_heartbeat_file).touch()

    def _wait(self, seconds: float) -> None:
        """Return when a run is due or a slot is free, and after `seconds` at the latest, Redis or not.

        While every slot is taken, no notification is taken off: another worker may have room.
        """
        if len(self._busy) >= self._context.settings.evaluation_runs or self._notifications is None:
            self._wake.wait(min(seconds, BUSY_SECONDS))
        else:
            self._notifications.wait(seconds, self._stop, self._wake)
        self._wake.clear()


def _turns() -> tuple[sa.ColumnElement[object], ...]:
    """Order due runs: those of the team with the fewest under way first, then the oldest."""
    others = evaluation_runs.alias()
    under_way = sa.select(sa.func.count()).where(
        others.c.team_id == evaluation_runs.c.team_id, others.c.state == "queued", others.c.lease_until > now_ms()
    )
    return under_way.scalar_subquery(), evaluation_runs.c.queued_at, evaluation_runs.c.id


if __name__ == "__main__":
    main()

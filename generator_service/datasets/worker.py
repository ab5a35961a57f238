"""A bulk worker: `python -m generator_service.datasets.worker`. It is RQ's worker, with a class of jobs of ours.

It holds no secret of the generator's: it may read sources, touch the tables of data sets, write to one bucket, and use
one number of Redis. Any number of them, on any hosts that share these, make a data set together. It works at the lowest
priority: what others wait for goes first.
"""

import logging
import os
import shutil
import signal
import socket
import time
import warnings
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from redis.exceptions import RedisError
from rq import get_current_job
from rq.exceptions import StopRequested

from generator_service.datasets.bulk_context import BulkContext, open_context
from generator_service.datasets.jobs import TableJob
from generator_service.datasets.life_signs import BulkWorker
from generator_service.datasets.making import make
from generator_service.datasets.queueing import JOB_SECONDS, is_work_left, look_after, queue_due
from generator_service.datasets.settings import PREFIX, BulkSettings
from tetrad.internal.jobs import MAKE_SHARD, QUEUE_SHARDS
from tetrad.server.objects import StoreError, is_reached
from tetrad.server.request_ids import working_for
from tetrad.server.settings import load_settings
from tetrad.server.worker_process import begin_worker, show_numbers

NICENESS = 19
OLD_SECONDS = 2 * JOB_SECONDS
PASSING = (sa.exc.SQLAlchemyError, RedisError, StoreError)
log = logging.getLogger(__name__)


def main() -> None:
    """Work until told to stop, or until there was no work for as long as the settings say."""
    settings = begin_worker("bulk", partial(load_settings, BulkSettings, PREFIX, os.environ))
    warnings.filterwarnings("ignore", "CLIENT LIST")  # its user may not see who else is connected
    remove_left_behind(Path(settings.work_folder))
    context = open_context(settings)
    TableJob.table = {MAKE_SHARD: partial(make_and_queue, context), QUEUE_SHARDS: partial(queue_for, context)}
    os.register_at_fork(after_in_child=partial(context.engine.dispose, close=False))  # the parent goes on with its own
    show_numbers(settings, context.signs.metrics)
    os.nice(NICENESS)  # now that it has started, which the watchdog waits for
    try:
        work(context)
    except StopRequested:  # between two rounds of work
        return


def work(context: BulkContext) -> None:
    """Let RQ's worker work, round after round: before each, what is due and in no job is queued."""
    idle_since = time.monotonic()
    while True:
        context.signs.beat()
        _sweep(context)
        worker = BulkWorker(context.queue, context.signs)
        has_worked = worker.work(max_idle_time=context.settings.sweep_seconds, logging_level="WARNING")
        if signal.getsignal(signal.SIGTERM) == worker.request_force_stop:  # it was asked to stop
            return
        if has_worked:
            idle_since = time.monotonic()
        patience = context.settings.idle_exit_seconds
        if patience and time.monotonic() - idle_since >= patience and not _is_work_left(context):
            return


def make_and_queue(context: BulkContext, dataset: str, number: int) -> None:
    """Make a shard, and queue what follows."""
    try:
        make(context, dataset, number)
    finally:
        queue_due(context)


def queue_for(context: BulkContext, dataset: str) -> None:
    """Queue what is due: a data set was ordered. The job names the request that ordered it."""
    job = get_current_job()
    with working_for(job.meta if job else {}, dataset):
        log.info("shards queued", extra={"job": QUEUE_SHARDS, "row": dataset, "waiting": queue_due(context)})


def _sweep(context: BulkContext) -> None:
    """Queue what is due, and look after data sets. What is away now is there at a later round."""
    is_reached(context.store, context.settings.store_url)  # told in the log
    try:
        queue_due(context)
        look_after(context)
    except PASSING as error:
        log.warning("put off", extra={"error": type(error).__name__})
        time.sleep(1.0)


def _is_work_left(context: BulkContext) -> bool:
    try:
        return is_work_left(context)
    except sa.exc.SQLAlchemyError:
        return True


def remove_left_behind(folder: Path) -> None:
    """Remove unfinished shards of killed workers of this host, and those that any host left long ago."""
    for path in folder.glob("shard-*-*-*"):
        _, worker, rest = path.name.split("-", 2)
        is_ours = rest.startswith(f"{socket.gethostname()}-")
        is_old = time.time() - path.stat().st_mtime > OLD_SECONDS
        if is_old or (is_ours and not Path("/proc", worker).exists()):
            shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()

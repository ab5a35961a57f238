"""The worker: `python -m scoring_service.jobs.worker`. One process takes jobs one at a time, and sweeps.

Jobs come through Redis. While it is away the worker looks by itself for what is due.
"""

import functools
import logging
import os
import signal
import sys
import threading

from redis import Redis
from redis.exceptions import RedisError

from scoring_service.jobs.context import Workplace, open_workplace
from scoring_service.jobs.definitions import JOBS
from scoring_service.jobs.job_notifier import open_queues
from scoring_service.jobs.sweeper import sweeping
from scoring_service.jobs.table_job import TableJob, job_class_of
from scoring_service.jobs.table_worker import TableWorker
from scoring_service.jobs.without_redis import work_off
from scoring_service.settings import PREFIX, ScoringSettings
from tetrad.server.garbage_collection import freeze_collector
from tetrad.server.logs import configure_logs
from tetrad.server.settings import SettingsError, load_settings

RECONNECT_SECONDS = 2.0
CONNECT_SECONDS = 5

log = logging.getLogger(__name__)


def main() -> None:
    """Work until told to stop. Exits with a message when the environment does not fit."""
    try:
        settings = load_settings(ScoringSettings, PREFIX, os.environ)
        configure_logs("scoring", settings.log_level)
    except SettingsError as error:
        sys.exit(str(error))
    workplace = open_workplace(settings)
    freeze_collector()
    try:
        run(workplace, open_redis(settings.redis_url), threading.Event())
    finally:
        workplace.close()


def run(workplace: Workplace, connection: "Redis[bytes]", stop: threading.Event) -> None:
    """Sweep and do what is due until `stop`: as jobs, and without them whenever Redis is away."""
    jobs = job_class_of({name: functools.partial(job, workplace) for name, job in JOBS.items()})
    with sweeping(workplace, open_queues(connection)):
        while not stop.is_set():
            _stop_on_signals(stop)
            _work(connection, jobs, stop)
            work_off(workplace, stop)
            stop.wait(RECONNECT_SECONDS)


def open_redis(url: str) -> "Redis[bytes]":
    """Return a client for redis://[USER:PASSWORD@]HOST:PORT/NUMBER; connects when first used."""
    return Redis.from_url(url, socket_connect_timeout=CONNECT_SECONDS, health_check_interval=30)


def _work(connection: "Redis[bytes]", jobs: type[TableJob], stop: threading.Event) -> None:
    """Take jobs until told to stop, or until Redis goes."""
    try:
        TableWorker(connection, jobs, stop).work(logging_level=None)
    except RedisError as error:
        log.warning("working without Redis", extra={"error": type(error).__name__})
    finally:
        _stop_on_signals(stop)  # RQ's own handlers, left behind, would end the process with an error


def _stop_on_signals(stop: threading.Event) -> None:
    """While no worker of RQ's is at work, whose own handlers take over then."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())


if __name__ == "__main__":
    main()

"""The sweeper in every worker: closes what is past its deadline and rings for everything that is due."""

import contextvars
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from redis.exceptions import RedisError

from scoring_service.generator import GeneratorError
from scoring_service.jobs.attempts import give_up
from scoring_service.jobs.context import Workplace
from scoring_service.jobs.deadlines import drop_lapsed, lapse_unseen, queue_expired
from scoring_service.jobs.definitions import TABLES
from scoring_service.jobs.job_notifier import Queues, ring, waiting
from scoring_service.jobs.outbox import due, exhausted
from scoring_service.jobs.retention import drop_verifications
from tetrad.internal.jobs import job_id
from tetrad.server.clock import now_ms
from tetrad.server.objects import StoreError

DAY_MS = 24 * 60 * 60 * 1000

log = logging.getLogger(__name__)


def sweep(workplace: Workplace, queues: Queues) -> int:
    """Do one round; return how many jobs were rung for. Without Redis none is, and the rest of the round goes on.

    Raises:
        SQLAlchemyError: the database is out of reach.
    """
    now = now_ms()
    for submission in queue_expired(workplace.engine, now):
        log.info("deadline passed", extra={"submission": submission})
    for table in TABLES.values():
        for held in exhausted(workplace.engine, table, now, workplace.settings.most_attempts):
            give_up(workplace, held)
    rung = _ring_if_heard(workplace, queues)
    _drop_unseen(workplace, now)  # last: nothing waits for it, and it waits for the generator
    _drop_old(workplace, now)
    return rung


def _drop_old(workplace: Workplace, now: int) -> None:
    before = now - int(workplace.settings.verification_days * DAY_MS)
    try:
        dropped = drop_verifications(workplace.engine, workplace.store, before)
    except StoreError as error:
        log.warning("dropping old verifications put off: %s", error)
        return
    if dropped:
        log.info("old verifications are dropped", extra={"count": dropped})


def _drop_unseen(workplace: Workplace, now: int) -> None:
    """Drop what nobody saw, once the generator has closed its draws: a row is all that says they are to be closed."""
    lapsed = lapse_unseen(workplace.engine, now)
    if not lapsed:
        return
    try:
        workplace.generator.close_draws(lapsed)
    except GeneratorError as error:
        log.warning("dropping submissions nobody saw put off", extra={"count": len(lapsed), "error": str(error)})
        return
    dropped = drop_lapsed(workplace.engine, lapsed)
    log.info("submissions nobody saw are dropped", extra={"count": dropped})


def _ring_if_heard(workplace: Workplace, queues: Queues) -> int:
    """Ring for what is due, unless Redis is away: the workers then look by themselves (without_redis.py)."""
    try:
        return _ring_for_due(workplace, queues)
    except RedisError as error:
        log.warning("nothing rung for: Redis is away", extra={"error": type(error).__name__})
        return 0


def _ring_for_due(workplace: Workplace, queues: Queues) -> int:
    rung = 0
    already = waiting(queues)
    for name, table in TABLES.items():
        for row in due(workplace.engine, table, now_ms()):
            if job_id(name, row.id, row.attempt) not in already:
                ring(queues, name, row.id, row.attempt)
                rung += 1
    if rung:
        log.info("rang for what is due", extra={"count": rung})
    return rung


@contextmanager
def sweeping(workplace: Workplace, queues: Queues) -> Iterator[None]:
    """Sweep in the background, at once and then every `sweep_seconds`, until the block ends."""
    done = threading.Event()
    here = contextvars.copy_context()  # the log's fields
    rounds = threading.Thread(target=here.run, args=(_until, done, workplace, queues), daemon=True)
    rounds.start()
    try:
        yield
    finally:
        done.set()
        rounds.join()


def _until(done: threading.Event, workplace: Workplace, queues: Queues) -> None:
    while True:
        try:
            sweep(workplace, queues)
            _beat(workplace.settings.heartbeat_file)
        except sa.exc.SQLAlchemyError as error:
            log.warning("sweep put off", extra={"error": type(error).__name__})
        except Exception:
            log.exception("sweep failed")
        if done.wait(workplace.settings.sweep_seconds):
            return


def _beat(heartbeat_file: str) -> None:
    if heartbeat_file:
        Path(heartbeat_file).touch()

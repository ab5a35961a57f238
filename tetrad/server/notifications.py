"""Lets an idle worker wait until a row is due: for a notification, for a delay that ends, at the latest for a sweep.

The database holds the due rows. For each row that becomes due the api puts a job into a queue of Redis, and a waiting
worker takes one off. It reads no job and writes nothing to Redis. So somebody who can write to Redis can only make a
worker look into the database once more. A notification may get lost, with a Redis that is restarted or flushed: then
the worker finds the row when its wait ends. While Redis is away, it looks every second.
"""

import logging
import threading
import time
from collections.abc import Sequence

import sqlalchemy as sa
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue

from tetrad.server.database import is_state, read_rows
from tetrad.server.outbox import FARTHEST_MS, QUEUED

SWEEP_SECONDS = 5.0  # the longest time between two looks of an idle worker into the database
BLOCK_SECONDS = 1  # the longest request to Redis: then a signal to stop is noticed
AWAY_SECONDS = 1.0  # between two looks while Redis is away
REDIS_SECONDS = 5.0  # a Redis that does not answer for so long is away

log = logging.getLogger(__name__)


class Notifications:
    """The queue into which the api puts a job for every row that became due. The jobs themselves are not read."""

    def __init__(self, url: str, queue: str) -> None:
        """Take redis://[USER:PASSWORD@]HOST:PORT/NUMBER and a queue's name; nothing is connected to before a wait."""
        self._redis: Redis[bytes] = Redis.from_url(
            url, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self._key = Queue(queue, connection=self._redis).key
        self._is_away = False

    def wait(self, seconds: float, *ends: threading.Event) -> None:
        """Return when there is a notification, soon after one of `ends` is set, and after `seconds` at the latest.

        While Redis is away, return after AWAY_SECONDS.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not any(end.is_set() for end in ends):
            try:
                is_notified = self._redis.blpop([self._key], min(left, BLOCK_SECONDS)) is not None
            except RedisError as error:
                if not self._is_away:
                    log.warning("Redis is away: the worker polls the database", extra={"error": type(error).__name__})
                self._is_away = True
                ends[0].wait(AWAY_SECONDS)
                return
            if is_notified:
                return
            self._is_away = False

    def close(self) -> None:
        self._redis.close()


def is_any_queued(engine: sa.Engine, outboxes: Sequence[sa.Table]) -> bool:
    """Return whether any row is queued, due or not: a cheap first look for an idle worker."""
    queued = [sa.select(table.c.id).where(is_state(table.c.state, QUEUED)) for table in outboxes]
    return bool(read_rows(engine, sa.union_all(*queued).limit(1)))


def seconds_until_due(engine: sa.Engine, outboxes: Sequence[sa.Table], looked_at: int) -> float:
    """Return how long a worker may wait that found nothing due at `looked_at` (ms), SWEEP_SECONDS at the most.

    Nobody notifies of a row whose delay, or whose dead worker's lease, ends.
    """
    soonest = [
        sa.select(sa.func.min(table.c.lease_until).label("at")).where(
            is_state(table.c.state, QUEUED), table.c.lease_until.between(looked_at, looked_at + FARTHEST_MS)
        )
        for table in outboxes
    ]
    found = sa.union_all(*soonest).subquery()
    at = read_rows(engine, sa.select(sa.func.min(found.c.at)))[0][0]
    return SWEEP_SECONDS if at is None else min(SWEEP_SECONDS, max(0.0, (at + 1 - looked_at) / 1000))

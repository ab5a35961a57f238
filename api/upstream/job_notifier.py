"""Telling scoring that a row is due. The row is what counts: a ring that fails is logged, and a sweep finds the row."""

import logging
from collections.abc import Callable
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from tetrad.internal.jobs import (
    DELIVERY,
    QUEUES,
    RESCORE_SUBMISSION,
    SCORE_SUBMISSION,
    VERIFY_REPORT,
    job_id,
    queue_of,
)

PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
log = logging.getLogger(__name__)


class Doorbell:
    """Rings after the commit, never before; without a Redis it stays silent."""

    def __init__(self, url: str) -> None:
        self._redis: Redis[bytes] | None = None
        self._queues: dict[str, Queue] = {}
        if url:
            patience = PATIENCE_SECONDS
            self._redis = Redis.from_url(url, socket_timeout=patience, socket_connect_timeout=patience)
            self._queues = {name: Queue(name, connection=self._redis, serializer=JSONSerializer) for name in QUEUES}

    def score(self, submission: str) -> None:
        self._ring(SCORE_SUBMISSION, submission)

    def verify(self, verification: str) -> None:
        self._ring(VERIFY_REPORT, verification)

    def rescore(self, rescoring: str) -> None:
        self._ring(RESCORE_SUBMISSION, rescoring)

    def is_up(self) -> bool | None:
        """Whether Redis answers; None where none is configured."""
        if self._redis is None:
            return None
        try:
            return bool(self._redis.ping())
        except RedisError:
            return False

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()

    def _ring(self, name: str, row_id: str) -> None:
        if not self._queues:
            return
        enqueue: Callable[..., Any] = self._queues[queue_of(name)].enqueue_call
        named = job_id(name, row_id, 0)
        try:
            enqueue(func=name, args=(row_id,), job_id=named, description=named, **DELIVERY)
        except RedisError as error:
            log.warning(
                "the doorbell failed; the sweeper will find the row", extra={"row": row_id, "error": str(error)}
            )

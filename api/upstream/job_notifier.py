"""Notifies scoring, or the workers of evaluations, that a row is due.

The row is the truth: if a job can't be enqueued, a worker finds the row later. Workers do not read the jobs
(scoring_service/jobs/worker.py, api/evaluations/worker.py). Name and argument are for people who look into Redis.
"""

import logging
from collections.abc import Callable
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from tetrad.internal.jobs import EVALUATIONS_QUEUE, QUEUE

PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
FORGOTTEN_SECONDS = 600  # then Redis drops the job's record
log = logging.getLogger(__name__)


class JobNotifier:
    """Notifies after the commit, never before; without a Redis it does nothing."""

    def __init__(self, url: str) -> None:
        self._redis: Redis[bytes] | None = None
        self._queues: dict[str, Queue] = {}
        if url:
            patience = PATIENCE_SECONDS
            self._redis = Redis.from_url(
                url, socket_timeout=patience, socket_connect_timeout=patience, retry=Retry(NoBackoff(), 0)
            )
            for name in (QUEUE, EVALUATIONS_QUEUE):
                self._queues[name] = Queue(name, connection=self._redis, serializer=JSONSerializer)

    def score(self, submission: str) -> None:
        self._notify("score_submission", submission)

    def verify(self, verification: str) -> None:
        self._notify("verify_report", verification)

    def rescore(self, rescoring: str) -> None:
        self._notify("rescore_submission", rescoring)

    def evaluate(self, run: str) -> None:
        self._notify("run_evaluation", run, EVALUATIONS_QUEUE)

    def is_up(self) -> bool | None:
        """Return whether Redis answers; None where none is configured."""
        if self._redis is None:
            return None
        try:
            return bool(self._redis.ping())
        except RedisError:
            return False

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()

    def _notify(self, job: str, row_id: str, queue: str = QUEUE) -> None:
        if queue not in self._queues:
            return
        enqueue: Callable[..., Any] = self._queues[queue].enqueue_call
        try:
            enqueue(func=job, args=(row_id,), description=f"{job} {row_id}", ttl=FORGOTTEN_SECONDS)
        except RedisError as error:
            log.warning(
                "no worker was notified; a worker finds the row when it looks next",
                extra={"row": row_id, "error": str(error)},
            )

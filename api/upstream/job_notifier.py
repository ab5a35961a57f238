"""Notifies scoring, the workers of evaluations, or bulk workers, that a row is due.

The row is the truth: if a job can't be enqueued, a worker finds the row later. Scoring's workers and those of
evaluations do not read the jobs (scoring_service/jobs/worker.py, api/evaluations/worker.py): there, name, argument
and the request's ids are for people who look into Redis. Bulk workers are RQ's, at a number of their own.
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

from tetrad.internal.jobs import DATASETS_QUEUE, EVALUATIONS_QUEUE, QUEUE, QUEUE_SHARDS
from tetrad.server.request_ids import id_columns

PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
FORGOTTEN_SECONDS = 600  # then Redis drops the job's record
log = logging.getLogger(__name__)


class JobNotifier:
    """Notifies after the commit, never before; without a Redis it does nothing."""

    def __init__(self, url: str, bulk_url: str = "") -> None:
        self._redis = _connect(url)
        self._bulk = _connect(bulk_url)
        self._queues: dict[str, Queue] = {}
        for redis, names in ((self._redis, (QUEUE, EVALUATIONS_QUEUE)), (self._bulk, (DATASETS_QUEUE,))):
            for name in names if redis is not None else ():
                self._queues[name] = Queue(name, connection=redis, serializer=JSONSerializer)

    def score(self, submission: str) -> None:
        self._notify("score_submission", submission)

    def verify(self, verification: str) -> None:
        self._notify("verify_report", verification)

    def rescore(self, rescoring: str) -> None:
        self._notify("rescore_submission", rescoring)

    def evaluate(self, run: str) -> None:
        self._notify("run_evaluation", run, EVALUATIONS_QUEUE)

    def make(self, dataset: str) -> None:
        self._notify(QUEUE_SHARDS, dataset, DATASETS_QUEUE)

    def is_up(self) -> bool | None:
        """Return whether Redis answers; None where none is configured."""
        if self._redis is None:
            return None
        try:
            return bool(self._redis.ping())
        except RedisError:
            return False

    def close(self) -> None:
        for redis in (self._redis, self._bulk):
            if redis is not None:
                redis.close()

    def _notify(self, job: str, row_id: str, queue: str = QUEUE) -> None:
        if queue not in self._queues:
            return
        enqueue: Callable[..., Any] = self._queues[queue].enqueue_call
        try:
            about = f"{job} {row_id}"
            enqueue(func=job, args=(row_id,), description=about, ttl=FORGOTTEN_SECONDS, meta=id_columns())
        except RedisError as error:
            log.warning(
                "no worker was notified; a worker finds the row when it looks next",
                extra={"row": row_id, "error": str(error)},
            )


def _connect(url: str) -> "Redis[bytes] | None":
    if not url:
        return None
    patience = PATIENCE_SECONDS
    return Redis.from_url(url, socket_timeout=patience, socket_connect_timeout=patience, retry=Retry(NoBackoff(), 0))

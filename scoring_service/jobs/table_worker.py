"""An RQ worker that runs jobs of a table, takes no orders from Redis, and leaves no traceback there.

It does not fork for each job: SQLite's locks belong to the process, and a child of a process with an open database
believes that it holds its parent's. What a fork would protect from (a job that takes its process along) the lease
covers: the row is due again, and another worker takes it.
"""

import logging
import threading
from types import FrameType
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from rq import Queue, worker_registration
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import current_timestamp, now
from rq.worker import SimpleWorker

from scoring_service.jobs.job_notifier import open_queues
from scoring_service.jobs.table_job import JobRefusedError, TableJob

SILENCE_SECONDS = 45  # a Redis that says nothing for about as long is taken for gone
NOT_KEPT = "see the worker's log"

log = logging.getLogger(__name__)


class TableWorker(SimpleWorker):
    """Works off the queues, the first one first, until `stop` is set by a signal or Redis is gone."""

    def __init__(self, connection: "Redis[bytes]", job_class: type[TableJob], stop: threading.Event) -> None:
        super().__init__(
            list(open_queues(connection, job_class).values()),
            connection=connection,
            job_class=job_class,
            serializer=JSONSerializer,
            worker_ttl=SILENCE_SECONDS,
            log_job_description=False,
        )
        self.stop = stop

    def execute_job(self, job: Job, queue: Queue) -> None:
        try:
            assert_ours(job)
        except JobRefusedError as error:
            log.error("job refused: %s", error, extra={"job": job.id})  # noqa: TRY400 - nothing of ours raised it
            self.connection.delete(job.key)
            self.connection.lrem(queue.intermediate_queue_key, 1, job.id)
        else:
            super().execute_job(job, queue)

    def handle_job_failure(self, job: Job, queue: Queue, *args: Any, **kwargs: Any) -> None:
        kwargs["exc_string"] = NOT_KEPT
        super().handle_job_failure(job, queue, *args[:1], **kwargs)

    def heartbeat(self, timeout: int | None = None, pipeline: "Pipeline[bytes] | None" = None) -> None:
        """Stop when Redis is gone, where RQ would wait for it for ever: there is work that needs none.

        RQ beats before it asks for a job, and again whenever asking failed.
        """
        try:
            super().heartbeat(timeout, pipeline)
        except RedisConnectionError as error:
            log.warning("Redis is away", extra={"error": type(error).__name__})
            raise StopRequested from error

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Finish the job in hand, then stop."""
        self.stop.set()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def set_shutdown_requested_date(self) -> None:
        """Tell Redis nothing: this runs in a signal handler, in the middle of a job."""

    def subscribe(self) -> None:
        """Take no commands from Redis; workers are stopped by signals."""

    def run_maintenance_tasks(self) -> None:
        """Clear what dead workers left. Nothing is brought back from it: the rows know what is due."""
        self.last_cleaned_at = now()  # type: ignore[assignment] # RQ declares only its None
        for queue in self.queues:
            self.connection.delete(queue.intermediate_queue_key)
            self.connection.zremrangebyscore(queue.started_job_registry.key, 0, current_timestamp())
            worker_registration.clean_worker_registry(queue)


def assert_ours(job: Job) -> None:
    """Refuse what is not a job of the table.

    Raises:
        JobRefusedError: it is none.
    """
    if not isinstance(job, TableJob):
        raise JobRefusedError("it is not read as a job of the table")
    job.call()

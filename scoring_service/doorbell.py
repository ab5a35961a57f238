"""The doorbell: RQ jobs that say "look at this row now". The row knows; a lost ring is rung again."""

from collections.abc import Callable
from typing import Any

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tetrad.contracts.jobs import DELIVERY, QUEUE, job_id


def open_queue(connection: "Redis[bytes]", job_class: type[Job] = Job) -> Queue:
    """Return the queue of jobs. JSON, because reading a pickle from Redis would run what is in it."""
    return Queue(QUEUE, connection=connection, serializer=JSONSerializer, job_class=job_class)


def ring(queue: Queue, name: str, row_id: str, attempt: int) -> None:
    """Enqueue the job that looks at this row, made for the attempt after `attempt`."""
    named = job_id(name, row_id, attempt)
    enqueue: Callable[..., Any] = queue.enqueue_call
    enqueue(func=name, args=(row_id,), job_id=named, description=named, **DELIVERY)


def waiting(queue: Queue) -> set[str]:
    """Return the ids of the jobs that wait in Redis.

    The list itself is asked, not the jobs' records: a record outlives a worker that died with it in hand.
    """
    return set(queue.get_job_ids())

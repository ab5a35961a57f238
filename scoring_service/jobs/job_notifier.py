"""The doorbell: RQ jobs that say "look at this row now". The row knows; a lost ring is rung again."""

from collections.abc import Callable, Mapping
from typing import Any

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tetrad.internal.jobs import DELIVERY, QUEUES, job_id, queue_of

Queues = Mapping[str, Queue]
"""By name, in the order in which a worker empties them."""


def open_queues(connection: "Redis[bytes]", job_class: type[Job] = Job) -> Queues:
    """Return the queues of jobs. JSON, because reading a pickle from Redis would run what is in it."""
    return {name: Queue(name, connection=connection, serializer=JSONSerializer, job_class=job_class) for name in QUEUES}


def ring(queues: Queues, name: str, row_id: str, attempt: int) -> None:
    """Enqueue the job that looks at this row, made for the attempt after `attempt`."""
    named = job_id(name, row_id, attempt)
    enqueue: Callable[..., Any] = queues[queue_of(name)].enqueue_call
    enqueue(func=name, args=(row_id,), job_id=named, description=named, **DELIVERY)


def waiting(queues: Queues) -> set[str]:
    """Return the ids of the jobs that wait in Redis.

    The list itself is asked, not the jobs' records: a record outlives a worker that died with it in hand.
    """
    return {job for queue in queues.values() for job in queue.get_job_ids()}

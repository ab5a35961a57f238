"""The jobs that RQ's workers do: a table of two names. A job that names anything else fails.

RQ calls whatever function a job names, and whatever its callbacks name. Who can write to Redis could have it call
`os.system`. RQ's own extension, a class of jobs, looks names up here instead.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tetrad.internal.jobs import DATASETS_QUEUE, MAKE_SHARD, QUEUE_SHARDS


class UnknownJobError(Exception):
    """A job names a function that bulk workers don't have."""


class TableJob(Job):
    """A job whose function is one of `table`; it has no callbacks and no webhooks."""

    table: Mapping[str, Callable[..., None]] = {}

    @property
    def func(self) -> Callable[..., None]:
        """Return the function. Raises: UnknownJobError: the table has none of this name."""
        name = self.func_name or ""
        if name not in self.table:
            raise UnknownJobError(f"{name!r} is no job of bulk workers, which are {MAKE_SHARD} and {QUEUE_SHARDS}")
        return self.table[name]

    @property
    def success_callback(self) -> None:
        return None

    @property
    def failure_callback(self) -> None:
        return None

    @property
    def stopped_callback(self) -> None:
        return None

    def restore(self, raw_data: Any) -> None:
        """Read a job from Redis, without the addresses that RQ would call when it ends."""
        super().restore(raw_data)
        self.webhooks = []


@cache
def open_queue(redis: "Redis[bytes]") -> Queue:
    return Queue(DATASETS_QUEUE, connection=redis, job_class=TableJob, serializer=JSONSerializer)

"""The signs of life of a bulk worker: a file that it touches, and its numbers.

RQ's worker gives a sign to Redis while it waits, and while the child that it forked makes a shard. `BulkWorker` gives
the same signs here, where the watchdog of an instance, a container's probe and Prometheus see them.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric
from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from generator_service.datasets.jobs import TableJob
from tetrad.internal.jobs import MAKE_SHARD
from tetrad.server.metrics import Metrics

PART = "bulk"
BEAT_SECONDS = 5  # between two signs, whatever the worker does
RQ_MARGIN_SECONDS = 15  # RQ's worker waits for a job for so much less than its time to live
LONGEST_SILENCE_SECONDS = 60.0
SECONDS = (1.0, 5.0, 20.0, 60.0, 300.0, 1800.0)


class LifeSigns:
    """A worker tells of itself by a file, if it has the name of one, and by its numbers."""

    def __init__(self, file: str = "") -> None:
        self.metrics = Metrics()
        self._file = Path(file) if file else None
        self._last = time.monotonic()
        about = "Seconds of a turn of a job"
        self._seconds = self.metrics.histogram("tetrad_job_seconds", about, ("job",), SECONDS)
        self.metrics.collect_from(self._show_part)

    def beat(self) -> None:
        self._last = time.monotonic()
        if self._file is not None:
            self._file.touch()

    def count_job(self, job: str, seconds: float) -> None:
        if job == MAKE_SHARD:  # of other names there are as many as somebody writes to Redis
            self._seconds.labels(job).observe(seconds)

    def _show_part(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("tetrad_part_up", "1 while a part of the instance works", labels=("part",))
        up.add_metric((PART,), time.monotonic() - self._last < LONGEST_SILENCE_SECONDS)
        yield up


class BulkWorker(Worker):
    """RQ's worker, whose signs of life are seen here, too."""

    def __init__(self, queue: Queue, signs: LifeSigns) -> None:
        self._signs = signs
        super().__init__(
            [queue],
            connection=queue.connection,
            job_class=TableJob,
            serializer=JSONSerializer,
            log_job_description=False,
            worker_ttl=BEAT_SECONDS + RQ_MARGIN_SECONDS,
            job_monitoring_interval=BEAT_SECONDS,
        )

    def heartbeat(self, *arguments: Any, **options: Any) -> None:
        super().heartbeat(*arguments, **options)
        self._signs.beat()

    def execute_job(self, job: Job, queue: Queue) -> None:
        begun = time.monotonic()
        super().execute_job(job, queue)
        self._signs.count_job(job.func_name or "", time.monotonic() - begun)

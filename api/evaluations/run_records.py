"""Records of the work on runs: a line of the log when a slice begins and when it ends, and numbers."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tetrad.server.metrics import CountedWaits, Metrics
from tetrad.server.outbox import Lease
from tetrad.server.request_ids import waited_ms, working_for
from tetrad.server.traces import traces

log = logging.getLogger(__name__)


class RunRecords:
    """Writes and counts the slices of a worker."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self._waits = CountedWaits(self.metrics)
        self._slices = self.metrics.counter("tetrad_run_slices", "Slices of runs of evaluations")
        self._seconds = self.metrics.counter("tetrad_run_seconds", "Seconds that runs of evaluations took")

    @contextmanager
    def slice(self, lease: Lease) -> Iterator[None]:
        """Work for the request that began the evaluation, and record how long it took."""
        begun = time.perf_counter()
        with working_for(lease.about, lease.id) as asked:
            if (sender := traces()) is not None:
                sender.begin(asked, is_ours=True)
            log.info("run's slice begun", extra=lease.fields)
            try:
                yield
            finally:
                seconds = time.perf_counter() - begun
                if sender is not None:
                    sender.end(asked, "job evaluate", begun, {"tetrad.row": lease.id}, kind="consumer")
                self._slices.inc()
                self._seconds.inc(seconds)
                self._waits.observe(asked)
                ended = {"ms": round(seconds * 1000), "waited_ms": waited_ms(asked)}
                log.info("run's slice ended", extra={**lease.fields, **ended})

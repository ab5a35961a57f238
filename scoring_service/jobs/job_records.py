"""Records of the work on rows: a line of the log when a job begins and at the end of each turn, and numbers."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.server.job_turns import JobTurn, record_turn
from tetrad.server.metrics import CountedWaits, Metrics
from tetrad.server.outbox import Lease
from tetrad.server.traces import traces

JOBS = {"submissions": "score", "rescorings": "rescore", "verifications": "verify"}
SECONDS = (0.05, 0.25, 1.0, 5.0, 20.0, 60.0)
VerificationResult: TypeAlias = Literal["equal", "differs", "ours-differs"]

log = logging.getLogger(__name__)


class JobRecords:
    """Writes and counts the turns of a worker."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self._waits = CountedWaits(self.metrics)
        self._turns = self.metrics.counter(
            "tetrad_job_turns", "Turns of jobs by their end; a job ends with `done`", ("job", "result")
        )
        self._replies = self.metrics.counter(
            "tetrad_replies", "Scored replies by what became of them", ("benchmark", "extractor", "outcome")
        )
        self._verifications = self.metrics.counter(
            "tetrad_verified_reports", "Verified reports; `ours-differs`: this instance made it", ("result",)
        )
        for result in get_args(VerificationResult):
            self._verifications.labels(result)  # an alert looks for the first increase
        self._seconds = self.metrics.histogram("tetrad_job_seconds", "Seconds of a turn of a job", ("job",), SECONDS)

    def count_replies(self, benchmark: str, asked: int, unread: int, missing: int) -> None:
        """Count the replies of a report by what became of them."""
        for outcome, count in (("read", asked - unread - missing), ("unread", unread), ("missing", missing)):
            self._replies.labels(benchmark, EXTRACTOR_VERSION, outcome).inc(count)

    def count_verification(self, result: VerificationResult) -> None:
        self._verifications.labels(result).inc()

    @contextmanager
    def turn(self, lease: Lease) -> Iterator[JobTurn]:
        """Work for the request that made the row due, and record how the turn ended."""
        job = JOBS[lease.table.name]
        with record_turn(log, job, lease, lease.about, lease.id, is_first=lease.attempt == 1) as turn:
            if (sender := traces()) is not None:
                sender.begin(turn.asked, is_ours=True)
            try:
                yield turn
            finally:
                if sender is not None:
                    told = {"tetrad.job": job, "tetrad.row": lease.id, "tetrad.result": turn.result}
                    has_failed = turn.result == "failed"
                    sender.end(turn.asked, f"job {job}", turn.begun, told, kind="consumer", has_failed=has_failed)
                self._turns.labels(job, turn.result).inc()
                self._seconds.labels(job).observe(time.perf_counter() - turn.begun)
                self._waits.observe(turn.asked)

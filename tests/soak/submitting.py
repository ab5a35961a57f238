"""Teams that open submissions, answer and finish them, on and on, whatever is killed meanwhile."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

from tests.answering import first, open_questions, open_submission, patiently
from tests.instance import Instance
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.answers import Answer
from tetrad.contracts.reports import Report

TEAMS = 3
SIZE, BATCH = 12, 5
PATIENCE_SECONDS = 300.0
SCORED_SECONDS = 60.0  # after the end of a submission, and after the service is ready again: the service's promise
GOOD = {"correct", "incorrect"}


@dataclass
class Submitters:
    """What teams were told: items whose answers were acknowledged, by submission; reports; seconds until the score.

    `ready_at`: when the service was last seen ready after a kill. `name`: what the names of teams begin with.
    """

    instance: Instance
    name: str = "storm"
    acknowledged: dict[str, set[int]] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    ready_at: float = field(default_factory=time.monotonic)
    _done: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Submit during the block, and finish what was begun after it."""
        self.keys = [self._register(f"{self.name}-{number}") for number in range(TEAMS)]
        with ThreadPoolExecutor(TEAMS) as pool:
            teams = [pool.submit(self._work, key) for key in self.keys]
            try:
                yield
            finally:
                self._done.set()
            for team in teams:
                team.result()

    def _register(self, name: str) -> str:
        with self.instance.client() as anonymous:
            return anonymous.register_team(name).key

    def _work(self, key: str) -> None:
        with self.instance.client(key) as client:  # its address stays when the supervisor is started again
            while not self._done.is_set():
                submission = patiently(
                    lambda: open_submission(client, "soak", size=SIZE, setting="shade-only"), PATIENCE_SECONDS
                ).id
                self.acknowledged[submission] = set()
                self._answer(client, submission)
                self.reports[submission] = self._wait_scored(client, submission)

    def _answer(self, client: Client, submission: str) -> None:
        """Seal a batch of answers after the other, and finish."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            try:
                waiting = list(open_questions(client, submission))[:BATCH]
                answers = [Answer(item=each.item, question=each.question.id, answer=first(each)) for each in waiting]
                if answers:
                    client.seal(submission, answers)
                    self.acknowledged[submission] |= {answer.item for answer in answers}
                    continue
                client.finish(submission)
            except ServiceError as error:
                if error.problem.status == 409:
                    return  # it was finished, and the reply was lost
                if error.problem.status < 500:
                    raise
            except TetradError:
                pass
            else:
                return
            time.sleep(0.1)
        raise AssertionError(f"{submission} could not be finished in {PATIENCE_SECONDS:.0f} s")

    def _wait_scored(self, client: Client, submission: str) -> Report:
        finished_at = time.monotonic()
        while patiently(lambda: client.submission(submission), PATIENCE_SECONDS).state != "scored":
            late = time.monotonic() - max(finished_at, self.ready_at) - SCORED_SECONDS
            assert late < 0, f"{submission} is not scored {SCORED_SECONDS:.0f} s after the service was ready"
            time.sleep(0.1)
        self.waits.append(time.monotonic() - finished_at)
        return patiently(lambda: client.report(submission), PATIENCE_SECONDS)

    def lost(self) -> int:
        """Return how many acknowledged answers the reports lack."""
        scored = {
            submission: {result.item for result in report.questions if result.verdict in GOOD}
            for submission, report in self.reports.items()
        }
        return sum(len(items - scored[submission]) for submission, items in self.acknowledged.items())

    def describe(self) -> str:
        answers = sum(map(len, self.acknowledged.values()))
        waits = f"median {median(self.waits):.2f} s, most {max(self.waits):.1f} s"
        return (
            f"{self.lost()} of {answers} answers lost, {len(self.reports)} of {len(self.acknowledged)} scored ({waits})"
        )

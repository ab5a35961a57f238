"""The doorbell between the api and scoring: which jobs there are, and how one is named in Redis.

The database row is the outbox; a job only says "look now". Whoever rings enqueues, with RQ's JSON serializer, on
queue `queue_of(NAME)`: `enqueue_call(func=NAME, args=(ID,), job_id=job_id(NAME, ID, ATTEMPT), **DELIVERY)`. A ring that
is lost costs a sweep, a ring too many costs nothing: the second job finds nothing to claim.
"""

from collections.abc import Mapping
from typing import Final

QUEUE: Final = "scoring"
VERIFICATIONS: Final = "verifications"
QUEUES: Final = (QUEUE, VERIFICATIONS)
"""In the order in which a worker empties them: what anybody may ask for waits for what teams wait for."""

SCORE_SUBMISSION: Final = "score_submission"
VERIFY_REPORT: Final = "verify_report"
RESCORE_SUBMISSION: Final = "rescore_submission"

DELIVERY: Final[Mapping[str, int]] = {
    "timeout": 3600,  # seconds a job may run: 100,000 replies that are as slow to read as any take half of it at most
    "ttl": 3600,  # a ring that waited an hour is forgotten: the sweeper has rung again
    "result_ttl": 0,
    "failure_ttl": 600,
}

ATTEMPTS_A_QUEUEING: Final = 1000
"""More than any row is tried before it fails. `attempt` in its thousands counts how often it was queued again, so that
a claim of before is of no attempt that follows."""


def attempts_of(attempt: int) -> int:
    """Return how often a row was tried since it was last queued."""
    return attempt % ATTEMPTS_A_QUEUEING


def queued_again(attempt: int) -> int:
    """Return the `attempt` of a row that has all its attempts again."""
    return (attempt // ATTEMPTS_A_QUEUEING + 1) * ATTEMPTS_A_QUEUEING


def queue_of(name: str) -> str:
    """Return the queue of the job of this name."""
    return VERIFICATIONS if name == VERIFY_REPORT else QUEUE


def job_id(name: str, subject: str, attempt: int) -> str:
    """Return the RQ id of the job that makes the attempt after `attempt`; RQ takes letters, digits, - and _."""
    return f"{name}-{subject}-{attempt}"

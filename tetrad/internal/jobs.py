"""Define jobs for the api and scoring: the queues that announce a due row, and the count of its attempts.

The database row is the outbox. After the commit that makes a row due, the api enqueues an RQ job on QUEUE, with RQ's
JSON serializer, so that a worker looks at once. A lost job costs a second, a superfluous one costs a query.
"""

from typing import Final

QUEUE: Final = "scoring"
EVALUATIONS_QUEUE: Final = "evaluations"
DATASETS_QUEUE: Final = "datasets"
MAKE_SHARD: Final = "make_shard"
QUEUE_SHARDS: Final = "queue_shards"
"""The two jobs of bulk workers, which RQ's own workers do: make a shard, by data set and number; queue those due."""

RETENTION_DAYS: Final = 30
"""How long shards of a data set are kept that nobody holds an order of, unless an operator says otherwise."""

ATTEMPTS_A_QUEUEING: Final = 1000
"""More than any row is tried before it fails. `attempt` in its thousands counts how often the row was queued again, so
that a lease from before belongs to no attempt that follows."""


def attempts_of(attempt: int) -> int:
    """Return the number of attempts at a row since it was last queued."""
    return attempt % ATTEMPTS_A_QUEUEING


def queued_again(attempt: int) -> int:
    """Return the `attempt` of a row after it was queued again: it has all its attempts again."""
    return (attempt // ATTEMPTS_A_QUEUEING + 1) * ATTEMPTS_A_QUEUEING

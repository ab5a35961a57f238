"""A turn of a worker at a row: its lines of the log, and how it ended. Scoring and bulk workers write the same."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from tetrad.server.outbox import Lease
from tetrad.server.request_ids import RequestContext, waited_ms, working_for

Result: TypeAlias = Literal["done", "slice", "overtaken", "postponed", "refused", "retried", "failed"]


class JobTurn:
    """A turn of a job. `result` is how it ended; "failed" until somebody says otherwise.

    `asked` has the ids that the turn works under; `begun` is when it began (time.perf_counter).
    """

    def __init__(self, asked: RequestContext) -> None:
        self.asked = asked
        self.begun = time.perf_counter()
        self.result: Result = "failed"


@contextmanager
def record_turn(
    log: logging.Logger, job: str, lease: Lease, ids: Mapping[str, Any], fallback: str, *, is_first: bool
) -> Iterator[JobTurn]:
    """Work for the request that `ids` names, else under `fallback`; write a line when the turn ends.

    `is_first`: the job begins with this turn, and has a line for that, too.
    """
    fields: dict[str, Any] = {"job": job, **lease.fields, "attempt": lease.attempt}
    with working_for(ids, fallback) as asked:
        turn = JobTurn(asked)
        if is_first:
            log.info("job begun", extra=fields)
        try:
            yield turn
        finally:
            ms = round((time.perf_counter() - turn.begun) * 1000, 1)
            ended = {"result": turn.result, "ms": ms, "waited_ms": waited_ms(asked)}
            log.info("job's slice ended" if turn.result == "slice" else "job ended", extra={**fields, **ended})

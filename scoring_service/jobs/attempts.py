"""One attempt at one row: keep the lease, work for a slice, and record how it ended.

An attempt can end in three ways besides success. If something it needs is away, it is postponed, without limit and
without counting as an attempt. If somebody changed something, or something is damaged, it raises an alarm and fails at
once. Anything else, a time-out included, is a defect of ours: it is tried a few times, further and further apart, and
then fails. An operator can queue it again.
"""

import logging
from collections.abc import Callable
from typing import TypeAlias

import sqlalchemy as sa
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from scoring_service.generator import GeneratorConflictError, GeneratorUnavailableError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.slices import drop_slices
from scoring_service.judge import JudgeUnavailableError
from scoring_service.scoring import ForeignAnswerError
from tetrad.server.clock import now_ms
from tetrad.server.damage import DamageError
from tetrad.server.database import write_transaction
from tetrad.server.garbage_collection import collector_paused
from tetrad.server.job_turns import Result
from tetrad.server.outbox import (
    Lease,
    LeaseLostError,
    kept_alive,
    postpone,
    retry_with_back_off,
    unless_overtaken,
    write_as_holder,
)
from tetrad.server.scoring_tables import add_event, submissions

ATTEMPT_SECONDS = 900  # of one turn: a reveal may wait for the generator, and 100,000 questions take seconds to measure
GIVEN_UP = "scoring was tried {attempts} times and did not finish; an operator can queue it again"

# The database, the object store (a folder or S3) and the generator come back by themselves.
PASSING = (
    GeneratorUnavailableError,
    JudgeUnavailableError,
    sa.exc.OperationalError,
    OSError,
)

Job: TypeAlias = Callable[[WorkerContext, Lease], bool]
"""The work on one row. It ends the row (true) or keeps a slice (false), as the lease's holder, or raises."""

log = logging.getLogger(__name__)


class AlarmError(Exception):
    """The revealed draw does not match the commitment or the sealed answers. The text is shown to the team."""


def attempt(context: WorkerContext, lease: Lease, job: Job) -> None:
    """Do the job within its time. Errors of the job are not raised.

    Call it in the main thread: its time limit is a signal.
    """
    with context.records.turn(lease) as turn, kept_alive(context.engine, lease, context.lease_ms):
        try:
            with UnixSignalDeathPenalty(ATTEMPT_SECONDS, JobTimeoutException), collector_paused():  # type: ignore[no-untyped-call]
                turn.result = "done" if job(context, lease) else "slice"
        except Exception as error:  # noqa: BLE001 - every end of an attempt is written down, whatever it is
            turn.result = _end(context, lease, error)


def give_up(context: WorkerContext, lease: Lease) -> None:
    """Fail a row whose last attempt died with its worker."""
    log.error("given up", extra={"row": lease.id, "attempt": lease.attempt})
    _fail(context, lease, GIVEN_UP.format(attempts=lease.tries))


def _end(context: WorkerContext, lease: Lease, error: Exception) -> Result:
    """Write down how an attempt ended that raised an error; return that in one word."""
    where = {"row": lease.id, "attempt": lease.attempt, "error": type(error).__name__}
    if isinstance(error, LeaseLostError):
        log.warning("overtaken by another attempt", extra=where)
        return "overtaken"
    if isinstance(error, PASSING):
        log.warning("postponed: %s", _quote_ours(error), extra=where)
        postpone(context.engine, lease, _time_after(context.settings.postpone_seconds))
        return "postponed"
    if isinstance(error, AlarmError | DamageError | GeneratorConflictError | ForeignAnswerError):
        log.error("alarm: %s", error, extra=where)
        _fail(context, lease, f"refused: {error}")
        return "refused"
    log.error("attempt failed", extra=where, exc_info=error)
    return _retry_or_fail(context, lease, f"scoring met {type(error).__name__}")


def _retry_or_fail(context: WorkerContext, lease: Lease, failure: str) -> Result:
    if retry_with_back_off(context.engine, lease, context.settings.most_attempts, failure):
        return "retried"
    _fail(context, lease, f"{failure}; {GIVEN_UP.format(attempts=lease.tries)}")
    return "failed"


def _fail(context: WorkerContext, lease: Lease, failure: str) -> None:
    """Fail the row, in words that hold no key and no traceback, unless another attempt has overtaken this one."""
    now = now_ms()
    finished = (
        {} if lease.table is submissions else {"finished_at": now}
    )  # `finished_at` of a submission is the time at which its team finished it
    with unless_overtaken(lease), write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="failed", lease_until=None, failure=failure, **finished)
        drop_slices(connection, lease.id)
        if lease.table is submissions:
            add_event(connection, lease.id, now, "failed", {"failure": failure})


def _quote_ours(error: Exception) -> str:
    """Return the text of our own errors only: a driver's may hold a row or an address with its password."""
    return str(error) if isinstance(error, GeneratorUnavailableError | JudgeUnavailableError) else type(error).__name__


def _time_after(seconds: float) -> int:
    return now_ms() + int(seconds * 1000)

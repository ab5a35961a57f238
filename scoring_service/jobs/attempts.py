"""One attempt at one row: claim it, keep the lease, do the work, and say how it ended.

Three ends besides success. What cannot be had now is postponed, without limit and without spending an attempt. What
shows that somebody changed something is an alarm and fails at once. Anything else is a defect of ours, an answer that
is not done in time included: it is tried a few times, further and further apart, and then fails; an operator can queue
it again.
"""

import logging
from collections.abc import Callable

import sqlalchemy as sa

from scoring_service.generator import GeneratorConflictError, GeneratorUnavailableError
from scoring_service.jobs.context import Workplace
from scoring_service.jobs.leases import kept_alive
from scoring_service.jobs.outbox import GIVEN_UP, Claim, ClaimLostError, claim, postpone, retry_later
from scoring_service.jobs.publishing import publish_failure
from scoring_service.judge.caption_judge import JudgeUnavailableError
from scoring_service.scoring import ForeignAnswerError
from tetrad.server.clock import now_ms

LONGEST_BACK_OFF_SECONDS = 60

# The database, the object store (a folder or S3) and the generator come back by themselves.
PASSING = (
    GeneratorUnavailableError,
    JudgeUnavailableError,
    sa.exc.OperationalError,
    OSError,
)

log = logging.getLogger(__name__)


class AlarmError(Exception):
    """What the generator reveals does not fit what was committed to or sealed. The text is shown to the team."""


def attempt(workplace: Workplace, table: sa.Table, row_id: str, work: Callable[[Claim], None]) -> bool:
    """Claim the row and do the work; False where there was nothing to claim. Raises nothing of the work's."""
    held = claim(workplace.engine, table, row_id, now_ms(), workplace.lease_ms)
    if held is None:
        return False
    with kept_alive(workplace.engine, held, workplace.lease_ms):
        try:
            work(held)
        except Exception as error:  # noqa: BLE001 - every end of an attempt is written down, whatever it is
            _end(workplace, held, error)
    return True


def give_up(workplace: Workplace, held: Claim) -> None:
    """Fail a row whose last attempt died with its worker."""
    text = GIVEN_UP.format(attempts=held.tries)
    log.error("given up", extra={"row": held.id, "attempt": held.attempt})
    _fail(workplace, held, text)


def _end(workplace: Workplace, held: Claim, error: Exception) -> None:
    where = {"row": held.id, "attempt": held.attempt, "error": type(error).__name__}
    if isinstance(error, ClaimLostError):
        log.warning("overtaken by another attempt", extra=where)
    elif isinstance(error, PASSING):
        log.warning("postponed: %s", _said(error), extra=where)
        postpone(workplace.engine, held, _after(workplace.settings.postpone_seconds))
    elif isinstance(error, AlarmError | GeneratorConflictError | ForeignAnswerError):
        log.error("alarm: %s", error, extra=where)
        _fail(workplace, held, f"refused: {error}")
    else:
        log.error("attempt failed", extra=where, exc_info=error)
        _retry_or_fail(workplace, held, f"scoring met {type(error).__name__}")


def _retry_or_fail(workplace: Workplace, held: Claim, failure: str) -> None:
    if held.tries >= workplace.settings.most_attempts:
        _fail(workplace, held, f"{failure}; {GIVEN_UP.format(attempts=held.tries)}")
    else:
        retry_later(workplace.engine, held, _after(min(2**held.tries, LONGEST_BACK_OFF_SECONDS)), failure)


def _fail(workplace: Workplace, held: Claim, failure: str) -> None:
    try:
        publish_failure(workplace.engine, held, failure, now_ms())
    except ClaimLostError:
        log.warning("overtaken by another attempt", extra={"row": held.id, "attempt": held.attempt})


def _said(error: Exception) -> str:
    """Only our own errors are quoted: a driver's may hold a row or an address with its password."""
    return str(error) if isinstance(error, GeneratorUnavailableError | JudgeUnavailableError) else type(error).__name__


def _after(seconds: float) -> int:
    return now_ms() + int(seconds * 1000)

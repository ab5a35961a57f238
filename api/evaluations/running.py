"""Works on one run: the runner answers its submission, over the domain itself, with a model of the gateway.

A run goes on from what is sealed, whoever had it before. What stops it gracefully is asked before each question: the
questions in flight are still answered and sealed. A worker that is killed loses no reply that the gateway keeps.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from msgspec import json

from api.context import AppContext
from api.database.schema import evaluation_calls, evaluation_runs, evaluations, submissions, teams
from api.errors import (
    DomainError,
    GeneratorFailedError,
    NotFoundError,
    SourceUnavailableError,
    SubmissionClosedError,
    UnavailableError,
)
from api.evaluations.budgets import find_shortage
from api.evaluations.calling import AccountError, DayIsSpentError, ModelCaller, OutOfBudgetError, StoppedError
from api.evaluations.event_loop import EventLoop
from api.evaluations.extracting import ReplyExtraction
from api.evaluations.signing import TokenSigner
from api.evaluations.steering import end_evaluation, end_run, hold, leave_off_boards
from api.paging import position_of
from api.submissions.asking import ITEMS_AT_ONCE, open_questions
from api.submissions.finishing import COMPLETE
from api.submissions.pausing import fetch_picture, of_picture, paused_for
from api.submissions.sealing import answerable, seal
from api.submissions.uploads import Line, Upload
from api.teams.access import Caller
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.evaluations import EvaluationRequest, Outcome
from tetrad.contracts.inference import ModelPrice
from tetrad.contracts.submissions import OpenQuestion
from tetrad.runner import Attempts, Plan, RunError, answer_submission
from tetrad.runner.patience import retry
from tetrad.runner.ports import RefusedError, ReplyError
from tetrad.server.clock import now_ms
from tetrad.server.database import insert_into, is_state, read_rows, write_transaction
from tetrad.server.outbox import Lease, LeaseLostError, meanwhile, postpone, renew, retry_later

T = TypeVar("T")
CHECK_SECONDS = 0.5  # between two looks whether the run is still this worker's
CALL_ATTEMPTS = 7  # about a minute: a gateway that restarts is back by then
PORT_ATTEMPTS = 6
FIRST_PAGE = 8  # items, and each further page has twice as many: the model begins soon
BATCH = 16
POSTPONE_MS = 5_000
MOST_TRIES = 8  # after so many leases, a defect of ours fails the run
MOST_DEATHS = 100  # after so many leases, a run that kills its workers is given up
MOST_BACK_OFF_SECONDS = 60
PASSING = (UnavailableError, GeneratorFailedError, sa.exc.OperationalError)
REFUSED_PAUSE_MS = 168 * 3_600_000  # until somebody resumes it, or its deadline
log = logging.getLogger(__name__)


class Stop:
    """Tells a run to stop. `is_lost`: the run is not this worker's any more."""

    def __init__(self, outer: threading.Event) -> None:
        self._outer = outer
        self._own = threading.Event()
        self.is_lost = False

    def __call__(self) -> bool:
        return self._own.is_set() or self._outer.is_set()

    def set(self, *, is_lost: bool = False) -> None:
        self.is_lost = self.is_lost or is_lost
        self._own.set()

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the moment at which the run is to stop."""
        end = time.monotonic() + seconds
        while not self() and (left := end - time.monotonic()) > 0:
            self._own.wait(min(left, CHECK_SECONDS))


class SubmissionOfService:
    """A submission of an evaluation as the runner's port, over the domain itself."""

    def __init__(  # noqa: PLR0917 - what the port stands between
        self,
        context: AppContext,
        caller: Caller,
        submission: str,
        calls: ModelCaller,
        loop: EventLoop,
        stop: Stop,
        extraction: ReplyExtraction | None = None,
    ) -> None:
        self._extraction = extraction
        self._context, self._caller, self._submission = context, caller, submission
        self._calls, self._loop, self._stop = calls, loop, stop
        self._attempts = Attempts(most=PORT_ATTEMPTS, sleep=stop.sleep)
        self._paused = paused_for(context.engine, submission)

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        """Yield the open questions page by page, of all items or of these alone."""
        listed = None if items is None else ",".join(map(str, items))
        cursor, limit = 0, FIRST_PAGE
        while True:
            page = self._patiently(
                lambda cursor=cursor, limit=limit: open_questions(  # type: ignore[misc]
                    self._context, self._caller, self._submission, cursor, limit, listed=listed
                )
            )
            for question in page.questions:
                if self._extraction is not None:
                    self._extraction.note(question.item, question.question)
                yield question
            if page.next is None:
                return
            cursor, limit = position_of("questions", page.next, 0), min(2 * limit, ITEMS_AT_ONCE)

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        """Return a picture's PNG. While a source is damaged, the deadline pauses, as for any team."""
        what = of_picture(asked.item, name)

        def fetch() -> bytes:
            try:
                made = fetch_picture(self._context, self._submission, asked.item, name, self._paused)
                pixels: bytes = self._loop.run(made)
            except SourceUnavailableError:
                self._paused = what
                raise
            return pixels

        return self._patiently(fetch)

    def pictures(self, asked: OpenQuestion, names: Sequence[str]) -> dict[str, bytes]:
        """Return pictures of an item, in one request.

        Where one of them can't be shown, or could not be, each is asked for alone: the deadline pauses for one picture.
        """

        def fetch() -> dict[str, bytes] | None:
            try:
                made = self._context.generator.sealed_pictures(self._submission, asked.item, names)
                return self._loop.run(made)
            except SourceUnavailableError:
                return None

        is_paused = self._paused in {of_picture(asked.item, name) for name in names}
        found = None if is_paused else self._patiently(fetch)
        return {name: self.picture(asked, name) for name in names} if found is None else found

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        """Have unread replies extracted where a model does that, keep what the calls took, then seal the answers."""
        if self._extraction is not None:
            answers = self._extraction(answers)
        rows: list[dict[str, Any]] = []
        for answer in answers:
            place = (answer.item, answer.question)
            taken = self._calls.take(place)
            rows += taken
            if self._extraction is not None:
                rows += self._extraction.rows(place, len(taken))
        self._patiently(lambda: keep_calls(self._context.engine, rows))
        lines = [Line(number, answer) for number, answer in enumerate(answers, 1)]

        def seal_lines() -> SealReceipt:
            row = answerable(self._context.engine, self._caller, self._submission)
            return seal(self._context.engine, self._context.notifier, row, Upload(lines, []), dry_run=False)

        return self._patiently(seal_lines)

    def _patiently(self, act: Callable[[], T]) -> T:
        def act_once() -> T:
            try:
                return act()
            except PASSING as error:
                wait = error.retry_after if isinstance(error, DomainError) else None
                raise ReplyError(type(error).__name__, wait_seconds=wait) from error

        return retry(act_once, self._attempts)


def keep_calls(engine: sa.Engine, rows: Sequence[dict[str, Any]]) -> None:
    """Keep the calls of some questions, each once."""
    if not rows:
        return
    with write_transaction(engine) as connection:
        connection.execute(insert_into(connection, evaluation_calls).on_conflict_do_nothing(), rows)


def work_on(context: AppContext, signer: TokenSigner, lease: Lease, loop: EventLoop, stopping: threading.Event) -> None:
    """Work on a leased run for a slice, and write down how that ended. Errors of the run are not raised."""
    stop = Stop(stopping)
    try:
        with meanwhile(lambda done: _keep(context, lease, stop, done)):
            _run(context, signer, lease, loop, stop)
    except Exception as error:  # noqa: BLE001 - every end of a slice is written down, whatever it is
        _write_end(context, lease, stop, error)


def _run(context: AppContext, signer: TokenSigner, lease: Lease, loop: EventLoop, stop: Stop) -> None:
    row = _begin(context, lease)
    if row is None:  # lapsed: nobody saw a question of it
        _end(context, lease.id, "deadline")
        return
    if row.submission_state != "open":
        _end(context, lease.id, "complete" if row.finish_reason == COMPLETE else _outcome_of(row.finish_reason))
        return
    request = json.decode(row.request, type=EvaluationRequest)
    prices = json.decode(row.prices, type=dict[str, ModelPrice | None])
    claims = {"evaluation": row.evaluation_id, "evaluation_budget": request.budget}
    named = (row.team, row.team_id, row.token_id)
    token = signer.sign(*named, purpose="sealed", models=list(request.models), **claims)
    concurrency = min(request.concurrency, context.settings.evaluation_concurrency)
    calls = ModelCaller(context.settings.gateway_url, token, lease.id, row.model, prices.get(row.model), loop, stop)
    caller = Caller(row.team_id, row.team, "", frozenset({"submit"}), is_service=True)
    attempts = Attempts(most=CALL_ATTEMPTS, sleep=stop.sleep)
    extracting = None
    if (model := request.extraction_model) is not None:
        token = signer.sign(*named, purpose="judge", models=[model], **claims)
        # A run that stops still seals what was answered, and so has it extracted: `bool` is never true.
        extracting = ModelCaller(context.settings.gateway_url, token, lease.id, model, prices.get(model), loop, bool)
    extraction = None if extracting is None else ReplyExtraction(extracting, attempts)
    port = SubmissionOfService(context, caller, lease.id, calls, loop, stop, extraction)
    plan = Plan(strategy=request.strategy, concurrency=concurrency, batch=BATCH, attempts=attempts)
    try:
        progress = answer_submission(port, calls, plan)
    finally:
        calls.close()
        if extracting is not None:
            extracting.close()
        _count_retries(context.engine, lease.id, calls.failures)
    if progress.state != "open":
        _end(context, lease.id, "complete")


def _begin(context: AppContext, lease: Lease) -> sa.Row[Any] | None:
    """Return the run with its evaluation, team and submission, and note when it began. None if it lapsed."""
    r, e, s, t = evaluation_runs.c, evaluations.c, submissions.c, teams.c
    query = (
        sa.select(
            r.model,
            r.begun_at,
            r.evaluation_id,
            e.request,
            e.prices,
            e.token_id,
            t.id.label("team_id"),
            t.name.label("team"),
            s.state.label("submission_state"),
            s.finish_reason,
        )
        .join_from(evaluation_runs, evaluations, e.id == r.evaluation_id)
        .join(teams, t.id == r.team_id)
        .join(submissions, s.id == r.id)
        .where(r.id == lease.id)
    )
    found = read_rows(context.engine, query)
    if found and found[0].begun_at is None:
        with write_transaction(context.engine) as connection:
            this = sa.update(evaluation_runs).where(r.id == lease.id, r.begun_at.is_(None))
            connection.execute(this.values(begun_at=now_ms()))
    return found[0] if found else None


def _keep(context: AppContext, lease: Lease, stop: Stop, done: threading.Event) -> None:
    """Keep the lease until `done`, and stop the run when it is lost or when its slice is over."""
    lease_ms = int(context.settings.evaluation_lease_seconds * 1000)
    slice_ends = time.monotonic() + context.settings.evaluation_slice_seconds
    renewed = time.monotonic()
    while not done.wait(CHECK_SECONDS):
        try:
            if not _is_held(context.engine, lease):
                stop.set(is_lost=True)
                return
            if time.monotonic() - renewed > lease_ms / 4000:
                renew(context.engine, lease, now_ms() + lease_ms)
                renewed = time.monotonic()
            if time.monotonic() > slice_ends and _others_wait(context.engine):
                stop.set()
        except sa.exc.SQLAlchemyError as error:
            log.warning("lease not renewed", extra={"row": lease.id, "error": type(error).__name__})


def _is_held(engine: sa.Engine, lease: Lease) -> bool:
    r = evaluation_runs.c
    rows = read_rows(engine, sa.select(r.state, r.attempt).where(r.id == lease.id))
    return bool(rows) and rows[0].state == "queued" and rows[0].attempt == lease.attempt


def _others_wait(engine: sa.Engine) -> bool:
    r = evaluation_runs.c
    free = sa.or_(r.lease_until.is_(None), r.lease_until < now_ms())
    return bool(read_rows(engine, sa.select(r.id).where(is_state(r.state, "queued"), free).limit(1)))


def _write_end(context: AppContext, lease: Lease, stop: Stop, error: Exception) -> None:
    """Write down how a slice ended that did not end the run."""
    cause = error.__cause__ if isinstance(error, RunError) and error.__cause__ is not None else error
    reason = error.reason if isinstance(error, RunError) else str(error)
    where = {**lease.fields, "attempt": lease.attempt, "error": type(cause).__name__}
    if stop.is_lost or isinstance(cause, LeaseLostError):
        log.info("a run was paused, cancelled, or taken over", extra=where)
    elif isinstance(cause, StoppedError) or stop():
        postpone(context.engine, lease, now_ms())
    elif isinstance(cause, OutOfBudgetError):
        log.info("a budget leaves too little", extra=where)
        _stop_for_budget(context, lease.id, cause)
    elif isinstance(cause, SubmissionClosedError | NotFoundError):
        log.info("a submission was closed under its run", extra=where)
        _end(context, lease.id, "deadline")
    elif isinstance(cause, AccountError):
        log.error("a provider refuses the operator's key or account, and the evaluation pauses", extra=where)
        _pause(context, lease.id, reason)
    elif isinstance(cause, DayIsSpentError):
        log.warning(
            "the gateway's bound of a day is reached, and the evaluation pauses until the next one", extra=where
        )
        _pause(context, lease.id, reason, int((cause.wait_seconds or 0.0) * 1000))
    elif isinstance(cause, RefusedError):
        log.warning("a call was refused, and the evaluation pauses", extra=where)
        _pause(context, lease.id, reason)
    elif isinstance(cause, ReplyError | sa.exc.OperationalError | UnavailableError):
        log.warning("a run was put off", extra=where)
        postpone(context.engine, lease, now_ms() + POSTPONE_MS)
    else:
        log.error("a run failed", extra=where, exc_info=error)
        _retry_or_fail(context, lease, f"the run met {type(cause).__name__}")


def _retry_or_fail(context: AppContext, lease: Lease, failure: str) -> None:
    if lease.tries >= MOST_TRIES:
        _end(context, lease.id, "failed", f"{failure}; it was tried {lease.tries} times")
        return
    until = now_ms() + 1000 * min(2**lease.tries, MOST_BACK_OFF_SECONDS)
    retry_later(context.engine, lease, until, failure)


def _end(context: AppContext, run: str, outcome: Outcome, failure: str = "") -> None:
    with write_transaction(context.engine) as connection:
        finished = end_run(connection, run, outcome, failure)
    log.info("run ended", extra={"row": run, "outcome": outcome})
    for submission in finished:
        context.notifier.score(submission)


def _stop_for_budget(context: AppContext, run: str, error: OutOfBudgetError) -> None:
    """End the evaluation if its cost used a budget up. Pause it if estimates of the gateway did."""
    finished: list[str] = []
    with write_transaction(context.engine) as connection:
        evaluation = _evaluation_of(connection, run)
        found = find_shortage(connection, evaluation, error.short)
        if found.cause == "cost":
            finished = end_evaluation(connection, evaluation, "out-of-budget", str(error))
        else:
            _hold_run(connection, evaluation, run, found.reason)
        if found.cause == "estimates":
            leave_off_boards(connection, evaluation)
    for submission in finished:
        context.notifier.score(submission)


def _pause(context: AppContext, run: str, reason: str, pause_ms: int = REFUSED_PAUSE_MS) -> None:
    with write_transaction(context.engine) as connection:
        _hold_run(connection, _evaluation_of(connection, run), run, reason, pause_ms)


def _hold_run(
    connection: sa.Connection, evaluation: str, run: str, reason: str, pause_ms: int = REFUSED_PAUSE_MS
) -> None:
    """Pause an evaluation because of this run, until somebody resumes it or the pause is over."""
    hold(connection, evaluation, now_ms() + pause_ms, reason)
    connection.execute(sa.update(evaluation_runs).where(evaluation_runs.c.id == run).values(failure=reason))


def _evaluation_of(connection: sa.Connection, run: str) -> str:
    r = evaluation_runs.c
    return str(connection.execute(sa.select(r.evaluation_id).where(r.id == run)).scalar_one())


def _outcome_of(reason: str | None) -> Outcome:
    return "deadline" if reason in {"deadline", None} else "cancelled"


def _count_retries(engine: sa.Engine, run: str, failures: int) -> None:
    if not failures:
        return
    r = evaluation_runs.c
    with write_transaction(engine) as connection:
        connection.execute(sa.update(evaluation_runs).where(r.id == run).values(retries=r.retries + failures))

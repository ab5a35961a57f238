"""Pauses, resumes, cancels and ends evaluations. What is unanswered at the end is as the rule of its start says."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.context import AppContext
from api.database.schema import evaluation_runs, evaluations, gateway_tokens, submissions
from api.errors import EvaluationEndedError, InvalidInputError
from api.evaluations.finding import find_own, owned_evaluation
from api.submissions.finishing import lock_submission, queue
from api.teams.access import Caller
from tetrad.contracts.evaluations import Evaluation, EvaluationRequest, Outcome, PauseRequest, ResumeRequest
from tetrad.internal.jobs import queued_again
from tetrad.server.clock import HOUR_MS, now_ms
from tetrad.server.database import read_rows, write_transaction

BY_REQUEST = "by request"
UNANSWERED = "its evaluation ended early ({outcome}), and by the rule of its start it does not count then"
ESTIMATES = "estimates of the gateway filled its budget, and its evaluation was not resumed since"
"""Why a submission counts on no board while its evaluation is paused for that, and afterwards if nobody resumes it."""
CHOSEN: frozenset[Outcome] = frozenset({"cancelled", "deadline"})
"""Ends whose moment a team can choose, by a cancel or a long pause. It could end what seems to go badly: in a staged
benchmark the number of questions hints at what is right. So what is unanswered then always counts as wrong."""


def pause(context: AppContext, caller: Caller, evaluation: str, request: PauseRequest) -> Evaluation:
    """Pause the evaluation for some hours: questions in flight are still answered. A second pause moves the end.

    Raises:
        NotFoundError: it is not the caller's.
        EvaluationEndedError: it has ended.
    """
    until = now_ms() + int(request.hours * HOUR_MS)
    with write_transaction(context.engine) as connection:
        _living(connection, caller, evaluation)
        hold(connection, evaluation, until, BY_REQUEST)
    return find_own(context.engine, context.settings, caller, evaluation)


def resume(context: AppContext, caller: Caller, evaluation: str, request: ResumeRequest) -> Evaluation:
    """Go on with a paused evaluation, now or later with a larger budget. One that is not paused stays as it is.

    Raises:
        NotFoundError: it is not the caller's.
        EvaluationEndedError: it has ended.
        InvalidInputError: the budget is not larger than it was.
    """
    with write_transaction(context.engine) as connection:
        _living(connection, caller, evaluation)
        if request.budget is not None:
            _raise_budget(connection, evaluation, request.budget)
        runs = let_go(connection, evaluation)
    for run in runs:
        context.notifier.evaluate(run)
    return find_own(context.engine, context.settings, caller, evaluation)


def cancel(context: AppContext, caller: Caller, evaluation: str) -> Evaluation:
    """End the evaluation now. What is unanswered counts as wrong, whatever the rule of its request.

    Raises:
        NotFoundError: it is not the caller's.
        EvaluationEndedError: it has ended.
    """
    with write_transaction(context.engine) as connection:
        _living(connection, caller, evaluation)
        finished = end_evaluation(connection, evaluation, "cancelled")
    for submission in finished:
        context.notifier.score(submission)
    return find_own(context.engine, context.settings, caller, evaluation)


def hold(connection: sa.Connection, evaluation: str, until: int, reason: str) -> None:
    """Pause an evaluation until `until` (ms). Its workers notice within a second."""
    this = sa.update(evaluations).where(evaluations.c.id == evaluation, evaluations.c.ended_at.is_(None))
    connection.execute(this.values(paused_until=until, pause_reason=reason))
    r = evaluation_runs.c
    queued = sa.update(evaluation_runs).where(r.evaluation_id == evaluation, r.state == "queued")
    connection.execute(queued.values(state="paused", lease_until=None))


def leave_off_boards(connection: sa.Connection, evaluation: str) -> None:
    """Take the submissions that are not answered yet off every board, until the evaluation is resumed."""
    s = submissions.c
    mine = sa.update(submissions).where(s.evaluation_id == evaluation, s.state == "open", s.unranked.is_(None))
    connection.execute(mine.values(unranked=ESTIMATES))


def let_go(connection: sa.Connection, evaluation: str) -> list[str]:
    """End the pause of an evaluation; return the runs that are queued again."""
    this = sa.update(evaluations).where(evaluations.c.id == evaluation)
    connection.execute(this.values(paused_until=None, pause_reason=None))
    s = submissions.c
    left_off = sa.update(submissions).where(s.evaluation_id == evaluation, s.state == "open", s.unranked == ESTIMATES)
    connection.execute(left_off.values(unranked=None))
    r = evaluation_runs.c
    paused = connection.execute(
        sa.select(r.id, r.attempt).where(r.evaluation_id == evaluation, r.state == "paused").with_for_update()
    ).all()
    for run in paused:
        again = {"state": "queued", "attempt": queued_again(run.attempt), "lease_until": None, "queued_at": now_ms()}
        connection.execute(sa.update(evaluation_runs).where(r.id == run.id).values(again))
    return [run.id for run in paused]


def resume_due(context: AppContext) -> None:
    """Go on with the evaluations whose pause is over."""
    e = evaluations.c
    due = sa.select(e.id).where(e.paused_until <= now_ms(), e.ended_at.is_(None))
    for row in read_rows(context.engine, due):
        with write_transaction(context.engine) as connection:
            let_go(connection, row.id)


def end_evaluation(connection: sa.Connection, evaluation: str, outcome: Outcome, failure: str = "") -> list[str]:
    """End every run that is not done, and the evaluation; return the submissions to score."""
    r = evaluation_runs.c
    left = connection.execute(sa.select(r.id).where(r.evaluation_id == evaluation, r.state != "done")).scalars().all()
    finished: list[str] = []
    for run in left:
        finished += end_run(connection, run, outcome, failure)
    return finished


def end_run(connection: sa.Connection, run: str, outcome: Outcome, failure: str = "") -> list[str]:
    """End a run. If it is the last one, the evaluation ends; return the submissions to score.

    A submission of which questions were fetched is finished. One of which none was fetched lapses: nothing of it was
    seen. A rule of `unranked` takes what is not complete off the board, unless a team could choose the moment.
    """
    r, now = evaluation_runs.c, now_ms()
    row = connection.execute(sa.select(evaluation_runs).where(r.id == run).with_for_update()).one()
    if row.state == "done":
        return []
    done = {"state": "done", "outcome": outcome, "ended_at": now, "lease_until": None, "failure": failure or None}
    connection.execute(sa.update(evaluation_runs).where(r.id == run).values(done))
    finished = [] if outcome == "complete" else _finish(connection, row, outcome, now)
    _end_if_last(connection, str(row.evaluation_id), now)
    return finished


def _finish(connection: sa.Connection, run: sa.Row[Any], outcome: Outcome, now: int) -> list[str]:
    """Finish a submission that is not complete."""
    s = submissions.c
    known = connection.execute(sa.select(s.id).where(s.id == run.id)).one_or_none()
    if known is None:  # lapsed
        return []
    row = lock_submission(connection, str(run.id))
    e = evaluations.c
    text = connection.execute(sa.select(e.request).where(e.id == run.evaluation_id)).scalar_one()
    this = sa.update(submissions).where(s.id == run.id)
    is_unranked = outcome not in CHOSEN and json.decode(text, type=EvaluationRequest).unanswered == "unranked"
    if is_unranked and row.unranked is None:
        connection.execute(this.values(unranked=UNANSWERED.format(outcome=outcome)))
    if row.state != "open":
        return []
    if row.fetched_at is None:
        connection.execute(this.values(deadline_at=min(now, row.deadline_at)))
        return []
    queue(connection, str(run.id), "deadline" if row.deadline_at <= now else "request", now)
    return [str(run.id)]


def _end_if_last(connection: sa.Connection, evaluation: str, now: int) -> None:
    r = evaluation_runs.c
    query = sa.select(r.state, r.outcome).where(r.evaluation_id == evaluation).order_by(r.repeat, r.id)
    runs = connection.execute(query).all()
    if any(run.state != "done" for run in runs):
        return
    ended = {"ended_at": now, "outcome": _worst([run.outcome for run in runs]), "paused_until": None}
    this = sa.update(evaluations).where(evaluations.c.id == evaluation, evaluations.c.ended_at.is_(None))
    connection.execute(this.values(ended))


def _worst(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of an evaluation whose runs ended so: complete only if all are."""
    return next((outcome for outcome in outcomes if outcome != "complete"), "complete")


def _raise_budget(connection: sa.Connection, evaluation: str, budget: int) -> None:
    e, t = evaluations.c, gateway_tokens.c
    row = connection.execute(sa.select(e.request, e.token_id).where(e.id == evaluation)).one()
    request = json.decode(row.request, type=EvaluationRequest)
    if request.budget is None or budget <= request.budget:
        known = "none" if request.budget is None else str(request.budget)
        remedy = "leave it out" if request.budget is None else f"give more than {known} micro-dollars, or leave it out"
        raise InvalidInputError.at("budget", budget, f"does not raise that of the evaluation, which is {known}", remedy)
    changed = json.encode(replace(request, budget=budget)).decode()
    connection.execute(sa.update(evaluations).where(e.id == evaluation).values(request=changed))
    connection.execute(sa.update(gateway_tokens).where(t.id == row.token_id).values(budget=budget))


def _living(connection: sa.Connection, caller: Caller, evaluation: str) -> None:
    """Check that the caller's evaluation has not ended, and keep other writers of it out.

    Raises:
        NotFoundError: it is not the caller's.
        EvaluationEndedError: it has ended.
    """
    row = owned_evaluation(connection, caller, evaluation)
    this = sa.select(evaluations.c.ended_at, evaluations.c.outcome).where(evaluations.c.id == row.id)
    current = connection.execute(this.with_for_update()).one()
    if current.ended_at is not None:
        raise EvaluationEndedError(f"the evaluation has ended ({current.outcome}); nothing of it can be changed")

"""Reads evaluations, and returns what their teams may see: questions and cost, never whether an answer is right."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec import json

from api.database.parts import parts
from api.database.schema import evaluation_calls, evaluation_runs, evaluations, spending, submissions, teams
from api.errors import not_found
from api.inputs import known_id
from api.paging import cursor_at, link, position_of
from api.settings import ApiSettings
from api.teams.access import Caller
from tetrad.contracts.evaluations import (
    Evaluation,
    EvaluationList,
    EvaluationQueue,
    EvaluationRequest,
    EvaluationRun,
    EvaluationState,
    Expected,
    ModelCall,
    ModelCallPage,
    QueuePlace,
)
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.submissions import Progress
from tetrad.money import NANODOLLARS_A_MICRODOLLAR
from tetrad.server.clock import now_ms, rfc3339
from tetrad.server.database import is_state, read_rows, read_transaction

Row = sa.Row[tuple[Any, ...]]
SCORED = frozenset({"scored", "failed", "void"})
BELOW = ("pause", "resume", "cancel", "events", "result")
KNOWN = sa.select(evaluations, teams.c.name.label("team")).join_from(evaluations, teams)
GONE = "it ended before a question of it was fetched"


class Sums(NamedTuple):
    """The sums over the calls of a run; `cost` is in nanodollars, None where one is unknown."""

    calls: int = 0
    kept: int = 0
    cost: int | None = 0


def owned_evaluation(connection: sa.Connection, caller: Caller, evaluation: str) -> Row:
    """Return the row of the caller's own evaluation.

    Raises:
        NotFoundError: it is another team's or nobody's.
    """
    known = KNOWN.where(evaluations.c.id == known_id("evl", evaluation, "evaluation"))
    row = connection.execute(known).one_or_none()
    if row is None or row.team_id != caller.team_id:
        raise not_found("evaluation", evaluation)
    return row


def find(connection: sa.Connection, settings: ApiSettings, evaluation: str) -> Evaluation:
    """Return an evaluation as its team sees it."""
    row = connection.execute(KNOWN.where(evaluations.c.id == evaluation)).one()
    return _show_evaluations(connection, settings, [row])[0]


def find_own(engine: sa.Engine, settings: ApiSettings, caller: Caller, evaluation: str) -> Evaluation:
    """Return the caller's own evaluation.

    Raises:
        NotFoundError: it is another team's or nobody's.
    """
    with read_transaction(engine) as connection:
        return _show_evaluations(connection, settings, [owned_evaluation(connection, caller, evaluation)])[0]


def list_own(
    engine: sa.Engine, settings: ApiSettings, caller: Caller, cursor: str | None, limit: int
) -> EvaluationList:
    """Return a page of the team's evaluations, newest first."""
    before = position_of("evaluations", cursor, "")
    query = KNOWN.where(evaluations.c.team_id == caller.team_id).order_by(evaluations.c.id.desc()).limit(limit + 1)
    if before:
        query = query.where(evaluations.c.id < before)
    with read_transaction(engine) as connection:
        rows = connection.execute(query).all()
        shown = _show_evaluations(connection, settings, rows[:limit])
    following = cursor_at("evaluations", shown[-1].id) if len(rows) > limit else None
    return EvaluationList(evaluations=shown, next=following)


def find_queue(engine: sa.Engine) -> EvaluationQueue:
    """Return how many runs wait and run, of all teams together."""
    r, now = evaluation_runs.c, now_ms()
    is_leased = sa.and_(r.lease_until.is_not(None), r.lease_until > now)
    counts = sa.select(
        sa.func.count().label("every"),
        sa.func.coalesce(sa.func.sum(sa.case((is_leased, 1), else_=0)), 0).label("running"),
        sa.func.min(sa.case((is_leased, None), else_=r.queued_at)).label("oldest"),
    ).where(is_state(r.state, "queued"))
    row = read_rows(engine, counts)[0]
    age = 0.0 if row.oldest is None else max(0.0, (now - row.oldest) / 1000)
    return EvaluationQueue(waiting=row.every - row.running, running=row.running, oldest_age_seconds=age)


def list_calls(engine: sa.Engine, caller: Caller, submission: str, cursor: str | None, limit: int) -> ModelCallPage:
    """Return a page of the calls of one run, by item.

    Raises:
        NotFoundError: it is no run of the caller's.
    """
    begin = position_of("calls", cursor, 0)
    c, r = evaluation_calls.c, evaluation_runs.c
    mine = sa.select(r.id).where(r.id == known_id("sub", submission, "submission"), r.team_id == caller.team_id)
    if not read_rows(engine, mine):
        raise not_found("run of an evaluation", submission)
    query = sa.select(evaluation_calls).where(c.submission_id == submission)
    rows = read_rows(engine, query.order_by(c.item, c.question, c.step).offset(begin).limit(limit + 1))
    following = cursor_at("calls", begin + limit) if len(rows) > limit else None
    return ModelCallPage(calls=[_call(row) for row in rows[:limit]], next=following)


def micro_of(nanodollars: int | None) -> int | None:
    """Return whole micro-dollars, rounded up."""
    return None if nanodollars is None else -(-nanodollars // NANODOLLARS_A_MICRODOLLAR)


def unranked_of(row: Row) -> str:
    return row.unranked or ""


def _show_evaluations(connection: sa.Connection, settings: ApiSettings, rows: Sequence[Row]) -> list[Evaluation]:
    ids = [row.id for row in rows]
    runs: dict[str, list[Row]] = {name: [] for name in ids}
    r, s = evaluation_runs.c, submissions.c
    for part in parts(ids):
        query = sa.select(evaluation_runs).where(r.evaluation_id.in_(part)).order_by(r.repeat, r.id)
        for run in connection.execute(query):
            runs[run.evaluation_id].append(run)
    names = [run.id for found in runs.values() for run in found]
    known: dict[str, Row] = {}
    for part in parts(names):
        known |= {row.id: row for row in connection.execute(sa.select(submissions).where(s.id.in_(part)))}
    sums, spent, waiting = _sums(connection, names), _read_spending(connection, ids), _waiting(connection)
    return [_evaluation(settings, row, runs[row.id], known, sums, spent, waiting) for row in rows]


def _sums(connection: sa.Connection, names: Sequence[str]) -> dict[str, Sums]:
    c = evaluation_calls.c
    count = sa.func.count()
    query = sa.select(
        c.submission_id,
        count.label("calls"),
        sa.func.sum(sa.case((c.kept, 1), else_=0)).label("kept"),
        sa.func.sum(c.cost).label("cost"),
        sa.func.count(c.cost).label("known"),
    ).group_by(c.submission_id)
    found: dict[str, Sums] = {}
    for part in parts(names):
        for row in connection.execute(query.where(c.submission_id.in_(part))):
            found[row.submission_id] = Sums(row.calls, row.kept, int(row.cost) if row.known == row.calls else None)
    return found


def _read_spending(connection: sa.Connection, ids: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in parts(ids):
        query = sa.select(spending).where(spending.c.budget.in_([f"evaluation|{name}" for name in part]))
        found |= {row.budget.partition("|")[2]: row.spent for row in connection.execute(query)}
    return found


def _waiting(connection: sa.Connection) -> list[str]:
    """Return the runs that wait for a worker, oldest first."""
    r = evaluation_runs.c
    is_free = sa.or_(r.lease_until.is_(None), r.lease_until <= now_ms())
    query = sa.select(r.id).where(is_state(r.state, "queued"), is_free).order_by(r.queued_at, r.id)
    return list(connection.execute(query).scalars())


def _evaluation(  # noqa: PLR0917 - the tables that it is read from
    settings: ApiSettings,
    row: Row,
    runs: Sequence[Row],
    known: Mapping[str, Row],
    sums: Mapping[str, Sums],
    spent: Mapping[str, int],
    waiting: Sequence[str],
) -> Evaluation:
    request = json.decode(row.request, type=EvaluationRequest)
    shown = [_run(run, known.get(run.id), sums.get(run.id, Sums()), waiting) for run in runs]
    begun = [run.begun_at for run in runs if run.begun_at is not None]
    return Evaluation(
        id=row.id,
        team=row.team,
        state=_state(row, shown),
        outcome=row.outcome,
        draw=row.draw,
        identity=json.decode(row.identity, type=DrawIdentity),
        size=row.size,
        commitment=row.commitment,
        request=request,
        expected=json.decode(row.expected, type=Expected),
        runs=shown,
        spent=micro_of(spent.get(row.id, 0)) or 0,
        unranked=unranked_of(row),
        created_at=rfc3339(row.created_at),
        begun_at=rfc3339(min(begun)) if begun else None,
        ended_at=None if row.ended_at is None else rfc3339(row.ended_at),
        deadline_at=rfc3339(row.deadline_at),
        paused_until=None if row.paused_until is None else rfc3339(row.paused_until),
        pause_reason=row.pause_reason or "",
        links=_links(settings, row.id, (run.id for run in runs)),
    )


def _state(row: Row, runs: Iterable[EvaluationRun]) -> EvaluationState:
    states = [run.state for run in runs]
    if row.ended_at is not None:
        return "done" if all(state == "done" for state in states) else "scoring"
    if row.paused_until is not None:
        return "paused"
    return "running" if "running" in states else "queued"


def _run(run: Row, row: Row | None, sums: Sums, waiting: Sequence[str]) -> EvaluationRun:
    place = None
    if run.id in waiting:
        age = max(0.0, (now_ms() - run.queued_at) / 1000)
        place = QueuePlace(position=waiting.index(run.id) + 1, waiting=len(waiting), age_seconds=age)
    return EvaluationRun(
        submission=run.id,
        model=run.model,
        row=run.row,
        repeat=run.repeat,
        state=_run_state(run, row),
        outcome=run.outcome,
        progress=Progress(
            items=0 if row is None else row.size,
            questions_opened=0 if row is None else row.opened_count,
            questions_answered=0 if row is None else row.answered_count,
            items_finished=0 if row is None else row.finished_items,
        ),
        calls=sums.calls,
        retries=run.retries,
        kept=sums.kept,
        cost=micro_of(sums.cost),
        failure=GONE if row is None else run.failure,
        queue=place,
    )


def _run_state(run: Row, row: Row | None) -> EvaluationState:
    if run.state == "done":
        return "done" if row is None or row.state in SCORED else "scoring"
    if run.state == "paused":
        return "paused"
    return "running" if run.lease_until is not None and run.lease_until > now_ms() else "queued"


def _call(row: Row) -> ModelCall:
    return ModelCall(
        item=row.item,
        question=row.question,
        step=row.step,
        asked_at=rfc3339(row.asked_at),
        seconds=row.seconds,
        waited_seconds=row.waited,
        attempts=row.attempts,
        upstream_attempts=row.upstream_attempts,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        cached_tokens=row.cached_tokens,
        reasoning_tokens=row.reasoning_tokens,
        cost=row.cost,
        stop=row.stop,
        served_by=row.served_by,
        kept=row.kept,
        reply=row.reply,
        thought=row.thought,
    )


def _links(settings: ApiSettings, evaluation: str, runs: Iterable[str]) -> dict[str, str]:
    return {
        "self": link(settings, "evaluations", evaluation),
        **{name: link(settings, "evaluations", evaluation, name) for name in BELOW},
        **{run: link(settings, "submissions", run) for run in runs},
    }

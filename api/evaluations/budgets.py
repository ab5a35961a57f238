"""Tells what stopped an evaluation whose next call a budget refuses: its cost, or estimates of the gateway.

The gateway books the most that a call can cost where nobody measured its cost, and reserves that before each call. An
evaluation whose measured cost would have stayed within the budget is not ended by that: it pauses, and says why.
"""

import math
from typing import Literal, NamedTuple

import sqlalchemy as sa
from msgspec import json

from api.database.schema import evaluation_calls, evaluation_runs, evaluations, submissions
from tetrad.contracts.evaluations import EvaluationRequest, Expected
from tetrad.contracts.inference import ShortBudget
from tetrad.money import NANODOLLARS_A_MICRODOLLAR, show_dollars

SLACK = 1.1  # the items so far may have been dearer than the rest by so much
Cause = Literal["cost", "estimates", "reservation"]
"""cost: what was measured leaves too little for the rest. estimates: booked estimates take the room of the next call.
reservation: the next call may cost more than is left, and the rest will probably not."""

WORDS: dict[Cause, str] = {
    "estimates": (
        "{estimated} of the {limit} of {name} are estimates: the gateway books the most that a call can cost where "
        "nobody measured its cost, as after a kill. What was measured leaves room for a call of {needed}; {remedy}. "
        "Until then it counts on no board"
    ),
    "reservation": (
        "{spent} of the {limit} of {name} are spent, and the {needed} that the next call may cost are more than what "
        "is left, which may be enough for the rest; {remedy}. What is unanswered at the deadline counts as wrong"
    ),
}


class Shortage(NamedTuple):
    cause: Cause
    reason: str


def find_shortage(connection: sa.Connection, evaluation: str, short: ShortBudget | None) -> Shortage:
    """Return what stopped an evaluation, and the words for its team. `short`: the sums of the gateway's refusal."""
    rest = _cost_of_rest(connection, evaluation)
    cause = cause_of(short, rest)
    if short is None or cause == "cost":
        return Shortage("cost", "")
    e = evaluations.c
    row = connection.execute(sa.select(e.request, e.expected).where(e.id == evaluation)).one()
    if rest is None:
        rest = (json.decode(row.expected, type=Expected).cost or 0) * NANODOLLARS_A_MICRODOLLAR
    least = math.ceil((short.spent + SLACK * rest + short.needed) / NANODOLLARS_A_MICRODOLLAR)
    own = json.decode(row.request, type=EvaluationRequest).budget if short.name == f"evaluation {evaluation}" else None
    return Shortage(cause, _reason(cause, short, None if own is None else max(least, own + 1)))


def cause_of(short: ShortBudget | None, rest: float | None) -> Cause:
    """Return what stopped an evaluation. `rest`: the cost of what is unanswered, in nanodollars; None if unknown."""
    if short is None:
        return "cost"
    if short.measured >= short.limit or (rest is not None and short.measured + rest / SLACK > short.limit):
        return "cost"
    return "estimates" if short.would_hold_the_call else "reservation"


def _reason(cause: Cause, short: ShortBudget, least: int | None) -> str:
    """Return the words for a pause. `least`: micro-dollars that suffice; None if only an operator raises the budget."""
    remedy = "ask the operator for a larger budget, then resume"
    if least is not None:
        remedy = f"resume with a budget of {least} micro-dollars"
    amounts = {name: show_dollars(getattr(short, name)) for name in ("limit", "spent", "estimated", "needed")}
    return WORDS[cause].format(name=short.name, remedy=remedy, **amounts)


def _cost_of_rest(connection: sa.Connection, evaluation: str) -> float | None:
    """Return what the unfinished items will cost if they cost as much as those so far. None if none has a cost yet."""
    r, s, c = evaluation_runs.c, submissions.c, evaluation_calls.c
    priced = sa.func.count(sa.distinct(sa.case((c.cost.is_not(None), c.item))))
    query = (
        sa.select((s.size - s.finished_items).label("left"), sa.func.sum(c.cost).label("cost"), priced.label("items"))
        .join_from(evaluation_runs, submissions, s.id == r.id)
        .join(evaluation_calls, c.submission_id == r.id, isouter=True)
        .where(r.evaluation_id == evaluation, r.state != "done")
        .group_by(r.id, s.size, s.finished_items)
    )
    runs = connection.execute(query).all()
    items = sum(run.items for run in runs)
    if not items:
        return None
    mean = sum(float(run.cost or 0) for run in runs) / items  # for a model without a cost so far
    return float(sum(run.left * (float(run.cost) / run.items if run.items else mean) for run in runs))

"""The result of an evaluation: scores from the reports, and what the calls took, in all and by stage and domain."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace

from api.context import AppContext
from api.database.schema import evaluation_calls, evaluation_runs
from api.errors import DomainError, NotScoredError
from api.evaluations.comparing import Scored, compare, read_scores, scored_report, shared_scores
from api.evaluations.finding import find_own, micro_of
from api.submissions.finding import by_id, find_readable
from api.submissions.revealing import parse_report, report_body
from api.teams.access import Caller
from tetrad.contracts.evaluations import (
    Effort,
    Evaluation,
    EvaluationResult,
    EvaluationRun,
    GateOutcome,
    GateVerdict,
    Latency,
    RunResult,
    Thresholds,
    Tokens,
)
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.server.database import read_rows
from tetrad.statistics.deciding import Decision, decide_least, decide_paired, decide_unpaired, pairs_of

Row = sa.Row[tuple[Any, ...]]
GROUPED_BY = ("stage", "domain")
RETRY_SECONDS = 2
MINUTE_MS = 60_000
VERDICTS: Mapping[str, GateVerdict] = {"pass": "pass", "fail": "fail", "undecided": "could-not-tell"}
REFUSED = frozenset({"refused", "blocked"})


def result_of(context: AppContext, caller: Caller, evaluation: str) -> EvaluationResult:
    """Return the result of the caller's evaluation.

    Raises:
        NotFoundError: it is not the caller's.
        NotScoredError: it is not done; the error says when to ask again.
        DamageError: a report is not what scoring wrote.
    """
    found = find_own(context.engine, context.settings, caller, evaluation)
    if found.state != "done" or found.outcome is None:
        detail = f"the evaluation is {found.state}: its result is there once every run has its report"
        raise NotScoredError(detail, retry_after=RETRY_SECONDS)
    baseline = _baseline(context, caller, found.request.baseline)
    runs = [_run(context, found, run, baseline) for run in found.runs]
    return EvaluationResult(
        evaluation=found.id, outcome=found.outcome, unranked=found.unranked, spent=found.spent, runs=runs
    )


def _baseline(context: AppContext, caller: Caller, submission: str | None) -> Scored | None:
    if submission is None:
        return None
    try:
        return read_scores(context, find_readable(context.engine, caller, submission))
    except DomainError:  # it was scored when the evaluation began; void or hidden since
        return None


def _run(context: AppContext, found: Evaluation, run: EvaluationRun, baseline: Scored | None) -> RunResult:
    calls, times = _calls(context, run.submission), _times(context, run.submission)
    seconds = None if times is None else (times[1] - times[0]) / 1000
    without_report = RunResult(
        submission=run.submission,
        model=run.model,
        row=run.row,
        repeat=run.repeat,
        outcome=run.outcome or "failed",
        headline=None,
        total=effort({}, [], calls, run.retries),
        groups=[],
        seconds=seconds,
        failure=run.failure,
    )
    try:
        row = by_id(context.engine, run.submission)
        report = parse_report(report_body(context.engine, context.store, row))
    except DomainError as error:
        return replace(without_report, failure=run.failure or error.detail)
    card = context.cards.get(report.identity.benchmark, report.identity.version).card
    own = scored_report(run.submission, report, card) if report.headline.value is not None else None
    comparison = None if baseline is None or own is None else compare(baseline, own)
    total = effort({}, report.questions, calls, run.retries)
    return replace(
        without_report,
        headline=report.headline,
        total=total,
        groups=_groups(report, calls),
        comparison=comparison,
        extracted_by_model=report.extracted_by_model,
        headline_without_model=report.headline_without_model,
        gates=[] if own is None else _gates(found.request.thresholds, own, baseline, total, report, seconds),
    )


def effort(
    facets: dict[str, str], questions: Sequence[QuestionResult], calls: Sequence[Row], retries: int | None = None
) -> Effort:
    """Return what these questions took, by their calls. Without `retries`, those of the calls themselves."""
    stops = [question.stop for question in questions]
    again = sum(call.attempts - 1 for call in calls)
    costs = [call.cost for call in calls]
    fresh = sorted(call.seconds for call in calls if not call.kept)
    return Effort(
        facets=facets,
        questions=len(questions),
        correct=sum(question.verdict == "correct" for question in questions),
        refused=sum(stop in REFUSED for stop in stops),
        cut=stops.count("cut"),
        unread=sum(question.verdict == "unread" for question in questions),
        missing=sum(question.verdict == "missing" for question in questions),
        calls=len(calls),
        retries=again if retries is None else max(again, retries),
        cost=None if None in costs else micro_of(sum(costs)),
        tokens=Tokens(
            prompt=sum(call.prompt_tokens or 0 for call in calls),
            completion=sum(call.completion_tokens or 0 for call in calls),
            cached=sum(call.cached_tokens or 0 for call in calls),
            reasoning=sum(call.reasoning_tokens or 0 for call in calls),
            unreported=sum(call.prompt_tokens is None for call in calls),
        ),
        latency=Latency(
            p50=_percentile(fresh, 0.5),
            p90=_percentile(fresh, 0.9),
            p99=_percentile(fresh, 0.99),
            longest=fresh[-1] if fresh else None,
        ),
    )


def _groups(report: Report, calls: Sequence[Row]) -> list[Effort]:
    """Return the effort of each stage, and of each stage and domain where items have domains."""
    named = [name for name in GROUPED_BY if any(name in question.facets for question in report.questions)]
    by_place: dict[tuple[int, str], list[Row]] = {}
    for call in calls:
        by_place.setdefault((call.item, call.question), []).append(call)
    groups: dict[tuple[tuple[str, str], ...], list[QuestionResult]] = {}
    for question in report.questions:
        values = [(name, question.facets[name]) for name in named if name in question.facets]
        for length in range(1, len(values) + 1):
            groups.setdefault(tuple(values[:length]), []).append(question)
    return [
        effort(dict(values), questions, list(_of(questions, by_place))) for values, questions in sorted(groups.items())
    ]


def _of(questions: Iterable[QuestionResult], by_place: dict[tuple[int, str], list[Row]]) -> Iterable[Row]:
    for question in questions:
        yield from by_place.get((question.item, question.question), ())


def _gates(  # noqa: PLR0917 - all that thresholds are about
    thresholds: Thresholds, own: Scored, baseline: Scored | None, total: Effort, report: Report, seconds: float | None
) -> list[GateOutcome]:
    """Return the outcome of each threshold that is set."""
    made: list[GateOutcome] = []
    if thresholds.least_accuracy is not None:
        made.append(_gate_of_decision("least_accuracy", decide_least(own.sample, thresholds.least_accuracy)))
    if thresholds.allow_drop is not None:
        made.append(_drop(own, baseline, thresholds.allow_drop))
    if thresholds.most_unread is not None:
        asked = report.questions_asked
        share = (report.unread + report.incomplete) / asked if asked else 0.0
        made.append(_gate_of_bound("most_unread", share, thresholds.most_unread))
    if thresholds.most_cost is not None:
        made.append(_gate_of_bound("most_cost", total.cost, thresholds.most_cost))
    if thresholds.most_minutes is not None:
        minutes = None if seconds is None else seconds / 60
        made.append(_gate_of_bound("most_minutes", minutes, thresholds.most_minutes))
    return made


def _drop(own: Scored, baseline: Scored | None, margin: float) -> GateOutcome:
    if baseline is None:
        why = "there is no baseline to compare with; name a scored submission"
        return GateOutcome(gate="allow_drop", verdict="could-not-tell", why=why)
    if shared := shared_scores(own, baseline):
        pairs = pairs_of([ours for ours, _ in shared], [theirs for _, theirs in shared])
        return _gate_of_decision("allow_drop", decide_paired(pairs, margin))
    return _gate_of_decision("allow_drop", decide_unpaired(own.sample, baseline.sample, margin))


def _gate_of_decision(gate: str, decision: Decision) -> GateOutcome:
    numbers = {
        "items": float(decision.items),
        "estimate": decision.estimate,
        "lower": decision.interval.lower,
        "upper": decision.interval.upper,
        "boundary": decision.boundary,
    }
    for name in ("discordance", "needed", "needed_if_equal"):
        if (value := getattr(decision, name)) is not None:
            numbers[name] = float(value)
    why = f"{decision.interval.lower:.3f} to {decision.interval.upper:.3f} against {decision.boundary:.3f}"
    return GateOutcome(gate=gate, verdict=VERDICTS[decision.outcome], why=why, numbers=numbers)


def _gate_of_bound(gate: str, value: float | None, most: float) -> GateOutcome:
    if value is None:
        return GateOutcome(gate=gate, verdict="could-not-tell", why="it is not known", numbers={"most": most})
    verdict: GateVerdict = "pass" if value <= most else "fail"
    numbers = {"value": value, "most": most}
    return GateOutcome(gate=gate, verdict=verdict, why=f"{value:g} of at most {most:g}", numbers=numbers)


def _calls(context: AppContext, submission: str) -> Sequence[Row]:
    return read_rows(context.engine, sa.select(evaluation_calls).where(evaluation_calls.c.submission_id == submission))


def _times(context: AppContext, submission: str) -> tuple[int, int] | None:
    """Return when a run began and ended, in ms; None if it did not."""
    r = evaluation_runs.c
    rows = read_rows(context.engine, sa.select(r.begun_at, r.ended_at).where(r.id == submission))
    if not rows or rows[0].begun_at is None or rows[0].ended_at is None:
        return None
    return rows[0].begun_at, rows[0].ended_at


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the nearest-rank percentile of sorted numbers."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None

"""Show the result as one HTML file, with the parts and the style of a report.

In order: the gates with their bounds, the scores, the groups, the candidate's first wrong answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from tetrad.ci.applying import DROP, gate_names
from tetrad.ci.result import CiResult, GateResult, ModelResult
from tetrad.ci.summary import PAIRED, unread_in_words
from tetrad.reporting.pages.charts import difference_plot, grid, interval_plot, scale
from tetrad.reporting.pages.report import WrongAnswer
from tetrad.reporting.pages.whole_file import whole_file
from tetrad.reporting.pages.words import count_noun, group_digits, in_percent, in_points, interval_words
from tetrad.reporting.run_costs import costs_in_words
from tetrad.statistics.interval import Interval

FEW_GROUPS = 2  # fewer tell no more than the whole
LEAST_REACH = 0.1  # of a plot of differences, to each side


@dataclass(frozen=True, kw_only=True)
class GateRow:
    """A gate and what was decided. `plot` and the figures after it are empty for a gate that only counts."""

    asks: str
    decision: str
    why: str
    plot: Markup
    seen: str
    bounds: str
    boundary: str


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """A score of a model or of a group. `draws` are its submissions."""

    name: str
    plot: Markup
    score: str
    bounds: str
    items: str
    unread: str = ""
    took: str = ""
    draws: tuple[str, ...] = ()
    is_sealed: bool = True


@dataclass(frozen=True, kw_only=True)
class CiView:
    result: CiResult
    title: str
    lede: str
    gates: tuple[GateRow, ...]
    models: tuple[ScoreRow, ...]
    paired: str
    groups: tuple[ScoreRow, ...]
    answers: tuple[WrongAnswer, ...]
    grid: Markup
    plain_grid: Markup
    scale: Markup


def html_page(result: CiResult, wrong: Sequence[WrongAnswer]) -> str:
    """Return the page. `wrong` are the wrong answers that it shows."""
    models = [model for model in (result.candidate, result.baseline) if model is not None]
    groups = result.candidate.groups
    why = f" --paired auto chose this: {result.why_paired}." if result.why_paired else ""
    view = CiView(
        result=result,
        title=f"{result.identity.benchmark}: {gate_names(result.outcome)}",
        lede=lede_of(result.gates),
        gates=tuple(gate_row(gate) for gate in result.gates),
        models=tuple(model_row(model) for model in models),
        paired="" if result.pairing is None else PAIRED[result.pairing] + why,
        groups=tuple(score_row(group.name, group.score, group.interval, group.items) for group in groups)
        if len(groups) >= FEW_GROUPS
        else (),
        answers=tuple(wrong),
        grid=grid("grid", result.uniform_chance),
        plain_grid=grid("plain", None),
        scale=scale(result.uniform_chance),
    )
    return whole_file("ci.html", view)


def lede_of(gates: Sequence[GateResult]) -> str:
    """Return how the gates were decided, in one sentence."""
    counts = {outcome: sum(gate.outcome == outcome for gate in gates) for outcome in ("fail", "undecided")}
    if not any(counts.values()):
        return f"{count_noun(len(gates), 'gate')}, and each passes."
    said = {"fail": f"{counts['fail']} failed", "undecided": f"{counts['undecided']} could not tell"}
    parts = [said[outcome] for outcome, count in counts.items() if count]
    return f"Of {count_noun(len(gates), 'gate')}, {' and '.join(parts)}."


def gate_row(gate: GateResult) -> GateRow:
    plot, figures = Markup(), ("", "", "")
    if gate.interval is not None and gate.estimate is not None and gate.boundary is not None:
        show = in_points if gate.name == DROP else in_percent
        bounds = f"{show(gate.interval.lower)} to {show(gate.interval.upper)}"
        figures = (show(gate.estimate), bounds, show(gate.boundary))
        plot = gate_plot(gate.name, gate.estimate, gate.interval, gate.boundary, ", ".join(figures))
    return GateRow(
        asks=gate.asks,
        decision=gate_names(gate.outcome),
        why=gate.why,
        plot=plot,
        seen=figures[0],
        bounds=figures[1],
        boundary=figures[2],
    )


def gate_plot(name: str, estimate: float, interval: Interval, boundary: float, figures: str) -> Markup:
    """Return what was seen with its bounds, and what was asked: a band around 0 for a drop, else a dashed line."""
    label = f"seen, bounds, asked: {figures}"
    if name == DROP:
        reach = max(LEAST_REACH, *(1.1 * abs(end) for end in (interval.lower, interval.upper, boundary)))
        return difference_plot(label, estimate, (interval.lower, interval.upper), abs(boundary), reach)
    return interval_plot("plain", label, estimate, interval, asked=boundary)


def model_row(model: ModelResult) -> ScoreRow:
    return replace(
        score_row(model.model, model.score, model.interval, model.items),
        unread=unread_in_words(model),
        took="" if model.costs is None else costs_in_words(model.costs),
        draws=model.submissions,
        is_sealed=model.sealed,
    )


def score_row(name: str, score: float, interval: Interval, items: int) -> ScoreRow:
    bounds = interval_words(interval)
    plot = interval_plot("grid", f"{in_percent(score)}%, interval {bounds}", score, interval)
    return ScoreRow(name=name, plot=plot, score=in_percent(score), bounds=bounds, items=group_digits(items))

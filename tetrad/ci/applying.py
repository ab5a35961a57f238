"""Apply gates to what was measured, and say in words what was decided by which numbers."""

from collections.abc import Iterator

from tetrad.ci.measured import Measured
from tetrad.ci.result import GateResult, Pairing, Thresholds
from tetrad.errors import TetradError
from tetrad.money import show_microdollars
from tetrad.reporting.units import percent
from tetrad.statistics.deciding import (
    Decision,
    Look,
    Outcome,
    decide_least,
    decide_paired,
    decide_unpaired,
    look,
    pairs_of,
)

LEAST, DROP, UNREAD, COST, TIME = "least-accuracy", "allow-drop", "most-unread", "most-cost", "most-minutes"
SEEN = "bounds hold at every look"
ONCE = "bounds are one-sided at 5%"


class GateError(TetradError):
    """A gate can't be applied: what it is about was not measured."""


def apply_gates(
    thresholds: Thresholds,
    candidate: Measured,
    baseline: Measured | None,
    *,
    pairing: Pairing | None,
    sequential: bool = False,
) -> tuple[GateResult, ...]:
    """Return the result of every gate that was asked for.

    Raises:
        GateError: a drop without a baseline, a cost without prices, a time that is not known, no item that counts.
    """
    if not candidate.scores:
        raise GateError(f"{candidate.model}: no item of the draw counts for the headline; ask for more items")
    return tuple(_results(thresholds, candidate, baseline, pairing=pairing, sequential=sequential))


def _unread(most: float, candidate: Measured) -> GateResult:
    """Decide by the replies that could not be read, and those that are not complete: who knows their last word?"""
    unread, incomplete, asked = candidate.unread, candidate.incomplete, candidate.asked
    share = (unread + incomplete) / asked if asked else 0.0
    why = f"{unread} of {asked} replies ({percent(share)}) could not be read"
    if incomplete:
        why = f"{unread} of {asked} replies could not be read, and {incomplete} are not complete ({percent(share)})"
    return _decide_by_count(
        UNREAD,
        f"at most {percent(most)} of replies without an answer that can be read, or not complete",
        is_met=share <= most,
        why=why,
        numbers={"unread": unread, "incomplete": incomplete, "asked": asked, "share": share},
    )


def _results(
    thresholds: Thresholds,
    candidate: Measured,
    baseline: Measured | None,
    *,
    pairing: Pairing | None,
    sequential: bool,
) -> Iterator[GateResult]:
    if thresholds.least_accuracy is not None:
        yield _least(thresholds.least_accuracy, candidate, sequential=sequential)
    if thresholds.allow_drop is not None:
        if baseline is None or pairing is None:
            raise GateError("--allow-drop compares with a baseline; name one with --baseline")
        yield _drop(thresholds.allow_drop, candidate, baseline, pairing, sequential=sequential)
    if thresholds.most_unread is not None:
        yield _unread(thresholds.most_unread, candidate)
    if thresholds.most_cost is not None:
        cost = None if candidate.costs is None else candidate.costs.cost
        if cost is None:
            raise GateError("--most-cost needs to know what calls cost; give --price INPUT,OUTPUT")
        yield _decide_by_count(
            COST,
            f"at most {show_microdollars(thresholds.most_cost)}",
            is_met=cost <= thresholds.most_cost,
            why=f"the calls of {candidate.model} cost {show_microdollars(cost)}",
            numbers={"micro_dollars": cost},
        )
    if thresholds.most_minutes is not None:
        if candidate.minutes is None:
            raise GateError("--most-minutes: how long the candidate took is not known")
        yield _decide_by_count(
            TIME,
            f"at most {thresholds.most_minutes:g} minutes",
            is_met=candidate.minutes <= thresholds.most_minutes,
            why=f"{candidate.minutes:.1f} minutes from the first question to the last answer",
            numbers={"minutes": candidate.minutes},
        )


def _decide_by_count(
    name: str, asks: str, *, is_met: bool, why: str, numbers: dict[str, float | int | None]
) -> GateResult:
    return GateResult(name=name, asks=asks, outcome="pass" if is_met else "fail", why=why, numbers=numbers)


def _least(least: float, candidate: Measured, *, sequential: bool) -> GateResult:
    asks = f"an accuracy of {percent(least)} or more"
    if sequential:
        seen = look(list(candidate.scores.values()), least, lowest=0.0, highest=1.0)
        return _by_look(LEAST, asks, seen, as_share=True)
    decision = decide_least(candidate.sample, least)
    bounds = f"{percent(decision.interval.lower)} to {percent(decision.interval.upper)}"
    why = f"{percent(decision.estimate)} of {decision.items} items, bounds {bounds} ({ONCE})"
    needed = ""
    if decision.outcome == "undecided":
        needed = f"; {_items(decision.needed)} if the accuracy is what was seen"
    return _by_bounds(LEAST, asks, decision, why + needed, {})


def _drop(margin: float, candidate: Measured, baseline: Measured, pairing: Pairing, *, sequential: bool) -> GateResult:
    asks = f"at most {_points(margin)} points worse than {baseline.model}"
    if pairing == "no":
        decision = decide_unpaired(candidate.sample, baseline.sample, margin)
        return _by_bounds(
            DROP,
            asks,
            decision,
            f"{_difference(decision)} on {decision.items} and {baseline.sample.count} different items, "
            f"{_drop_bounds(decision)}{_drop_needed(decision, ' of the candidate')}",
            {"baseline_items": baseline.sample.count, "margin": margin},
        )
    places = [place for place in candidate.scores if place in baseline.scores]
    if not places:
        raise GateError("candidate and baseline have no item in common that counts")
    ours, theirs = [candidate.scores[place] for place in places], [baseline.scores[place] for place in places]
    pairs = pairs_of(ours, theirs)
    apart = {"discordance": pairs.discordance, "margin": margin}
    if pairs.candidate_only is not None and pairs.baseline_only is not None:
        told = (
            f"only the candidate right on {pairs.candidate_only}, only the baseline on {pairs.baseline_only} "
            f"(discordance {percent(pairs.discordance)})"
        )
        apart |= {"candidate_only": pairs.candidate_only, "baseline_only": pairs.baseline_only}
    else:
        told = f"mean squared difference {pairs.discordance:.3f}"
    if sequential:
        seen = look([own - other for own, other in zip(ours, theirs, strict=True)], -margin, lowest=-1.0, highest=1.0)
        return _by_look(DROP, asks, seen, as_share=False, told=told, numbers=apart)
    decision = decide_paired(pairs, margin)
    why = (
        f"{_difference(decision)} on {decision.items} shared items, {told}, {_drop_bounds(decision)}"
        f"{_drop_needed(decision, '')}"
    )
    return _by_bounds(DROP, asks, decision, why, apart)


def _by_bounds(name: str, asks: str, decision: Decision, why: str, more: dict[str, float | int]) -> GateResult:
    numbers: dict[str, float | int | None] = {
        "items": decision.items,
        "estimate": decision.estimate,
        "lower": decision.interval.lower,
        "upper": decision.interval.upper,
        "boundary": decision.boundary,
        "p_value": decision.p_value,
        "items_needed_as_seen": decision.needed,
        "items_needed_if_equal": decision.needed_if_equal,
        **more,
    }
    return GateResult(
        name=name,
        asks=asks,
        outcome=decision.outcome,
        why=why,
        numbers={key: value for key, value in numbers.items() if value is not None},
        estimate=decision.estimate,
        interval=decision.interval,
        boundary=decision.boundary,
    )


def _by_look(
    name: str,
    asks: str,
    seen: Look,
    *,
    as_share: bool,
    told: str = "",
    numbers: dict[str, float | int] | None = None,
) -> GateResult:
    show = percent if as_share else _points_signed
    bounds = f"bounds {show(seen.interval.lower)} to {show(seen.interval.upper)} ({SEEN})"
    ahead = {"pass": seen.wealth_above, "fail": seen.wealth_below}.get(
        seen.outcome, max(seen.wealth_above, seen.wealth_below)
    )
    evidence = f"evidence {min(ahead, 9999):.3g} to 1, where 20 decides"
    what = f"{show(seen.estimate)} of {seen.items} items"
    if not as_share:
        what = f"a difference of {show(seen.estimate)} on {seen.items} shared items"
    why = ", ".join(part for part in (what, told, bounds, evidence) if part)
    return GateResult(
        name=name,
        asks=asks,
        outcome=seen.outcome,
        why=why,
        numbers={
            "items": seen.items,
            "estimate": seen.estimate,
            "lower": seen.interval.lower,
            "upper": seen.interval.upper,
            "boundary": seen.boundary,
            "wealth_above": seen.wealth_above,
            "wealth_below": seen.wealth_below,
            **(numbers or {}),
        },
        estimate=seen.estimate,
        interval=seen.interval,
        boundary=seen.boundary,
    )


def _difference(decision: Decision) -> str:
    return f"a difference of {_points_signed(decision.estimate)}"


def _drop_bounds(decision: Decision) -> str:
    low, high = decision.interval.lower, decision.interval.upper
    p_value = "" if decision.p_value is None else f", p = {decision.p_value:.2g}"
    return f"bounds {_points_signed(low)} to {_points_signed(high)} ({ONCE}){p_value}"


def _drop_needed(decision: Decision, whose: str) -> str:
    if decision.outcome != "undecided":
        return ""
    seen, equal = _items(decision.needed, whose), _items(decision.needed_if_equal, whose)
    return f"; {seen} if the difference is what was seen, {equal} if there is none"


def _items(count: int | None, whose: str = "") -> str:
    return f"no number of items{whose} would tell" if count is None else f"about {count:,} items{whose} would tell"


def _points(share: float) -> str:
    return f"{100 * share:g}"


def _points_signed(share: float) -> str:
    return f"{100 * share:+.1f} points"


def gate_names(outcome: Outcome) -> str:
    """Return the word for people."""
    return {"pass": "pass", "fail": "fail", "undecided": "could not tell"}[outcome]

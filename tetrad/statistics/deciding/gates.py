"""Decide a gate: pass, fail, or could not tell with the number of items that would.

A gate passes if the bound on its good side is beyond the boundary, and fails if the bound on the other side is. Each
bound is one-sided at 5%, so a truth that lies at the boundary passes in at most 5% of draws, and fails in at most 5%.
The absence of a significant difference is no pass.
"""

from typing import Literal, TypeAlias

import msgspec

from tetrad.statistics.deciding.differences import (
    Pairs,
    paired_interval,
    paired_p_value,
    unpaired_interval,
    unpaired_p_value,
)
from tetrad.statistics.deciding.planning import ERROR, pairs_needed, share_items_needed, unpaired_items_needed
from tetrad.statistics.deciding.samples import Sample, sample_interval
from tetrad.statistics.interval import Interval

__all__ = ["Decision", "Outcome", "decide", "decide_least", "decide_paired", "decide_unpaired"]

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision of a gate, with its numbers.

    boundary: the least accuracy, or the margin as a negative difference. items: the candidate's. interval: its bounds
    are one-sided at half of what its level leaves. p_value: that neither model is better. discordance: of pairs.
    needed: items that would decide with a power of 80% if the estimate is the truth; needed_if_equal: if both models
    are equally good. Both are None where no number of items would, and where there is a decision.
    """

    outcome: Outcome
    items: int
    estimate: float
    interval: Interval
    boundary: float
    p_value: float | None = None
    discordance: float | None = None
    needed: int | None = None
    needed_if_equal: int | None = None


def decide(interval: Interval, boundary: float) -> Outcome:
    """Compare an interval with a boundary. A bound that lies at the boundary decides only an accuracy of it or more."""
    if interval.lower >= boundary:
        return "pass"
    return "fail" if interval.upper < boundary else "undecided"


def decide_least(sample: Sample, least: float) -> Decision:
    """Decide whether the accuracy is `least`, a share in [0, 1], or more."""
    interval = sample_interval(sample, 1 - 2 * ERROR)
    outcome = decide(interval, least)
    needed = share_items_needed(sample, least) if outcome == "undecided" else None
    return Decision(
        outcome=outcome, items=sample.count, estimate=sample.mean, interval=interval, boundary=least, needed=needed
    )


def decide_paired(pairs: Pairs, margin: float) -> Decision:
    """Decide whether the candidate is worse than the baseline by at most `margin`, on the same items."""
    interval = paired_interval(pairs, 1 - 2 * ERROR)
    outcome = decide(interval, -margin)
    is_open = outcome == "undecided"
    as_seen, if_equal = (
        pairs_needed(pairs, margin, difference) if is_open else None for difference in (pairs.difference, 0.0)
    )
    return Decision(
        outcome=outcome,
        items=pairs.count,
        estimate=pairs.difference,
        interval=interval,
        boundary=-margin,
        p_value=paired_p_value(pairs),
        discordance=pairs.discordance,
        needed=as_seen,
        needed_if_equal=if_equal,
    )


def decide_unpaired(candidate: Sample, baseline: Sample, margin: float) -> Decision:
    """Decide whether the candidate is worse than a stored baseline by at most `margin`, on other items.

    The items needed are the candidate's; the baseline's stay as they are.
    """
    interval = unpaired_interval(candidate, baseline, 1 - 2 * ERROR)
    outcome = decide(interval, -margin)
    difference, is_open = candidate.mean - baseline.mean, outcome == "undecided"
    stored = (baseline.variance / baseline.count) ** 0.5
    as_seen, if_equal = (
        unpaired_items_needed(distance, candidate.variance, stored) if is_open else None
        for distance in (difference + margin, margin)
    )
    return Decision(
        outcome=outcome,
        items=candidate.count,
        estimate=difference,
        interval=interval,
        boundary=-margin,
        p_value=unpaired_p_value(candidate, baseline),
        needed=as_seen,
        needed_if_equal=if_equal,
    )

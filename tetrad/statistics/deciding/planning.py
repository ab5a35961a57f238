"""Compute the number of items that a decision takes, and the least drop that a number of items decides.

A decision at a one-sided error of 5% is reached with a power of 80% once the distance between the truth and the
boundary is 1.64 standard errors under the hypothesis that the truth lies at the boundary, 0.84 standard errors of the
truth itself, and the continuity correction of the bound.
"""

import math

from tetrad.statistics.deciding.differences import LOWER_CORRECTION, UPPER_CORRECTION, Pairs, null_variance
from tetrad.statistics.deciding.quantiles import normal_quantile
from tetrad.statistics.deciding.samples import Sample

__all__ = [
    "ERROR",
    "least_drop",
    "least_unpaired_drop",
    "paired_items_needed",
    "pairs_needed",
    "share_items_needed",
    "unpaired_items_needed",
    "unpaired_items_of_each",
]

ERROR = 0.05  # the one-sided probability of a wrong decision at the boundary
POWER = 0.8  # the probability of a decision
SHARE_CORRECTION = 0.5  # items: Clopper and Pearson's bounds are about this much wider than Wilson's
_MOST = 10_000_000  # items: nobody asks more
_HALVINGS = 40


def share_items_needed(sample: Sample, least: float) -> int | None:
    """Return the items that decide whether an accuracy is `least` or more, if the sample's mean is the truth.

    None if no number does, as for all functions here: the truth lies at the boundary.
    """
    at_boundary = least * (1 - least) if sample.binary else sample.variance
    return _find_least(sample.mean - least, at_boundary, sample.variance, SHARE_CORRECTION)


def paired_items_needed(margin: float, discordance: float, difference: float = 0.0) -> int | None:
    """Return the items of a shared draw that decide whether a candidate is worse by at most `margin`; scores are 0/1.

    Args:
        margin: the drop that is allowed, as a share.
        discordance: the share of items that one model alone has right.
        difference: the true difference of candidate and baseline; 0 for an unchanged model.
    """
    far = difference + margin
    discordance = max(discordance, abs(difference))
    at_boundary = null_variance((discordance + difference) / 2, (discordance - difference) / 2, -margin)
    correction = LOWER_CORRECTION if far > 0 else UPPER_CORRECTION
    return _find_least(far, at_boundary, discordance - difference**2, correction)


def pairs_needed(pairs: Pairs, margin: float, difference: float) -> int | None:
    """Return the items of a shared draw that decide, with the spread that these pairs show.

    `difference` is what is taken for the truth: that of the pairs, or 0.
    """
    if pairs.candidate_only is not None:
        return paired_items_needed(margin, pairs.discordance, difference)
    variance = pairs.deviation**2
    return _find_least(difference + margin, variance, variance, 0.0)


def unpaired_items_needed(distance: float, variance: float, baseline_error: float) -> int | None:
    """Return the candidate's items that decide against a stored baseline, whose score has this standard error.

    None also if the baseline itself has too few items. `variance` is that of one of the candidate's scores.
    """
    left = (distance / (_at(ERROR) + _at(1 - POWER))) ** 2 - baseline_error**2
    if left <= 0:
        return None
    count = max(1, math.ceil(variance / left))
    return count if count <= _MOST else None


def unpaired_items_of_each(distance: float, first: Sample, second: Sample) -> int | None:
    """Return the items that each of two models has to answer, both on items of their own, to decide this distance."""
    if distance == 0:
        return None
    left = (distance / (_at(ERROR) + _at(1 - POWER))) ** 2
    count = max(1, math.ceil((first.variance + second.variance) / left))
    return count if count <= _MOST else None


def least_drop(count: int, discordance: float) -> float:
    """Return the least margin at which an unchanged model passes with the power, on `count` items of a shared draw."""
    below, above = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        needed = paired_items_needed(middle, discordance)
        below, above = (below, middle) if needed is not None and needed <= count else (middle, above)
    return above


def least_unpaired_drop(count: int, baseline_count: int, share: float = 0.5) -> float:
    """Return the least margin at which an unchanged model passes with the power, each model on items of its own.

    `share` is the accuracy of both; a half is the hardest.
    """
    spread = math.sqrt(share * (1 - share) * (1 / count + 1 / baseline_count))
    corrections = math.hypot(1 / (2 * count), 1 / (2 * baseline_count))
    return min(1.0, (_at(ERROR) + _at(1 - POWER)) * spread + corrections)


def _find_least(distance: float, at_boundary: float, variance: float, correction: float) -> int | None:
    """Return the least n whose n distance - correction is the standard deviations of a sum of n, times quantiles."""
    far = abs(distance)
    if far == 0:
        return None
    spread = _at(ERROR) * math.sqrt(max(at_boundary, 0.0)) + _at(1 - POWER) * math.sqrt(max(variance, 0.0))
    root = (spread + math.sqrt(spread**2 + 4 * far * correction)) / (2 * far)
    count = max(1, math.ceil(root**2 - 1e-9))
    return count if count <= _MOST else None


def _at(tail: float) -> float:
    return normal_quantile(1 - tail)

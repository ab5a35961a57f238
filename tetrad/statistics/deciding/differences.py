"""Bound the difference of two models' mean scores, and test it: on a shared draw (paired), or on two (unpaired).

Every difference is the candidate's score less the baseline's. Each bound is one-sided at (1 - level) / 2, so the
interval at level 0.9 decides a gate at 5%.

Paired, scores 0/1: Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", with a continuity correction. Without it, a true difference at the boundary is called better in
up to 5.8% and worse in up to 7.3% of draws. b - c moves in steps of one, which is half an item to either side; for the
upper bound twice that is needed, because the baseline may know almost nothing that the candidate doesn't. `python -m
tests.gate_proof` computes the exact shares.
Paired, other scores: t standard errors of the items' differences.
Unpaired: Newcombe 1998, "Interval estimation for the difference between independent proportions", method 11, and the
same with the bounds of `samples` where scores are not 0/1.
"""

import math
from collections.abc import Callable, Sequence

import msgspec

from tetrad.statistics.deciding.quantiles import normal_quantile, regularized_beta, student_quantile, student_tail
from tetrad.statistics.deciding.samples import Sample, corrected_bounds
from tetrad.statistics.interval import Interval, check_level, score_bounds

__all__ = [
    "LOWER_CORRECTION",
    "UPPER_CORRECTION",
    "Pairs",
    "mcnemar",
    "null_variance",
    "paired_interval",
    "paired_p_value",
    "pairs_of",
    "unpaired_interval",
    "unpaired_p_value",
]

LOWER_CORRECTION, UPPER_CORRECTION = 0.5, 1.0  # items; see above
_HALVINGS = 60
_NO_VARIANCE = 1e-18


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of two models on the same `count` independent items.

    `difference`: the mean difference, in [-1, 1]. `deviation`: the standard deviation of the items' differences.
    `candidate_only`, `baseline_only`: the items that one of them alone has right; None where scores are not 0/1.
    """

    count: int
    difference: float
    deviation: float
    candidate_only: int | None = None
    baseline_only: int | None = None

    @property
    def discordance(self) -> float:
        """Return the mean squared difference: where scores are 0/1, the share of items that one alone has right."""
        unbiased = self.deviation**2 * (self.count - 1) / self.count
        return unbiased + self.difference**2

    @property
    def variance(self) -> float:
        """Return the variance of one item's difference."""
        return max(self.discordance - self.difference**2, 0.0)


def pairs_of(candidate: Sequence[float], baseline: Sequence[float]) -> Pairs:
    """Return the pairs of these scores: one an item, in one order, each in [0, 1].

    Raises:
        ValueError: there is none, the numbers of scores differ, or a score lies outside [0, 1].
    """
    count = len(candidate)
    if not count or count != len(baseline):
        raise ValueError(f"both must have a score for each item: got {count} and {len(baseline)} scores")
    if not all(0.0 <= score <= 1.0 for score in (*candidate, *baseline)):
        raise ValueError("scores must lie in [0, 1]: score what is missing as wrong, never as NaN")
    differences = [own - other for own, other in zip(candidate, baseline, strict=True)]
    mean = math.fsum(differences) / count
    squares = math.fsum((difference - mean) ** 2 for difference in differences)
    deviation = math.sqrt(squares / (count - 1)) if count > 1 else 0.0
    if all(score in {0, 1} for score in (*candidate, *baseline)):
        better, worse = differences.count(1), differences.count(-1)
        return Pairs(count=count, difference=mean, deviation=deviation, candidate_only=better, baseline_only=worse)
    return Pairs(count=count, difference=mean, deviation=deviation)


def mcnemar(candidate_only: int, baseline_only: int) -> float:
    """Return the p-value of McNemar's exact two-sided test that neither model is better."""
    fewer, trials = min(candidate_only, baseline_only), candidate_only + baseline_only
    return min(1.0, 2 * regularized_beta(0.5, trials - fewer, fewer + 1)) if trials else 1.0


def paired_p_value(pairs: Pairs) -> float:
    """Return the two-sided p-value that neither model is better: McNemar's where scores are 0/1, else by paired t."""
    if pairs.candidate_only is not None and pairs.baseline_only is not None:
        return mcnemar(pairs.candidate_only, pairs.baseline_only)
    error = pairs.deviation / math.sqrt(pairs.count)
    return _by_t(pairs.difference, error, pairs.count - 1)


def paired_interval(pairs: Pairs, level: float = 0.95) -> Interval:
    """Bound the difference of two models on the same items."""
    check_level(level)
    if pairs.candidate_only is not None and pairs.baseline_only is not None:
        return _tango(pairs.candidate_only, pairs.baseline_only, pairs.count, level)
    lower, upper = _by_spread(pairs, level)
    return Interval(lower=lower, upper=upper, level=level, method="paired-t")


def unpaired_interval(candidate: Sample, baseline: Sample, level: float = 0.95) -> Interval:
    """Bound the difference of two models on different items."""
    check_level(level)
    low, high = corrected_bounds(candidate, level)
    least, most = corrected_bounds(baseline, level)
    difference = candidate.mean - baseline.mean
    down = math.hypot(candidate.mean - low, most - baseline.mean)
    up = math.hypot(high - candidate.mean, baseline.mean - least)
    binary = candidate.binary and baseline.binary
    method = "newcombe-11" if binary else "newcombe-by-item"
    return Interval(lower=max(-1.0, difference - down), upper=min(1.0, difference + up), level=level, method=method)


def unpaired_p_value(candidate: Sample, baseline: Sample) -> float:
    """Return the two-sided p-value that neither model is better, on different items: Welch's t test."""
    one, other = candidate.standard_error, baseline.standard_error
    if one is None or other is None:
        return 1.0
    variance = one**2 + other**2
    parts = one**4 / (candidate.count - 1) + other**4 / (baseline.count - 1)
    degrees = variance**2 / parts if parts else math.inf
    return _by_t(candidate.mean - baseline.mean, math.sqrt(variance), degrees)


def _by_t(difference: float, error: float, degrees: float) -> float:
    if difference == 0 or degrees < 1:
        return 1.0
    return student_tail(difference / error, degrees) if error**2 > _NO_VARIANCE else 0.0


def _by_spread(pairs: Pairs, level: float) -> tuple[float, float]:
    """Return bounds by t. Without any spread they are Wilson's, for as many 0/1 outcomes carried over to [-1, 1]."""
    error = pairs.deviation / math.sqrt(pairs.count)
    if error**2 <= _NO_VARIANCE:
        quantile = normal_quantile(0.5 + level / 2)
        lower, upper = score_bounds((pairs.difference + 1) / 2, pairs.count, quantile)
        return 2 * lower - 1, 2 * upper - 1
    reach = student_quantile(0.5 + level / 2, pairs.count - 1) * error
    return max(-1.0, pairs.difference - reach), min(1.0, pairs.difference + reach)


def _tango(better: int, worse: int, count: int, level: float) -> Interval:
    quantile = normal_quantile(0.5 + level / 2)
    lower = _root(lambda null: tango_score(better, worse, count, null, -LOWER_CORRECTION) - quantile)
    upper = _root(lambda null: tango_score(better, worse, count, null, UPPER_CORRECTION) + quantile)
    return Interval(lower=lower, upper=upper, level=level, method="tango-corrected")


def tango_score(better: int, worse: int, count: int, null: float, shift: float = 0.0) -> float:
    """Return how many standard errors the difference, `shift` items added, is from that of the hypothesis `null`."""
    variance = count * null_variance(better / count, worse / count, null)
    far = better - worse + shift - count * null
    if variance <= _NO_VARIANCE:
        return math.copysign(math.inf, far) if far else 0.0
    return far / math.sqrt(variance)


def null_variance(better: float, worse: float, null: float) -> float:
    """Return the variance of one item's difference under the hypothesis that the mean difference is `null`.

    `better` and `worse` are the shares of items that the candidate and the baseline alone have right. Under the
    hypothesis the latter is estimated by maximum likelihood, and the former is greater by `null`.
    """
    linear = -better - worse + (2 - better + worse) * null
    root = math.sqrt(max(linear**2 + 8 * worse * null * (1 - null), 0.0))
    other = max((root - linear) / 4, 0.0, -null)
    return 2 * other + null * (1 - null)


def _root(falling: Callable[[float], float]) -> float:
    """Return where a falling function of a difference in [-1, 1] crosses zero; an end if it does not."""
    below, above = -1.0, 1.0
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        below, above = (middle, above) if falling(middle) > 0 else (below, middle)
    return (below + above) / 2

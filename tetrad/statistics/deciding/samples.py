"""Describe the scores of one model on one draw, and bound their mean.

An item is the unit: its score is the mean over its questions, and items are independent. Where all scores are 0 or 1,
the bounds hold at every sample size: Clopper and Pearson 1934. Otherwise they are those of `mean_interval`: Wilson's
for the number of 0/1 outcomes whose mean has the same variance, with the t quantile.
"""

import math
from collections.abc import Sequence

import msgspec

from tetrad.statistics.deciding.quantiles import beta_quantile, normal_quantile, student_quantile
from tetrad.statistics.interval import Interval, check_level, score_bounds

__all__ = ["Sample", "corrected_bounds", "exact_interval", "sample_interval", "sample_of"]

_NO_VARIANCE = 1e-18  # a smaller variance of a mean of scores in [0, 1] is a rounding error


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of `count` independent items: their mean in [0, 1], and its standard error.

    `binary`: every score is 0 or 1. `standard_error` is None for fewer than two items.
    """

    count: int
    mean: float
    standard_error: float | None
    binary: bool

    @property
    def variance(self) -> float:
        """Return the variance of one item's score; a quarter, the largest, where nothing is known."""
        if self.binary:
            return self.mean * (1 - self.mean)
        return 0.25 if self.standard_error is None else self.count * self.standard_error**2


def sample_of(scores: Sequence[float]) -> Sample:
    """Return the sample of these scores, one an item.

    Raises:
        ValueError: there is none, or one lies outside [0, 1].
    """
    count = len(scores)
    if not count:
        raise ValueError("there are no scores: a draw has one item at least")
    if not all(0.0 <= score <= 1.0 for score in scores):
        raise ValueError("scores must lie in [0, 1]: score what is missing as wrong, never as NaN")
    mean = math.fsum(scores) / count
    squares = math.fsum((score - mean) ** 2 for score in scores)
    error = math.sqrt(squares / (count - 1) / count) if count > 1 else None
    binary = all(score in {0, 1} for score in scores)
    return Sample(count=count, mean=mean, standard_error=error, binary=binary)


def sample_interval(sample: Sample, level: float = 0.95) -> Interval:
    """Bound the mean that the sample is from. Each bound is one-sided at (1 - level) / 2."""
    check_level(level)
    if sample.binary:
        return exact_interval(round(sample.mean * sample.count), sample.count, level)
    lower, upper = _spread_bounds(sample, level)
    return Interval(lower=lower, upper=upper, level=level, method="item-wilson")


def exact_interval(successes: int, count: int, level: float = 0.95) -> Interval:
    """Bound a share by Clopper and Pearson's exact interval; [0, 1] if nothing was counted.

    Raises:
        ValueError: outside 0 <= successes <= count, or level outside (0, 1).
    """
    check_level(level)
    if not 0 <= successes <= count:
        raise ValueError(f"successes must lie in 0..count: got successes={successes!r}, count={count!r}")
    tail = (1 - level) / 2
    lower = 0.0 if successes == 0 else beta_quantile(tail, successes, count - successes + 1)
    upper = 1.0 if successes == count else beta_quantile(1 - tail, successes + 1, count - successes)
    return Interval(lower=lower, upper=upper, level=level, method="clopper-pearson")


def corrected_bounds(sample: Sample, level: float) -> tuple[float, float]:
    """Return bounds for the difference of two samples: Wilson's with continuity correction where scores are 0/1.

    Source: Newcombe 1998, "Two-sided confidence intervals for the single proportion", method 4.
    """
    if not sample.binary:
        return _spread_bounds(sample, level)
    quantile, count, share = normal_quantile(0.5 + level / 2), sample.count, sample.mean
    square = quantile**2
    middle, scale = 2 * count * share + square, 2 * (count + square)
    down = quantile * math.sqrt(max(square - 2 - 1 / count + 4 * share * (count * (1 - share) + 1), 0.0))
    up = quantile * math.sqrt(max(square + 2 - 1 / count + 4 * share * (count * (1 - share) - 1), 0.0))
    lower = 0.0 if share == 0 else max(0.0, (middle - 1 - down) / scale)
    upper = 1.0 if share == 1 else min(1.0, (middle + 1 + up) / scale)
    return lower, upper


def _spread_bounds(sample: Sample, level: float) -> tuple[float, float]:
    """Return bounds by the spread of the items' scores. No spread at all is taken for as many 0/1 outcomes."""
    variance = 0.0 if sample.standard_error is None else sample.standard_error**2
    if variance <= _NO_VARIANCE:
        return score_bounds(sample.mean, sample.count, normal_quantile(0.5 + level / 2))
    size = sample.mean * (1 - sample.mean) / variance
    return score_bounds(sample.mean, size, student_quantile(0.5 + level / 2, sample.count - 1))

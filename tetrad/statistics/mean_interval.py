"""Compute intervals for means of scores in [0, 1], and of differences of two scores; items may share a cluster.

Source: Liang and Zeger 1986 for the sandwich variance; Cameron and Miller 2015, "A practitioner's guide to
cluster-robust inference", sections II.A and VI.B, for the factor G/(G-1) (CR1) and the t quantile with G-1 degrees;
Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", for the effective sample size, used in Wilson's interval as Dean and Pagano 2015 do.
"""

import math
from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tetrad.statistics.interval import Interval, check_level, score_bounds
from tetrad.statistics.special import t_quantile
from tetrad.statistics.wilson import wilson_interval

__all__ = ["clustered_interval", "difference_interval", "mean_interval", "pooled_difference_interval"]

Scores: TypeAlias = Sequence[float] | NDArray[np.float64]

# Sums of squares below this are rounding (scores are of order 1), not variance.
_NO_VARIANCE = 1e-18
# A sum of squared deviations below this share of the sum of squares is a rounding error of the subtraction.
_ROUNDING = 1e-12


def mean_interval(values: Scores, clusters: Sequence[Hashable], level: float = 0.95) -> Interval:
    """Bound a mean score for one look: Wilson when items are independent and 0/1, cluster-robust otherwise.

    Args:
        values: a score in [0, 1] per item.
        clusters: the cluster of each item; items are independent only if all clusters differ.
        level: coverage aimed at.

    Raises:
        ValueError: lengths differ, a value lies outside [0, 1], or level outside (0, 1).
    """
    scores = _check_scores(values, clusters)
    numbers, count = _number_clusters(clusters)
    if count == len(scores) and bool(((scores == 0.0) | (scores == 1.0)).all()):
        return wilson_interval(float(scores.sum()), len(scores), level)
    return _bound_by_spread(scores, numbers, count, level)


def clustered_interval(values: Scores, clusters: Sequence[Hashable], level: float = 0.95) -> Interval:
    """Bound a mean score by the spread between clusters.

    This is Wilson's interval, with the t quantile of G-1 degrees, for the number of independent 0/1 outcomes whose mean
    has the same variance (CR1). Plus or minus t standard errors would cover a truth of 97% in 87 to 92% of cases; this
    interval covers it in 95%.

    One cluster, or clusters that show no spread at all, tell nothing about how far the next would lie; the interval is
    then Wilson's for as many 0/1 outcomes as there are clusters: the widest that scores in [0, 1] can ask for.
    """
    return _bound_by_spread(_check_scores(values, clusters), *_number_clusters(clusters), level)


def difference_interval(values: Scores, clusters: Sequence[Hashable], level: float = 0.95) -> Interval:
    """Bound a mean of paired differences by the spread between clusters: t standard errors (CR1), within [-1, 1].

    One cluster, or clusters that show no spread at all, tell nothing about how far the next would lie; the interval is
    then that of `clustered_interval` for the differences carried over from [-1, 1] to [0, 1], and back.

    Args:
        values: a difference of two scores, in [-1, 1], per item.
        clusters: what each item belongs to.
        level: coverage aimed at.

    Raises:
        ValueError: lengths differ, a value lies outside [-1, 1], or level outside (0, 1).
    """
    check_level(level)
    differences = _check_scores(values, clusters, lowest=-1.0)
    numbers, count = _number_clusters(clusters)
    variance = _variance_of_mean(differences, numbers, count) if count > 1 else 0.0
    if variance <= _NO_VARIANCE:
        carried = _bound_by_spread((differences + 1) / 2, numbers, count, level)
        lower, upper = 2 * carried.lower - 1, 2 * carried.upper - 1
        return Interval(lower=lower, upper=upper, level=level, method=carried.method)
    mean, reach = float(differences.mean()), t_quantile(count - 1, 0.5 + level / 2) * math.sqrt(variance)
    return Interval(lower=max(-1.0, mean - reach), upper=min(1.0, mean + reach), level=level, method="cluster-t")


def pooled_difference_interval(count: int, total: float, squares: float, level: float = 0.95) -> Interval:
    """Bound a mean of paired differences as `difference_interval` does, from sums over clusters of one value each.

    Args:
        count: clusters, one at least.
        total: sum of their differences, each in [-1, 1].
        squares: sum of the squares of these differences.
        level: coverage aimed at.

    Raises:
        ValueError: no cluster, sums that no such differences have, or level outside (0, 1).
    """
    check_level(level)
    slack = 1 + _ROUNDING
    if count < 1 or not (total**2 / count <= squares * slack + _NO_VARIANCE and squares <= count * slack):
        raise ValueError(f"count {count}, total {total} and squares {squares} are no sums of differences in [-1, 1]")
    mean = max(-1.0, min(1.0, total / count))
    deviations = squares - total**2 / count
    if count == 1 or deviations <= _ROUNDING * squares:
        carried = wilson_interval((mean + 1) / 2 * count, count, level)
        lower, upper = 2 * carried.lower - 1, 2 * carried.upper - 1
        return Interval(lower=lower, upper=upper, level=level, method="wilson-on-clusters")
    reach = t_quantile(count - 1, 0.5 + level / 2) * math.sqrt(deviations / (count - 1) / count)
    return Interval(lower=max(-1.0, mean - reach), upper=min(1.0, mean + reach), level=level, method="cluster-t")


def _bound_by_spread(scores: NDArray[np.float64], clusters: NDArray[np.int64], count: int, level: float) -> Interval:
    """Return `clustered_interval` of scores that are checked, in `count` clusters that are numbered."""
    check_level(level)
    mean = float(scores.mean()) if count else 0.0
    variance = _variance_of_mean(scores, clusters, count) if count > 1 else 0.0
    if variance <= _NO_VARIANCE:
        fallback = wilson_interval(min(mean * count, count), count, level)
        return Interval(lower=fallback.lower, upper=fallback.upper, level=level, method="wilson-on-clusters")
    lower, upper = score_bounds(mean, mean * (1 - mean) / variance, t_quantile(count - 1, 0.5 + level / 2))
    return Interval(lower=lower, upper=upper, level=level, method="cluster-wilson")


def _variance_of_mean(scores: NDArray[np.float64], clusters: NDArray[np.int64], count: int) -> float:
    """Return CR1 for an intercept: G/(G-1) times the sum of clusters' squared summed residuals, over n squared."""
    sums = np.bincount(clusters, weights=scores - scores.mean())
    return float(count / (count - 1) * (sums**2).sum() / len(scores) ** 2)


def _number_clusters(clusters: Sequence[Hashable]) -> tuple[NDArray[np.int64], int]:
    """Return each item's cluster as a number from 0, and how many clusters there are."""
    if isinstance(clusters, range):  # every item is a cluster of its own: a report has hundreds of thousands
        return np.arange(len(clusters)), len(clusters)
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    return np.array([numbers[cluster] for cluster in clusters], np.int64), len(numbers)


def _check_scores(values: Scores, clusters: Sequence[Hashable], lowest: float = 0.0) -> NDArray[np.float64]:
    scores = np.asarray(values, dtype=np.float64)
    if len(scores) != len(clusters):
        raise ValueError(f"values and clusters must be of one length: got {len(scores)} and {len(clusters)}")
    if not bool(((scores >= lowest) & (scores <= 1.0)).all()):
        raise ValueError(f"values must be scores in [{lowest:g}, 1]: score what is missing as wrong, never as NaN")
    return scores

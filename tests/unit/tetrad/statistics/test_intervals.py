"""Worked examples, and statsmodels as an oracle that the product doesn't import."""

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import ttest_rel
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from tetrad.statistics.interval import Interval
from tetrad.statistics.mean_interval import (
    clustered_interval,
    difference_interval,
    mean_interval,
    pooled_difference_interval,
)
from tetrad.statistics.wilson import wilson_interval


@pytest.mark.parametrize(("successes", "count"), [(0, 10), (9, 10), (10, 10), (309, 617), (1, 1), (2000, 2350)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_agrees_with_statsmodels(successes: int, count: int, level: float) -> None:
    interval = wilson_interval(successes, count, level)
    expected = proportion_confint(successes, count, 1 - level, method="wilson")
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-12)


def test_nothing_scored_bounds_nothing() -> None:
    assert wilson_interval(0, 0) == Interval(lower=0.0, upper=1.0, level=0.95, method="wilson")
    assert mean_interval([], []).width == 1.0
    assert clustered_interval([], []).width == 1.0


def test_three_clusters_by_hand() -> None:
    # Mean 4/6; residual sums 2/3, -1/3, -1/3, squared sum 6/9; variance 3/2 * 6/9 / 36 = 1/36, as of (2/9) / (1/36) = 8
    # outcomes; t(2, .975)^2 = 18.512821, over 8: 2.314103. Bounds (2/3 + 1.157052 -+ 1.361254) / 3.314103.
    interval = clustered_interval([1, 1, 1, 0, 1, 0], ["a", "a", "b", "b", "c", "c"])
    assert interval.method == "cluster-wilson"
    assert (interval.lower, interval.upper) == pytest.approx((0.139544, 0.961036), abs=1e-6)


@pytest.mark.parametrize("interval", [mean_interval, clustered_interval, difference_interval])
@pytest.mark.parametrize("values", [[1, 0, 1, 1, 0], [0.5, 1 / 3, 1, 0, 0.9], [1, 1, 1], [0.2]])
def test_clusters_of_one_item_are_the_same_by_any_name(
    interval: Callable[[Sequence[float], Sequence[Hashable]], Interval], values: list[float]
) -> None:
    assert interval(values, range(len(values))) == interval(values, [f"item {place}" for place in range(len(values))])


def test_clusters_of_unequal_size_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(7)
    clusters = rng.integers(0, 40, 300)
    values = np.clip(rng.uniform(0, 0.5, 40)[clusters] + rng.uniform(0, 0.5, 300), 0, 1)
    fit = OLS(values, np.ones(300)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    interval = clustered_interval(values.tolist(), clusters.tolist())
    # Wilson's bounds are the shares p with |mean - p| = t sqrt(p (1-p) / n), where n gives the fit's standard error.
    mean, size = values.mean(), values.mean() * (1 - values.mean()) / fit.bse[0] ** 2
    reach = stdtrit(len(set(clusters.tolist())) - 1, 0.975)
    for bound in (interval.lower, interval.upper):
        assert abs(mean - bound) == pytest.approx(reach * math.sqrt(bound * (1 - bound) / size), abs=1e-10)


def test_wilson_is_chosen_only_for_independent_outcomes_of_0_and_1() -> None:
    assert mean_interval([1, 0, 1], ["a", "b", "c"]).method == "wilson"
    assert mean_interval([1, 0, 1], ["a", "b", "b"]).method == "cluster-wilson"
    assert mean_interval([1, 0.5, 1], ["a", "b", "c"]).method == "cluster-wilson"


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("clusters", [1, 2, 30])
def test_no_spread_is_not_certainty(value: float, clusters: int) -> None:
    interval = clustered_interval([value] * 60, [item % clusters for item in range(60)])
    assert interval.method == "wilson-on-clusters"
    assert interval.width == pytest.approx(wilson_interval(value * clusters, clusters).width)
    assert interval.contains(value)


def test_level_and_scores_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="level must lie"):
        wilson_interval(1, 2, 1.0)
    with pytest.raises(ValueError, match="successes must lie"):
        wilson_interval(3, 2)
    with pytest.raises(ValueError, match="one length"):
        mean_interval([1.0], [])
    for wrong in (1.5, math.nan):
        with pytest.raises(ValueError, match="scores in"):
            mean_interval([wrong], ["a"])


def coverage(rows: list[Interval], truth: float) -> float:
    return float(np.mean([interval.contains(truth) for interval in rows]))


def test_clustered_intervals_cover_under_correlation_where_wilson_does_not() -> None:
    rng = np.random.default_rng(20)
    groups, size, runs = 40, 5, 600
    clusters = np.repeat(np.arange(groups), size).tolist()
    chances = rng.beta(0.6, 0.4, (runs, groups))  # mean 0.6, strongly alike within a cluster
    outcomes = rng.binomial(1, np.repeat(chances, size, axis=1)).astype(float)
    clustered = coverage([mean_interval(row.tolist(), clusters) for row in outcomes], 0.6)
    wilson = coverage([wilson_interval(float(row.sum()), groups * size) for row in outcomes], 0.6)
    assert clustered > 0.93
    assert wilson < 0.85


@pytest.mark.parametrize("truth", [0.97, 0.5, 0.1])
@pytest.mark.parametrize("alike", [0.05, 0.3, 0.8])
def test_clustered_intervals_cover_near_the_ends_too(truth: float, alike: float) -> None:
    rng = np.random.default_rng(21)
    groups, size, runs = 60, 3, 400
    clusters = np.repeat(np.arange(groups), size).tolist()
    weight = (1 - alike) / alike  # of a beta-binomial whose correlation within a cluster is `alike`
    chances = rng.beta(truth * weight, (1 - truth) * weight, (runs, groups))
    outcomes = rng.binomial(1, np.repeat(chances, size, axis=1)).astype(float)
    assert coverage([clustered_interval(row.tolist(), clusters) for row in outcomes], truth) > 0.92


def test_a_difference_by_hand() -> None:
    # Differences 1, 0, 0, -1, 1: mean 0.2, squares .64 + .04 + .04 + 1.44 + .64 = 2.8, standard error
    # sqrt(2.8 / 4 / 5) = 0.374166; t(4, .975) = 2.776445: 0.2 -+ 1.038850, of which the upper bound passes 1.
    interval = difference_interval([1, 0, 0, -1, 1], range(5))
    assert (interval.lower, interval.upper) == pytest.approx((-0.838850, 1.0), abs=1e-6)
    assert interval.method == "cluster-t"


def test_the_interval_of_a_paired_difference_is_that_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(11)
    one, other = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    interval = difference_interval((one - other).tolist(), range(80))
    expected = ttest_rel(one, other).confidence_interval(0.95)
    assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_differences_in_clusters_of_unequal_size_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(12)
    clusters = rng.integers(0, 30, 200)
    values = np.clip(rng.normal(0.1, 0.3, 30)[clusters] + rng.normal(0, 0.2, 200), -1, 1)
    fit = OLS(values, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    # statsmodels' small-sample factor has (N-1)/(N-K) beside G/(G-1), which is 1 for one column.
    [expected] = fit.conf_int(0.05)
    interval = difference_interval(values.tolist(), clusters.tolist())
    assert (interval.lower, interval.upper) == pytest.approx(tuple(expected), abs=1e-10)


def test_differences_without_spread_are_as_uncertain_as_shares_without_spread() -> None:
    for difference, share in ((0.0, 0.5), (1.0, 1.0), (-1.0, 0.0)):
        interval, carried = difference_interval([difference] * 8, range(8)), clustered_interval([share] * 8, range(8))
        assert (interval.lower, interval.upper) == pytest.approx((2 * carried.lower - 1, 2 * carried.upper - 1))
        assert interval.method == "wilson-on-clusters"
    assert difference_interval([], []).width == 2.0


def test_a_difference_is_covered_as_often_as_stated() -> None:
    rng = np.random.default_rng(13)
    runs, covered = 2000, 0
    for _ in range(runs):
        of_one = rng.random(60) < 0.8
        of_other = np.where(rng.random(60) < 0.5, of_one, rng.random(60) < 0.6)  # dependent, as paired answers are
        found = difference_interval((of_one.astype(int) - of_other).tolist(), range(60))
        covered += found.contains(0.8 - (0.5 * 0.8 + 0.5 * 0.6))
    assert covered / runs > 0.935  # 0.95 less three standard errors of 2,000 runs


@pytest.mark.parametrize("count", [1, 2, 3, 80, 5000])
def test_sums_of_differences_give_the_interval_that_the_differences_give(count: int) -> None:
    rng = np.random.default_rng(count)
    mixed = rng.integers(0, 2, count) - rng.integers(0, 2, count) * rng.random(count)
    for values in (mixed, np.full(count, 0.1), np.full(count, -1.0), np.zeros(count)):
        expected = difference_interval(values.tolist(), range(count))
        found = pooled_difference_interval(count, float(values.sum()), float((values**2).sum()))
        assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-9)
        assert found.method == expected.method


@pytest.mark.parametrize(("count", "total", "squares"), [(0, 0.0, 0.0), (2, 2.0, 1.0), (2, 0.0, 2.1)])
def test_sums_that_no_differences_have_are_refused(count: int, total: float, squares: float) -> None:
    with pytest.raises(ValueError, match="no sums of differences"):
        pooled_difference_interval(count, total, squares)


def test_a_difference_out_of_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"scores in \[-1, 1\]"):
        difference_interval([1.5], ["a"])

"""Worked examples, and statsmodels as an oracle that the product doesn't import."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit
from statsmodels.api import OLS
from statsmodels.stats.proportion import proportion_confint

from tetrad.statistics import Interval, clustered_interval, mean_interval, wilson_interval


@pytest.mark.parametrize(("successes", "count"), [(0, 10), (9, 10), (10, 10), (309, 617), (1, 1), (2000, 2350)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_agrees_with_statsmodels(successes: int, count: int, level: float) -> None:
    interval = wilson_interval(successes, count, level)
    expected = proportion_confint(successes, count, 1 - level, method="wilson")
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-12)


def test_nine_of_ten_is_sixty_to_ninety_eight_percent() -> None:
    interval = wilson_interval(9, 10)
    assert (round(interval.lower, 2), round(interval.upper, 2)) == (0.60, 0.98)
    assert interval.contains(0.9)
    assert not interval.contains(0.5)


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

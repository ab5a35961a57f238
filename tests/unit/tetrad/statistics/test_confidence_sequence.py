"""Coverage under the stopping rules a team would use, and a fixed-n interval failing the same test."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln

from tetrad.statistics.confidence_sequence import confidence_sequence, log_bet
from tetrad.statistics.interval import Interval
from tetrad.statistics.wilson import wilson_interval

RUNS = 100
LOOKS = 40


def pooled_looks(rng: np.random.Generator, mean: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Totals and counts after each of LOOKS submissions, sized from the score before: (RUNS, LOOKS) each.

    Small ones while lucky, large ones while not: the sizes depend on the past only.
    """
    totals = np.zeros((RUNS, LOOKS))
    counts = np.zeros((RUNS, LOOKS), dtype=np.int64)
    total, count = np.zeros(RUNS), np.zeros(RUNS, dtype=np.int64)
    for look in range(LOOKS):
        size = np.where(total > mean * count, rng.integers(5, 20, RUNS), rng.integers(20, 100, RUNS))
        total, count = total + rng.binomial(size, mean), count + size
        totals[:, look], counts[:, look] = total, count
    return totals, counts


def coverage_when_stopped_at_its_best(bound: Callable[[float, int], Interval], mean: float) -> float:
    """Return the share of runs in which the truth lies inside the interval of the look with the highest lower bound."""
    totals, counts = pooled_looks(np.random.default_rng(4), mean)
    covered = 0
    for total, count in zip(totals, counts, strict=True):
        looks = [bound(float(t), int(n)) for t, n in zip(total, count, strict=True)]
        covered += max(looks, key=lambda look: look.lower).contains(mean)
    return covered / RUNS


@pytest.mark.parametrize("mean", [0.3, 0.5, 0.9])
def test_the_sequence_covers_a_team_that_stops_when_it_looks_best(mean: float) -> None:
    assert coverage_when_stopped_at_its_best(confidence_sequence, mean) >= 0.95


def test_a_fixed_n_interval_fails_the_same_test() -> None:
    assert coverage_when_stopped_at_its_best(wilson_interval, 0.5) < 0.9


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.97])
def test_the_truth_is_hardly_ever_left_at_any_look(mean: float) -> None:
    rng = np.random.default_rng(11)
    counts = np.arange(1, 2001)
    totals = rng.binomial(1, mean, (2000, 2000)).cumsum(axis=1)
    wins, losses = 16 * mean, 16 * (1 - mean)
    bets = betaln(wins + totals, losses + counts - totals) - betaln(wins, losses)
    bets -= totals * np.log(mean) + (counts - totals) * np.log1p(-mean)
    ever_left = (bets >= np.log(20)).any(axis=1).mean()
    assert 0.005 < ever_left <= 0.05
    assert bets[0, 99] == pytest.approx(log_bet(mean, float(totals[0, 99]), 100))


def test_scores_between_0_and_1_are_covered_too() -> None:
    rng = np.random.default_rng(5)
    clusters = rng.beta(0.3, 0.7, (80, 400)).cumsum(axis=1)  # one mean score a cluster
    looks = range(9, 400, 10)
    held = [all(confidence_sequence(float(row[look]), look + 1).contains(0.3) for look in looks) for row in clusters]
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize(("total", "count"), [(0, 1), (1, 1), (1, 40), (0, 200), (37.5, 50), (617, 617), (0.4, 3)])
def test_the_interval_is_just_what_no_bet_has_ruled_out(total: float, count: int) -> None:
    interval = confidence_sequence(total, count)
    for mean in np.linspace(0.0005, 0.9995, 2000):
        if min(abs(mean - interval.lower), abs(mean - interval.upper)) > 1e-9:
            assert (log_bet(float(mean), total, count) < np.log(20)) == interval.contains(float(mean))


def test_right_and_wrong_mirror_each_other() -> None:
    right, wrong = confidence_sequence(30, 40), confidence_sequence(10, 40)
    assert (right.lower, right.upper) == pytest.approx((1 - wrong.upper, 1 - wrong.lower), abs=1e-9)


def test_widths_are_those_the_docstring_promises() -> None:
    assert confidence_sequence(50, 100).width == pytest.approx(0.2987, abs=2e-4)
    assert confidence_sequence(2500, 5000).width == pytest.approx(0.0486, abs=2e-4)
    assert confidence_sequence(617, 617).upper == 1.0


def test_nothing_scored_bounds_nothing_and_nonsense_is_refused() -> None:
    assert confidence_sequence(0, 0) == Interval(lower=0.0, upper=1.0, level=0.95, method="beta-binomial-sequence")
    with pytest.raises(ValueError, match="total must lie"):
        confidence_sequence(5, 4)
    with pytest.raises(ValueError, match="level must lie"):
        confidence_sequence(1, 4, 0.0)

"""Wrong decisions of a test that is looked at again and again, and how soon it decides."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tetrad.statistics.deciding import bet, look

LOOKS = range(50, 501, 50)


def first_decision(values: NDArray[np.float64], boundary: float, lowest: float) -> tuple[str, int]:
    for count in LOOKS:
        outcome, _, _ = bet(values[:count].tolist(), boundary, lowest=lowest, highest=1.0)
        if outcome != "undecided":
            return outcome, count
    return "undecided", LOOKS[-1]


def differences(rng: np.random.Generator, better: float, worse: float) -> NDArray[np.float64]:
    return rng.choice([1.0, -1.0, 0.0], LOOKS[-1], p=(better, worse, 1 - better - worse))


@pytest.mark.parametrize(("better", "worse"), [(0.0, 0.05), (0.05, 0.1), (0.2, 0.25)])
def test_a_difference_at_the_boundary_is_seldom_decided_at_any_look(better: float, worse: float) -> None:
    rng = np.random.default_rng(5)
    ends = [first_decision(differences(rng, better, worse), -0.05, -1.0)[0] for _ in range(200)]
    assert ends.count("pass") <= 0.05 * 200 + 2 * 3.1  # two standard errors of the simulation
    assert ends.count("fail") <= 0.05 * 200 + 2 * 3.1


def test_clear_cases_end_early() -> None:
    rng = np.random.default_rng(6)
    better = [first_decision(differences(rng, 0.15, 0.05), -0.05, -1.0) for _ in range(40)]
    worse = [first_decision(differences(rng, 0.05, 0.3), -0.05, -1.0) for _ in range(40)]
    assert [end for end, _ in better].count("pass") >= 38
    assert [end for end, _ in worse].count("fail") >= 38
    assert np.median([count for _, count in better]) <= 200
    assert np.median([count for _, count in worse]) <= 150


def test_scores_are_held_against_a_least_accuracy() -> None:
    rng = np.random.default_rng(7)
    good = rng.binomial(1, 0.8, 500).astype(float)
    assert first_decision(good, 0.5, 0.0) == ("pass", 50)
    assert first_decision(good, 0.99, 0.0) == ("fail", 50)
    seen = look(good[:200].tolist(), 0.5, lowest=0.0, highest=1.0)
    assert seen.interval.contains(0.8)
    assert seen.interval.lower > 0.5
    assert seen.estimate == pytest.approx(good[:200].mean())


def test_the_wealth_is_by_hand_that_of_the_stakes() -> None:
    # One value 1, boundary 0.5 of scores: stake s/0.5 gives 1 + s, and s is 0.5 on average. The mirror gives 1 - s.
    seen = look([1.0], 0.5, lowest=0.0, highest=1.0)
    assert [seen.wealth_above, seen.wealth_below] == pytest.approx([1.5, 0.5])
    assert [seen.interval.lower, seen.interval.upper] == pytest.approx([0.0, 1.0], abs=0.06)


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="boundary must lie between -1 and 1"):
        look([0.0], -1.0, lowest=-1.0, highest=1.0)
    with pytest.raises(ValueError, match="values must lie"):
        look([2.0], 0.0, lowest=-1.0, highest=1.0)

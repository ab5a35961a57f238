"""Wrong decisions at the boundary, over all outcomes of a draw; and the power that is promised."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, multinomial

from tetrad.statistics.deciding import (
    Pairs,
    Sample,
    decide_least,
    decide_paired,
    decide_unpaired,
    least_drop,
    least_unpaired_drop,
    paired_items_needed,
    pairs_of,
    sample_of,
    share_items_needed,
    unpaired_items_needed,
)
from tetrad.statistics.deciding.differences import LOWER_CORRECTION, UPPER_CORRECTION, tango_score

QUANTILE = 1.6448536269514722


def pairs(better: int, worse: int, count: int) -> Pairs:
    return pairs_of(
        [1.0] * better + [0.0] * worse + [1.0] * (count - better - worse),
        [0.0] * better + [1.0] * worse + [1.0] * (count - better - worse),
    )


def share(right: int, count: int) -> Sample:
    return sample_of([1.0] * right + [0.0] * (count - right))


@pytest.mark.parametrize("least", [0.3, 0.5, 0.77, 0.95])
@pytest.mark.parametrize("count", [10, 50, 250])
def test_a_least_accuracy_is_wrongly_decided_in_at_most_5_percent(least: float, count: int) -> None:
    passes = fails = 0.0
    for right in range(count + 1):
        chance = float(binom.pmf(right, count, least))
        outcome = decide_least(share(right, count), least).outcome
        passes, fails = passes + chance * (outcome == "pass"), fails + chance * (outcome == "fail")
    assert passes <= 0.05
    assert fails <= 0.05
    assert passes + fails > 0.01


def decided(count: int, margin: float) -> NDArray[np.int8]:
    """Return 1 for pass, -1 for fail, by the items that the candidate and the baseline alone have right."""
    table = np.zeros((count + 1, count + 1), dtype=np.int8)
    for worse in range(count + 1):
        for better in range(count + 1 - worse):
            passes = tango_score(better, worse, count, -margin, -LOWER_CORRECTION) >= QUANTILE
            fails = tango_score(better, worse, count, -margin, UPPER_CORRECTION) < -QUANTILE
            table[better, worse] = int(passes) - int(fails)
    return table


def chances(count: int, better: float, worse: float) -> NDArray[np.float64]:
    first, second = np.indices((count + 1, count + 1))
    seen = np.stack([first, second, count - first - second], axis=-1)
    return np.where(
        seen[..., 2] >= 0, multinomial.pmf(np.maximum(seen, 0), count, (better, worse, 1 - better - worse)), 0
    )


def test_the_table_of_decisions_is_what_the_gate_decides() -> None:
    table = decided(40, 0.1)
    for better, worse in ((0, 0), (0, 1), (2, 3), (1, 9), (0, 12), (9, 2)):
        outcome = decide_paired(pairs(better, worse, 40), 0.1).outcome
        assert {1: "pass", -1: "fail", 0: "undecided"}[int(table[better, worse])] == outcome


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("count", [50, 100])
def test_a_paired_drop_is_wrongly_decided_in_at_most_5_percent(count: int, margin: float) -> None:
    table = decided(count, margin)
    for better in (0.0, 0.002, 0.01, 0.02, 0.05, 0.1, 0.3):
        weight = chances(count, better, better + margin)
        assert weight[table == 1].sum() <= 0.05
        assert weight[table == -1].sum() <= 0.05


def test_without_corrections_a_paired_drop_would_be_wrongly_decided_too_often() -> None:
    count, margin = 100, 0.1
    weight = chances(count, 0.0, margin)
    scores = np.array([tango_score(0, worse, count, -margin) for worse in range(count + 1)])
    assert weight[0][scores >= QUANTILE].sum() > 0.05
    assert weight[0][scores < -QUANTILE].sum() > 0.07


@pytest.mark.parametrize(("count", "of_baseline"), [(40, 40), (30, 80)])
@pytest.mark.parametrize("baseline", [0.25, 0.6, 0.99])
def test_an_unpaired_drop_is_wrongly_decided_in_at_most_5_percent(
    count: int, of_baseline: int, baseline: float
) -> None:
    margin = 0.1
    passes = fails = 0.0
    for known in range(of_baseline + 1):
        seen = float(binom.pmf(known, of_baseline, baseline))
        if seen < 1e-6:
            continue
        for right in range(count + 1):
            chance = seen * float(binom.pmf(right, count, baseline - margin))
            if chance > 1e-9:
                outcome = decide_unpaired(share(right, count), share(known, of_baseline), margin).outcome
                passes, fails = passes + chance * (outcome == "pass"), fails + chance * (outcome == "fail")
    assert passes <= 0.05
    assert fails <= 0.05


@pytest.mark.parametrize(("discordance", "margin"), [(0.05, 0.1), (0.1, 0.1), (0.1, 0.15), (0.2, 0.2)])
def test_the_items_that_are_said_to_be_needed_decide_four_times_in_five(discordance: float, margin: float) -> None:
    count = paired_items_needed(margin, discordance)
    assert count is not None
    weight = chances(count, discordance / 2, discordance / 2)
    assert 0.75 <= weight[decided(count, margin) == 1].sum() <= 0.9
    assert least_drop(count, discordance) <= margin < least_drop(count - 1, discordance)


def test_the_items_that_are_needed_for_a_fail_decide_four_times_in_five() -> None:
    count = paired_items_needed(0.05, 0.3, -0.2)
    assert count is not None
    weight = chances(count, 0.05, 0.25)
    assert 0.75 <= weight[decided(count, 0.05) == -1].sum() <= 0.9


@pytest.mark.parametrize(("truth", "least"), [(0.8, 0.7), (0.5, 0.7), (0.97, 0.9)])
def test_the_items_that_a_least_accuracy_needs_decide_four_times_in_five(truth: float, least: float) -> None:
    count = share_items_needed(share(round(1000 * truth), 1000), least)
    assert count is not None
    wanted = "pass" if truth > least else "fail"
    power = sum(
        float(binom.pmf(right, count, truth))
        for right in range(count + 1)
        if decide_least(share(right, count), least).outcome == wanted
    )
    assert 0.77 <= power <= 0.9


def test_the_least_drop_of_two_draws_is_passed_four_times_in_five() -> None:
    margin, power = least_unpaired_drop(60, 60), 0.0
    for known in range(12, 49):
        for right in range(12, 49):
            if decide_unpaired(share(right, 60), share(known, 60), margin).outcome == "pass":
                power += float(binom.pmf(known, 60, 0.5) * binom.pmf(right, 60, 0.5))
    assert 0.77 <= power <= 0.87


def test_could_not_tell_says_how_many_items_would() -> None:
    decision = decide_paired(pairs(11, 12, 100), 0.05)
    assert decision.outcome == "undecided"
    assert (decision.items, decision.boundary) == (100, -0.05)
    assert decision.estimate == pytest.approx(-0.01)
    assert decision.discordance == pytest.approx(0.23)
    assert decision.needed is not None
    assert decision.needed_if_equal is not None
    assert decision.needed > decision.needed_if_equal > 250
    assert decide_paired(pairs(5, 10, 100), 0.05).needed is None  # the estimate lies at the boundary
    assert decide_paired(pairs(0, 0, 250), 0.05).needed is None  # it passes


def test_a_stored_baseline_with_few_items_can_make_a_decision_impossible() -> None:
    decision = decide_unpaired(share(30, 50), share(30, 50), 0.02)
    assert (decision.outcome, decision.needed) == ("undecided", None)
    needed = decide_unpaired(share(120, 200), share(6000, 10_000), 0.05).needed
    assert needed == pytest.approx(2.4865**2 * 0.24 / 0.05**2, rel=0.1)
    assert unpaired_items_needed(0.05, 0.24, 0.05 / 2.4) is None


def test_no_number_of_items_tells_a_truth_at_the_boundary() -> None:
    assert paired_items_needed(0.05, 0.1, -0.05) is None
    assert paired_items_needed(1e-6, 0.25) is None
    assert least_drop(1, 0.25) > 0.9
    assert least_drop(200, 0.1) < least_drop(100, 0.1) < least_drop(100, 0.2)

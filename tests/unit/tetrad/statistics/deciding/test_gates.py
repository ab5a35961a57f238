"""Wrong decisions at the boundary, over all outcomes of a draw; and the power that is promised."""

import pytest
from scipy.stats import binom

from tests.gate_proof import least_errors, paired_chances, pairs, share, unpaired_chances
from tetrad.statistics.deciding import (
    decide_least,
    decide_paired,
    decide_unpaired,
    least_drop,
    least_unpaired_drop,
    paired_items_needed,
    share_items_needed,
    unpaired_items_needed,
)


@pytest.mark.parametrize("least", [0.3, 0.5, 0.77, 0.95])
@pytest.mark.parametrize("count", [10, 50, 250])
def test_a_least_accuracy_is_wrongly_decided_in_at_most_5_percent(least: float, count: int) -> None:
    passes, fails = least_errors(count, least)
    assert passes <= 0.05
    assert fails <= 0.05
    assert passes + fails > 0.01


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("count", [50, 100])
def test_a_paired_drop_is_wrongly_decided_in_at_most_5_percent(count: int, margin: float) -> None:
    for better in (0.0, 0.002, 0.01, 0.02, 0.05, 0.1, 0.3):
        assert max(paired_chances(count, margin, better, better + margin)) <= 0.05


@pytest.mark.parametrize(("count", "of_baseline"), [(40, 40), (30, 80)])
@pytest.mark.parametrize("baseline", [0.25, 0.6, 0.99])
def test_an_unpaired_drop_is_wrongly_decided_in_at_most_5_percent(
    count: int, of_baseline: int, baseline: float
) -> None:
    assert max(unpaired_chances(count, of_baseline, 0.1, (baseline - 0.1, baseline))) <= 0.05


@pytest.mark.parametrize(("discordance", "margin"), [(0.05, 0.1), (0.1, 0.1), (0.1, 0.15), (0.2, 0.2)])
def test_the_items_that_are_said_to_be_needed_decide_four_times_in_five(discordance: float, margin: float) -> None:
    count = paired_items_needed(margin, discordance)
    assert count is not None
    assert 0.75 <= paired_chances(count, margin, discordance / 2, discordance / 2)[0] <= 0.9
    assert least_drop(count, discordance) <= margin < least_drop(count - 1, discordance)


def test_the_items_that_are_needed_for_a_fail_decide_four_times_in_five() -> None:
    count = paired_items_needed(0.05, 0.3, -0.2)
    assert count is not None
    assert 0.75 <= paired_chances(count, 0.05, 0.05, 0.25)[1] <= 0.9


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
    assert 0.77 <= unpaired_chances(60, 60, least_unpaired_drop(60, 60), (0.5, 0.5))[0] <= 0.87


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

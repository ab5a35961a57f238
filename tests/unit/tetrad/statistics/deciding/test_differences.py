"""Exact sizes by going through all outcomes, and SciPy and statsmodels as oracles that the product doesn't import."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import ttest_ind, ttest_rel
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from tetrad.statistics.deciding import (
    exact_interval,
    holm,
    mcnemar,
    paired_interval,
    paired_p_value,
    pairs_of,
    sample_interval,
    sample_of,
    unpaired_interval,
    unpaired_p_value,
)
from tetrad.statistics.deciding.differences import tango_score


def scores(right: int, count: int) -> list[float]:
    return [1.0] * right + [0.0] * (count - right)


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (3, 3), (1, 7), (12, 5), (0, 6), (40, 61)])
def test_mcnemar_agrees_with_statsmodels(better: int, worse: int) -> None:
    expected = their_mcnemar([[50, better], [worse, 50]], exact=True).pvalue
    assert mcnemar(better, worse) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("successes", "count"), [(0, 10), (9, 10), (10, 10), (309, 617), (1, 1)])
@pytest.mark.parametrize("level", [0.8, 0.9, 0.99])
def test_the_exact_interval_agrees_with_statsmodels(successes: int, count: int, level: float) -> None:
    interval = exact_interval(successes, count, level)
    expected = proportion_confint(successes, count, 1 - level, method="beta")
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-9)
    assert sample_interval(sample_of(scores(successes, count)), level) == interval


@pytest.mark.parametrize(("one", "of_one", "other", "of_other"), [(8, 10, 3, 12), (150, 250, 160, 250), (0, 20, 4, 30)])
def test_the_unpaired_interval_is_that_of_statsmodels_but_for_the_correction(
    one: int, of_one: int, other: int, of_other: int
) -> None:
    ours = unpaired_interval(sample_of(scores(one, of_one)), sample_of(scores(other, of_other)), 0.9)
    theirs = confint_proportions_2indep(one, of_one, other, of_other, method="newcomb", compare="diff", alpha=0.1)
    correction = 1 / of_one + 1 / of_other  # twice half an item of each
    assert theirs[0] - correction < ours.lower < theirs[0]
    assert theirs[1] < ours.upper < theirs[1] + correction


@pytest.mark.parametrize(("better", "worse", "count"), [(4, 9, 40), (0, 3, 50), (30, 11, 250)])
@pytest.mark.parametrize("null", [-0.1, -0.02, 0.05])
def test_tangos_score_has_the_standard_error_of_the_likeliest_shares(
    better: int, worse: int, count: int, null: float
) -> None:
    def unlikelihood(other: float) -> float:
        shares = (other + null, other, 1 - 2 * other - null)
        seen = (better, worse, count - better - worse)
        return -sum(many * math.log(share) for many, share in zip(seen, shares, strict=True) if many)

    edge = 1e-9
    found = minimize_scalar(
        unlikelihood, bounds=(max(0, -null) + edge, (1 - null) / 2 - edge), method="bounded", options={"xatol": 1e-10}
    )
    variance = count * (2 * found.x + null - null**2)
    expected = (better - worse - count * null) / math.sqrt(variance)
    assert tango_score(better, worse, count, null) == pytest.approx(expected, rel=1e-4)


def test_the_paired_bounds_are_where_the_corrected_score_is_the_quantile() -> None:
    candidate, baseline = [1.0] * 7 + [0.0] * 12 + [1.0] * 81, [0.0] * 7 + [1.0] * 12 + [1.0] * 81
    pairs = pairs_of(candidate, baseline)
    assert (pairs.candidate_only, pairs.baseline_only) == (7, 12)
    assert pairs.discordance == pytest.approx(0.19)
    interval = paired_interval(pairs, 0.9)
    assert tango_score(7, 12, 100, interval.lower, -0.5) == pytest.approx(1.6448536, abs=1e-6)
    assert tango_score(7, 12, 100, interval.upper, 1.0) == pytest.approx(-1.6448536, abs=1e-6)
    assert interval.lower < -0.05 < interval.upper


def test_two_models_that_answer_alike_differ_by_little_and_not_by_nothing() -> None:
    interval = paired_interval(pairs_of([1.0] * 250, [1.0] * 250), 0.9)
    assert -0.03 < interval.lower < -0.005
    assert 0.005 < interval.upper < 0.03
    assert paired_interval(pairs_of([1.0] * 30, [0.0] * 30), 0.9).lower > 0.8


def test_other_scores_are_compared_by_t() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.choice([0, 1 / 3, 2 / 3, 1], 90), rng.choice([0, 1 / 3, 2 / 3, 1], 90)
    pairs = pairs_of(one.tolist(), other.tolist())
    assert pairs.candidate_only is None
    fit = OLS(one - other, np.ones(90)).fit(cov_type="cluster", cov_kwds={"groups": np.arange(90)}, use_t=True)
    interval = paired_interval(pairs, 0.95)
    assert (interval.lower, interval.upper) == pytest.approx(tuple(fit.conf_int()[0]), abs=1e-9)
    assert paired_p_value(pairs) == pytest.approx(ttest_rel(one, other).pvalue, rel=1e-8)
    samples = sample_of(one.tolist()), sample_of(other.tolist())
    assert unpaired_p_value(*samples) == pytest.approx(ttest_ind(one, other, equal_var=False).pvalue, rel=1e-8)
    assert unpaired_interval(*samples).method == "newcombe-by-item"


def test_holm_agrees_with_statsmodels() -> None:
    given = [0.01, 0.2, 0.01, 0.9, 0.04, 0.0]
    assert holm(given) == pytest.approx(multipletests(given, method="holm")[1])
    assert holm([]) == []


def test_what_is_out_of_range_is_refused() -> None:
    for call in (
        lambda: pairs_of([1.0], [1.0, 0.0]),
        lambda: pairs_of([], []),
        lambda: pairs_of([1.5], [0.0]),
        lambda: sample_of([]),
        lambda: sample_of([math.nan]),
        lambda: exact_interval(3, 2),
        lambda: holm([1.2]),
    ):
        with pytest.raises(ValueError, match=r"must|lie|no scores"):
            call()

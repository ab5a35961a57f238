import math

import pytest
from scipy.special import betainc, betaincinv, ndtri, stdtrit
from scipy.stats import t as student

from tetrad.statistics.deciding.quantiles import (
    beta_quantile,
    normal_quantile,
    regularized_beta,
    student_quantile,
    student_tail,
)

PARAMETERS = [(0.5, 0.5), (1, 1), (3, 250), (250.5, 0.5), (12_000, 8_000), (1, 100_000), (500_000, 500_000)]


@pytest.mark.parametrize(("first", "second"), PARAMETERS)
@pytest.mark.parametrize("probability", [1e-9, 0.05, 0.5, 0.9, 0.975])
def test_the_beta_distribution_agrees_with_scipy(first: float, second: float, probability: float) -> None:
    value = float(betaincinv(first, second, probability))
    assert beta_quantile(probability, first, second) == pytest.approx(value, rel=1e-8, abs=1e-14)
    expected = float(betainc(first, second, value))
    assert regularized_beta(value, first, second) == pytest.approx(expected, rel=2e-9)


def test_the_ends_of_the_beta_distribution_are_exact() -> None:
    assert (regularized_beta(0, 2, 3), regularized_beta(1, 2, 3)) == (0.0, 1.0)
    assert (beta_quantile(0, 2, 3), beta_quantile(1, 2, 3)) == (0.0, 1.0)


@pytest.mark.parametrize("degrees", [1, 2, 7, 49, 249, 100_000])
@pytest.mark.parametrize("probability", [0.01, 0.5, 0.8, 0.95, 0.975, 0.9999])
def test_student_agrees_with_scipy(degrees: int, probability: float) -> None:
    value = float(stdtrit(degrees, probability))
    assert student_quantile(probability, degrees) == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert student_tail(value, degrees) == pytest.approx(2 * student.sf(abs(value), degrees), rel=1e-8)


def test_the_normal_quantile_agrees_with_scipy() -> None:
    for probability in (1e-6, 0.05, 0.5, 0.8, 0.999):
        assert normal_quantile(probability) == pytest.approx(float(ndtri(probability)), abs=1e-13)


def test_parameters_beyond_all_draws_are_an_error_and_no_wrong_number() -> None:
    with pytest.raises(ArithmeticError, match="more than"):
        regularized_beta(0.5, 1e16, 1e16)
    assert math.isfinite(regularized_beta(0.5, 1e7, 1e7))

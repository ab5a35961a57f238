"""Compute quantiles and tails of the normal, t and beta distributions with Python's own library.

A team's own machine has no SciPy: `tetrad` needs none. Tests compare each function with SciPy's.
"""

import math
from statistics import NormalDist

__all__ = ["beta_quantile", "normal_quantile", "regularized_beta", "student_quantile", "student_tail"]

_STANDARD = NormalDist()
_TINY = 1e-300  # in place of a zero in the continued fraction
_RELATIVE = 1e-15
_MOST_TERMS = 20_000  # about the square root of the largest parameter is needed
_HALVINGS = 200


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal variable stays below with this probability, which lies in (0, 1)."""
    return _STANDARD.inv_cdf(probability)


def student_quantile(probability: float, degrees: float) -> float:
    """Return the value that Student's t stays below with this probability, which lies in (0, 1)."""
    if probability < 0.5:  # noqa: PLR2004 -- the median: t is symmetric
        return -student_quantile(1 - probability, degrees)
    share = beta_quantile(2 * probability - 1, 0.5, degrees / 2)
    return math.sqrt(degrees * share / (1 - share)) if share < 1 else math.inf


def student_tail(value: float, degrees: float) -> float:
    """Return the probability that Student's t is as far from 0 as `value`, or farther: the two-sided p-value."""
    return regularized_beta(degrees / (degrees + value**2), degrees / 2, 0.5)


def beta_quantile(probability: float, first: float, second: float) -> float:
    """Return the value that a beta variable stays below with this probability."""
    if probability <= 0:
        return 0.0
    if probability >= 1:
        return 1.0
    below, above = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        if middle in {below, above}:
            break
        below, above = (middle, above) if regularized_beta(middle, first, second) < probability else (below, middle)
    return above


def regularized_beta(value: float, first: float, second: float) -> float:
    """Return the probability that a beta variable of these parameters stays below `value`.

    Source: Digital Library of Mathematical Functions, continued fraction 8.17.22; evaluated by Lentz's method.

    Raises:
        ArithmeticError: it does not converge, which takes parameters beyond 100 million.
    """
    if value <= 0:
        return 0.0
    if value >= 1:
        return 1.0
    if value > (first + 1) / (first + second + 2):
        return 1.0 - regularized_beta(1.0 - value, second, first)
    scale = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    front = math.exp(scale + first * math.log(value) + second * math.log1p(-value)) / first
    return front * _fraction(value, first, second)


def _fraction(value: float, first: float, second: float) -> float:
    above, below = 1.0, 1.0 / _apart(1.0 - (first + second) * value / (first + 1))
    result = below
    for term in range(1, _MOST_TERMS):
        even = term * (second - term) * value / ((first + 2 * term - 1) * (first + 2 * term))
        below, above = 1.0 / _apart(1.0 + even * below), _apart(1.0 + even / above)
        result *= below * above
        odd = -(first + term) * (first + second + term) * value / ((first + 2 * term) * (first + 2 * term + 1))
        below, above = 1.0 / _apart(1.0 + odd * below), _apart(1.0 + odd / above)
        result *= below * above
        if abs(below * above - 1.0) < _RELATIVE:
            return result
    raise ArithmeticError(f"the beta distribution of {first:g} and {second:g} takes more than {_MOST_TERMS} terms")


def _apart(number: float) -> float:
    return number if abs(number) > _TINY else _TINY

"""Makes one reported number from the means of clusters, with unit and range, standard error and interval."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from scoring_service.metrics.chance import UNKNOWN, Levels
from tetrad.contracts import reports
from tetrad.contracts.reports import IntervalValue, MetricValue
from tetrad.contracts.wire import Facets
from tetrad.statistics.mean_interval import Scores, clustered_interval, difference_interval, mean_interval


class Scale(NamedTuple):
    """A unit and the range of its values; None is no bound."""

    unit: str
    lowest: float | None
    highest: float | None


SHARE = Scale(reports.SHARE, 0.0, 1.0)
DIFFERENCE = Scale(reports.DIFFERENCE, -1.0, 1.0)
FLAG = Scale(reports.COUNT, 0.0, 1.0)
"""1 if a test is positive, otherwise 0."""
WEIGHT = Scale(reports.WEIGHT, None, None)
COEFFICIENT = Scale(reports.COEFFICIENT, -1.0, 1.0)


class ValueOutOfRangeError(ValueError):
    """A metric has computed a number that is impossible in its unit."""


def check_range(name: str, facets: Facets, number: float, scale: Scale) -> None:
    """Check that the number is finite and within the range.

    Raises:
        ValueOutOfRangeError: it is not; the message names metric, group and number.
    """
    low = -math.inf if scale.lowest is None else scale.lowest
    high = math.inf if scale.highest is None else scale.highest
    if not (low <= number <= high and math.isfinite(number)):
        group = "".join(f", {facet} {value}" for facet, value in facets.items())
        raise ValueOutOfRangeError(
            f"metric {name!r}{group}: {number!r} is not a {scale.unit} in {low:g}..{high:g}; correct the metric's kind"
        )


def metric_value(
    name: str,
    facets: Facets,
    means: Scores,
    *,
    questions: int,
    independent: bool,
    chance: Levels = UNKNOWN,
    scale: Scale = SHARE,
) -> MetricValue:
    """Return the mean over clusters.

    Args:
        name: of the metric.
        facets: the group's; none for the overall value.
        means: one number in the scale's range for each cluster.
        questions: how many questions went into the means.
        independent: each cluster is one question, so that Wilson's interval holds.
        chance: the score of guessing on these questions.
        scale: unit and range; a difference's interval is by t, of paired differences.

    Raises:
        ValueOutOfRangeError: a mean is out of the range.
    """
    scores = np.asarray(means, np.float64)
    values, counts = np.unique(scores, return_counts=True)
    counted = list(zip(values.tolist(), counts.tolist(), strict=True))  # few: shares of a few questions
    for mean, _ in counted:
        check_range(name, facets, mean, scale)
    total, items = sum_exactly(counted), len(scores)
    return MetricValue(
        name=name,
        facets=facets,
        value=total / items if items else None,
        interval=_interval(scores, scale, independent=independent) if items else None,
        standard_error=_standard_error(counted, total / items, items) if items > 1 else None,
        items=items,
        questions=questions,
        total=total,
        uniform_chance=chance.uniform,
        stated_chance=chance.stated,
        unit=scale.unit,
        lowest=scale.lowest,
        highest=scale.highest,
    )


def value_without_interval(
    name: str, facets: Facets, value: float | None, scale: Scale, *, items: int, questions: int, total: float
) -> MetricValue:
    """Return a value that is not a mean over clusters.

    Raises:
        ValueOutOfRangeError: it is out of the range.
    """
    if value is not None:
        check_range(name, facets, value, scale)
    return MetricValue(
        name=name,
        facets=facets,
        value=value,
        interval=None,
        standard_error=None,
        items=items,
        questions=questions,
        total=total,
        unit=scale.unit,
        lowest=scale.lowest,
        highest=scale.highest,
    )


def sum_exactly(counted: Iterable[tuple[float, int]]) -> float:
    """Return the sum of the numbers, each as often as it is counted, rounded once: what `math.fsum` returns."""
    ratios = [(*number.as_integer_ratio(), count) for number, count in counted]
    unit = max([below for _, below, _ in ratios], default=1)  # each is a power of two
    return sum([above * (unit // below) * count for above, below, count in ratios]) / unit


def _standard_error(counted: Iterable[tuple[float, int]], mean: float, count: int) -> float:
    """Return the standard error of the mean (n - 1) of `count` numbers; one number alone has no spread."""
    squares = [((number - mean) ** 2, times) for number, times in counted]
    return math.sqrt(sum_exactly(squares) / (count - 1) / count)


def _interval(means: Scores, scale: Scale, *, independent: bool) -> IntervalValue:
    bound = mean_interval if independent else clustered_interval
    if scale is DIFFERENCE:
        bound = difference_interval
    found = bound(means, range(len(means)))
    return IntervalValue(lower=found.lower, upper=found.upper, level=found.level, method=found.method)

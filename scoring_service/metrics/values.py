"""From the means of clusters to one reported number, with its standard error and interval."""

import math
from collections.abc import Sequence

from scoring_service.metrics.chance import UNKNOWN, Levels
from tetrad.contracts.reports import IntervalValue, MetricValue
from tetrad.contracts.wire import Facets
from tetrad.statistics import clustered_interval, mean_interval


def metric_value(
    name: str,
    facets: Facets,
    means: Sequence[float],
    *,
    questions: int,
    independent: bool,
    chance: Levels = UNKNOWN,
) -> MetricValue:
    """Return the mean over clusters.

    Args:
        name: of the metric.
        facets: the group's; none for the overall value.
        means: one score in [0, 1] for each cluster.
        questions: how many questions went into the means.
        independent: each cluster is one question, so that Wilson's interval holds.
        chance: what guessing scores on these questions.
    """
    total = math.fsum(means)
    return MetricValue(
        name=name,
        facets=facets,
        value=total / len(means) if means else None,
        interval=_interval(means, independent=independent),
        standard_error=standard_error(means),
        items=len(means),
        questions=questions,
        total=total,
        uniform_chance=chance.uniform,
        stated_chance=chance.stated,
    )


def standard_error(means: Sequence[float]) -> float | None:
    """Return the standard error of the mean of the cluster means (n - 1), or None for fewer than two."""
    count = len(means)
    if count < 2:  # noqa: PLR2004 - one cluster has no spread
        return None
    mean = math.fsum(means) / count
    squares = {value: (value - mean) ** 2 for value in set(means)}  # few: shares of a few questions
    return math.sqrt(math.fsum(map(squares.__getitem__, means)) / (count - 1) / count)


def _interval(means: Sequence[float], *, independent: bool) -> IntervalValue | None:
    if not means:
        return None
    bound = mean_interval if independent else clustered_interval
    found = bound(means, range(len(means)))
    return IntervalValue(lower=found.lower, upper=found.upper, level=found.level, method=found.method)

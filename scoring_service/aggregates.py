"""Reduces a report on a fixed corpus to what may be shown: rounded numbers of groups, nothing of single items.

The items of a corpus are used again and again, so every exact number would help to find an answer key. Groups of fewer
than ten items are left out; this holds for mistakes, too. Shares and differences are whole percents, weights have one
digit, counts are tens. The cap on submissions bounds what these numbers still reveal.
"""

from msgspec.structs import replace

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import COEFFICIENT, COUNT, DIFFERENCE, SHARE, WEIGHT, IntervalValue, MetricValue, Report

LEAST_ITEMS = 10
DIGITS = {SHARE: 2, DIFFERENCE: 2, COEFFICIENT: 2, WEIGHT: 1, COUNT: -1}


def aggregated(report: Report, card: Card) -> Report:
    """Return the report as it may be shown: unchanged, or for a corpus its aggregates only."""
    if card.corpus is None:
        return report
    return replace(
        report,
        headline=_rounded(report.headline),
        metrics=[_rounded(value) for value in report.metrics if not value.facets or value.items >= LEAST_ITEMS],
        questions=[],
        aggregates_only=True,
    )


def _rounded(value: MetricValue) -> MetricValue:
    """Round by unit, and the total to what the rounded mean gives; withhold values of few items.

    The total of a weight is withheld, because a weight is not a mean.
    """
    if value.value is None or value.items < LEAST_ITEMS:
        return replace(value, value=None, interval=None, standard_error=None, total=0.0)
    digits = DIGITS[value.unit]
    mean = round(value.value, digits)
    return replace(
        value,
        value=mean,
        interval=None if value.interval is None else _rounded_interval(value.interval, digits),
        standard_error=None if value.standard_error is None else round(value.standard_error, digits),
        total=0.0 if value.unit == WEIGHT else round(mean * value.items, digits),
    )


def _rounded_interval(interval: IntervalValue, digits: int) -> IntervalValue:
    return replace(interval, lower=round(interval.lower, digits), upper=round(interval.upper, digits))

"""Reduces a report on a fixed corpus to what may be shown: numbers of groups, nothing of single items.

The items of a corpus are used again and again, so every exact number would help to find an answer key. Groups of fewer
than ten items are left out; this holds for mistakes, too. Shares and differences are whole percents, weights have one
digit, counts are tens. The cap on submissions bounds what these numbers still reveal.
Where everybody can have the labels, numbers are exact: they reveal nothing, and papers give two digits.
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
    told = replace(report, questions=[], aggregates_only=True)
    if card.corpus.labels_public:
        return told
    metrics = [_rounded(value) for value in report.metrics if not value.facets or _units(value) >= LEAST_ITEMS]
    return replace(told, headline=_rounded(report.headline), metrics=metrics)


def _is_flag(value: MetricValue) -> bool:
    """Return whether the value is a yes or no about all answers of a group, such as the mark of position bias."""
    return (value.unit, value.lowest, value.highest) == (COUNT, 0.0, 1.0)


def _units(value: MetricValue) -> int:
    """Return the number of items that a value tells of; of a flag, the answers that it is about."""
    return value.questions if _is_flag(value) else value.items


def _rounded(value: MetricValue) -> MetricValue:
    """Round by unit, and the total to what the rounded mean gives; withhold values of few items.

    The total of a weight is withheld, because a weight is not a mean.
    """
    if value.value is None or _units(value) < LEAST_ITEMS:
        return replace(value, value=None, interval=None, standard_error=None, total=0.0)
    if _is_flag(value):
        return value
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

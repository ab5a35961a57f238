"""What a report on a fixed corpus may say: rounded numbers of groups, nothing of any one item.

Its items are asked again and again, so that every exact number would help to find out a key. Groups of fewer than
ten items are left out, mistakes among them. Shares and differences are whole percents, weights have one digit, counts
are tens. Of what remains, the cap on submissions bounds the rest.
"""

from msgspec.structs import replace

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import COEFFICIENT, COUNT, DIFFERENCE, SHARE, WEIGHT, IntervalValue, MetricValue, Report

LEAST_ITEMS = 10
DIGITS = {SHARE: 2, DIFFERENCE: 2, COEFFICIENT: 2, WEIGHT: 1, COUNT: -1}


def aggregated(report: Report, card: Card) -> Report:
    """Return the report as it may be told: as it is, or for a corpus its aggregates only."""
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

    The total of a weight is no mean's: it is withheld.
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

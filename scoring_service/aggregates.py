"""What a report on a fixed corpus may say: rounded numbers of groups, nothing of any one item.

Its items are asked again and again, so that every exact number would help to find out a key. Groups of fewer than
ten items are left out, and shares are whole percents: of what remains, the cap on submissions bounds the rest.
"""

from msgspec.structs import replace

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import IntervalValue, MetricValue, Report

LEAST_ITEMS = 10
DIGITS = 2


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
    """Round shares to whole percents, and the total to what the rounded share gives; withhold those of few items."""
    if value.value is None or value.items < LEAST_ITEMS:
        return replace(value, value=None, interval=None, standard_error=None, total=0.0)
    share = round(value.value, DIGITS)
    return replace(
        value,
        value=share,
        interval=None if value.interval is None else _rounded_interval(value.interval),
        standard_error=None if value.standard_error is None else round(value.standard_error, DIGITS),
        total=round(share * value.items, DIGITS),
    )


def _rounded_interval(interval: IntervalValue) -> IntervalValue:
    return replace(interval, lower=round(interval.lower, DIGITS), upper=round(interval.upper, DIGITS))

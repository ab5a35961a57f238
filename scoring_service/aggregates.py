"""Reduces a report on a fixed corpus to what may be shown: numbers of groups, nothing of single items.

The items of a corpus are used again and again, so every exact number would help to find an answer key. Groups of fewer
than ten items are left out; this holds for mistakes, too. Shares and differences are whole percents, weights have one
digit, counts are tens. The cap on submissions bounds what these numbers still reveal.
Where everybody can have the labels, numbers are exact: they reveal nothing, and papers give two digits. Then the
headline's score of each published item is given, too, so that two models can be compared item by item. Elsewhere a
second submission that differs in one answer would learn from such a comparison whether that answer is right.
"""

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from scoring_service.metrics.scored_questions import ScoredQuestion
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.reports import COEFFICIENT, COUNT, DIFFERENCE, SHARE, WEIGHT, IntervalValue, MetricValue, Report
from tetrad.reporting.item_scores import adds_up, headline_accuracy, is_selected

LEAST_ITEMS = 10
DIGITS = {SHARE: 2, DIFFERENCE: 2, COEFFICIENT: 2, WEIGHT: 1, COUNT: -1}


def aggregate(report: Report, card: Card) -> Report:
    """Return the report as it may be shown: unchanged, or for a corpus its aggregates only."""
    if card.corpus is None:
        return report
    public = replace(report, questions=[], aggregates_only=True)
    if card.corpus.labels_public:
        return public
    metrics = [
        _round_value(value) for value in report.metrics if not value.facets or _count_units(value) >= LEAST_ITEMS
    ]
    return replace(public, headline=_round_value(report.headline), metrics=metrics)


def published_scores(scored: Sequence[ScoredQuestion], card: Card, headline: MetricValue) -> dict[str, float]:
    """Return the headline's score of each published item, or of items that share a picture, by its name.

    Empty where the labels are not public, and where the headline is no plain accuracy of items.
    """
    metric = headline_accuracy(card)
    if card.corpus is None or not card.corpus.labels_public or metric is None:
        return {}
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for question in scored:
        if is_selected(question.facets, metric.where):
            verdicts[question.cluster].append(
                question.outcome.get(metric.rule) == "correct" if metric.rule else question.correct
            )
    found = {name: sum(each) / len(each) for name, each in verdicts.items()}
    return found if adds_up(found.values(), headline) else {}


def _is_flag(value: MetricValue) -> bool:
    """Return whether the value is a yes or no about all answers of a group, such as the mark of position bias."""
    return (value.unit, value.lowest, value.highest) == (COUNT, 0.0, 1.0)


def _count_units(value: MetricValue) -> int:
    """Return the number of items that a value tells of; of a flag, the answers that it is about."""
    return value.questions if _is_flag(value) else value.items


def _round_value(value: MetricValue) -> MetricValue:
    """Round by unit, and the total to what the rounded mean gives; withhold values of few items.

    The total of a weight is withheld, because a weight is not a mean.
    """
    if value.value is None or _count_units(value) < LEAST_ITEMS:
        return replace(value, value=None, interval=None, standard_error=None, total=0.0)
    if _is_flag(value):
        return value
    digits = DIGITS[value.unit]
    mean = round(value.value, digits)
    return replace(
        value,
        value=mean,
        interval=None if value.interval is None else _round_interval(value.interval, digits),
        standard_error=None if value.standard_error is None else round(value.standard_error, digits),
        total=0.0 if value.unit == WEIGHT else round(mean * value.items, digits),
    )


def _round_interval(interval: IntervalValue, digits: int) -> IntervalValue:
    return replace(interval, lower=round(interval.lower, digits), upper=round(interval.upper, digits))

"""Accuracy after a right or a wrong earlier step: the selected questions of the items that took that way."""

from collections.abc import Sequence

from scoring_service.metrics.accuracy import accuracy_of
from scoring_service.metrics.marks import Mark, by_item, grouped, selected
from tetrad.contracts.benchmarks import ConditionalAccuracy
from tetrad.contracts.reports import MetricValue


def conditional(metric: ConditionalAccuracy, marks: Sequence[Mark]) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`.

    An item counts if it was asked a `given` question, and all of those it was asked are right (or, with
    `given_correct` false, not all). Unread and missing are not right.
    """
    asked = by_item(selected(marks, metric.given))
    taken = {item for item, given in asked.items() if all(mark.correct for mark in given) is metric.given_correct}
    chosen = [mark for mark in selected(marks, metric.where) if mark.item in taken]
    return [accuracy_of(metric.name, group) for group in grouped(chosen, metric.by)]

"""Accuracy after a right or a wrong earlier step: the selected questions of the items that took that way."""

from collections.abc import Iterator, Sequence

from scoring_service.metrics.accuracy import accuracy_of
from scoring_service.metrics.marks import Mark, grouped, selected
from scoring_service.metrics.selection import of_each
from tetrad.contracts.metrics import ConditionalAccuracy
from tetrad.contracts.reports import MetricValue

Way = tuple[int, tuple[str, ...]]
"""What the given and the selected questions share: the item, and the values of `within`."""


def conditional(metric: ConditionalAccuracy, marks: Sequence[Mark]) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`.

    An item (or, with `within`, a repeat of it) counts if it was asked a `given` question, and all of those it was
    asked are right (or, with `given_correct` false, not all). Unread and missing are not right.
    """
    asked: dict[Way, list[Mark]] = {}
    for mark, way in _ways(selected(marks, metric.given), metric.within):
        asked.setdefault(way, []).append(mark)
    taken = {way for way, given in asked.items() if all(mark.correct for mark in given) is metric.given_correct}
    chosen = [mark for mark, way in _ways(selected(marks, metric.where), metric.within) if way in taken]
    return [accuracy_of(metric.name, group) for group in grouped(chosen, metric.by)]


def _ways(marks: Sequence[Mark], within: Sequence[str]) -> Iterator[tuple[Mark, Way]]:
    every = of_each([mark.facets for mark in marks], lambda facets: tuple(facets.get(name, "") for name in within))
    for mark, values in zip(marks, every, strict=True):
        yield mark, (mark.item, values)

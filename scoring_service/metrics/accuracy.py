"""Accuracy: the mean verdict over the selected questions, within each cluster first."""

from collections import Counter
from collections.abc import Sequence
from itertools import compress

from msgspec.structs import replace

from scoring_service.metrics.chance import Levels, mean_level
from scoring_service.metrics.marks import JUDGED, Group, Mark, by_cluster, grouped, selected
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import MetricValue


def accuracy(metric: Accuracy, marks: Sequence[Mark]) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`."""
    chosen = selected(marks, metric.where)
    if metric.optional:
        chosen = _judged(chosen, metric.rule)
    if metric.rule:
        chosen = [replace(mark, correct=mark.outcome.get(metric.rule) == "correct") for mark in chosen]
    return [accuracy_of(metric.name, group) for group in grouped(chosen, metric.by)]


def _judged(marks: Sequence[Mark], rule: str) -> list[Mark]:
    """Return what counts under an optional verdict: what has one, and what nobody answered; nothing if none has one."""
    if not any(mark.outcome.get(rule) in JUDGED for mark in marks):
        return []
    return [
        mark for mark in marks if mark.outcome.get(rule) in JUDGED or (mark.choice is None and rule not in mark.outcome)
    ]


def accuracy_of(name: str, group: Group) -> MetricValue:
    """Return one group's accuracy. Wilson's interval holds where each cluster is one question."""
    names = [mark.cluster for mark in group.marks]
    right = Counter(compress(names, [mark.correct for mark in group.marks]))
    means = [right[cluster] / count for cluster, count in Counter(names).items()]
    return metric_value(
        name,
        group.facets,
        means,
        questions=len(group.marks),
        independent=len(means) == len(group.marks),
        chance=_chance(group.marks),
    )


def _chance(marks: Sequence[Mark]) -> Levels:
    levels = {mark.chance for mark in marks}
    if len(levels) == 1:
        return levels.pop()
    return mean_level([mark.chance for mark in cluster] for cluster in by_cluster(marks).values())

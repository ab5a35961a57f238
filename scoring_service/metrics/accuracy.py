"""Accuracy: the mean verdict over the selected questions, within each cluster first."""

import numpy as np
from msgspec.structs import replace

from scoring_service.metrics.chance import Levels, mean_level
from scoring_service.metrics.scored_questions import (
    JUDGED,
    Group,
    ScoredQuestion,
    ScoredQuestions,
    by_cluster,
    grouped,
    selected,
)
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import MetricValue


def accuracy(metric: Accuracy, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`."""
    chosen = selected(scored, metric.where)
    if metric.rule:
        chosen = ScoredQuestions.of(_by_rule(list(chosen), metric.rule, optional=metric.optional))
    return [accuracy_of(metric.name, group) for group in grouped(chosen, metric.by)]


def _by_rule(scored: list[ScoredQuestion], rule: str, *, optional: bool) -> list[ScoredQuestion]:
    """Return the marks as this rule judged the answers.

    Under an optional rule counts what has a verdict of it, and what nobody answered; nothing if none has one.
    """
    if optional:
        if not any(mark.outcome.get(rule) in JUDGED for mark in scored):
            return []
        scored = [mark for mark in scored if _counts(mark, rule)]
    return [replace(mark, correct=mark.outcome.get(rule) == "correct") for mark in scored]


def _counts(mark: ScoredQuestion, rule: str) -> bool:
    return mark.outcome.get(rule) in JUDGED or (mark.choice is None and rule not in mark.outcome)


def accuracy_of(name: str, group: Group) -> MetricValue:
    """Return one group's accuracy. Wilson's interval holds where each cluster is one question."""
    _, first, members, counts = np.unique(
        group.scored.clusters, return_index=True, return_inverse=True, return_counts=True
    )
    right = np.bincount(members, weights=group.scored.correct, minlength=len(counts))
    means = (right / counts)[np.argsort(first)]  # in the order in which clusters are met
    return metric_value(
        name,
        group.facets,
        means.tolist(),
        questions=len(group.scored),
        independent=len(means) == len(group.scored),
        chance=_chance(group.scored),
    )


def _chance(scored: ScoredQuestions) -> Levels:
    if len(np.unique(scored.chances)) == 1:
        return next(iter(scored)).chance
    return mean_level([mark.chance for mark in cluster] for cluster in by_cluster(scored).values())

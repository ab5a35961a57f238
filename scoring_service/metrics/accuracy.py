"""Accuracy: the mean verdict over the selected questions, within each cluster first."""

import numpy as np

from scoring_service.metrics.chance import UNKNOWN, Levels
from scoring_service.metrics.scored_questions import (
    JUDGED,
    Group,
    ScoredQuestions,
    means_by_cluster,
    select,
    split_in_groups,
)
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import MetricValue


def accuracy(metric: Accuracy, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`."""
    chosen = select(scored, metric.where)
    if metric.rule:
        chosen = _by_rule(chosen, metric.rule, optional=metric.optional)
    return [accuracy_of(metric.name, group) for group in split_in_groups(chosen, metric.by)]


def _by_rule(scored: ScoredQuestions, rule: str, *, optional: bool) -> ScoredQuestions:
    """Return the questions as this rule judged the answers.

    Under an optional rule, answers with its verdict and unanswered questions count. If no answer has its verdict,
    nothing counts.
    """
    if optional:
        judged = scored.with_outcome(rule, JUDGED)
        unanswered = ~scored.is_read & scored.with_outcome(rule, (None,))
        scored = scored.where(judged.any() & (judged | unanswered))
    return scored.with_verdicts(scored.with_outcome(rule, ("correct",)))


def accuracy_of(name: str, group: Group) -> MetricValue:
    """Return one group's accuracy. Wilson's interval holds where each cluster is one question."""
    means = means_by_cluster(group.scored, group.scored.correct)
    return metric_value(
        name,
        group.facets,
        means,
        questions=len(group.scored),
        independent=len(means) == len(group.scored),
        chance=chance_of(group.scored),
    )


def chance_of(scored: ScoredQuestions) -> Levels:
    """Return the score of guessing on these questions, averaged as their verdicts are."""
    numbers, every = scored.chances
    present, member = np.unique(numbers, return_inverse=True)
    levels: list[Levels] = [every[number] for number in present.tolist()]
    if not levels:
        return UNKNOWN
    if len(levels) == 1:
        return levels[0]
    if any(None in level for level in levels):
        return UNKNOWN
    uniform, stated = (np.array(level, np.float64)[member] for level in zip(*levels, strict=True))
    return Levels(*(float(means_by_cluster(scored, level).mean()) for level in (uniform, stated)))

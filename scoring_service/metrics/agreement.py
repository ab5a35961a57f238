"""Agreement of two verdicts on the same answers, and Cohen's kappa (Cohen, 1960): agreement beyond chance.

If both verdicts are always the same one, agreement by chance is 1, and kappa has no value.
"""

from collections.abc import Sequence

from scoring_service.metrics.scored_questions import (
    JUDGED,
    Group,
    ScoredQuestion,
    ScoredQuestions,
    by_cluster,
    select,
    split_in_groups,
)
from scoring_service.metrics.values import COEFFICIENT, metric_value, value_without_interval
from tetrad.contracts.metrics import Agreement
from tetrad.contracts.reports import MetricValue


def agreement(metric: Agreement, scored: ScoredQuestions) -> list[MetricValue]:
    """Return agreement and kappa, overall and for every group of `by`; kappa's facets say `statistic`."""
    chosen = select(scored, metric.where)
    both = chosen.where(chosen.with_outcome(metric.rule, JUDGED))
    return [value for group in split_in_groups(both, metric.by) for value in _of_group(metric, group)]


def _of_group(metric: Agreement, group: Group) -> tuple[MetricValue, MetricValue]:
    clusters = by_cluster(group.scored).values()
    means = [sum([_agrees(mark, metric.rule) for mark in cluster]) / len(cluster) for cluster in clusters]
    independent = len(means) == len(group.scored)
    agreed = metric_value(metric.name, group.facets, means, questions=len(group.scored), independent=independent)
    kappa = kappa_of([(mark.correct, mark.outcome[metric.rule] == "correct") for mark in group.scored])
    beyond = value_without_interval(
        metric.name,
        {**group.facets, "statistic": "kappa"},
        kappa,
        COEFFICIENT,
        items=agreed.items,
        questions=agreed.questions,
        total=agreed.total,
    )
    return agreed, beyond


def kappa_of(verdicts: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of paired verdicts, -1 to 1; None where chance alone would always agree."""
    count = len(verdicts)
    if not count:
        return None
    own, other = sum(first for first, _ in verdicts) / count, sum(second for _, second in verdicts) / count
    observed = sum(first == second for first, second in verdicts) / count
    expected = own * other + (1 - own) * (1 - other)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _agrees(mark: ScoredQuestion, rule: str) -> bool:
    return mark.correct == (mark.outcome[rule] == "correct")

"""Distribution: of the answers with some outcome, the share that has each value of it."""

import numpy as np

from scoring_service.metrics.scored_questions import (
    Group,
    Numbers,
    ScoredQuestions,
    means_by_cluster,
    select,
    split_in_groups,
)
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Distribution
from tetrad.contracts.reports import MetricValue


def distribution(metric: Distribution, scored: ScoredQuestions) -> list[MetricValue]:
    """Return one value for each group of `by` and each value of the outcome that any answer has, in order."""
    chosen = select(scored.where(scored.has_outcome), metric.where)
    chosen = chosen.filter(lambda question: metric.outcome in question.outcome)
    values = sorted({question.outcome[metric.outcome] for question in chosen})
    return [value for group in split_in_groups(chosen, metric.by) for value in _of_group(metric, group, values)]


def _of_group(metric: Distribution, group: Group, values: list[str]) -> list[MetricValue]:
    """Return the shares of the values, each averaged within the clusters first."""
    numbers = {value: number for number, value in enumerate(values)}
    found: Numbers = np.array([numbers[question.outcome[metric.outcome]] for question in group.scored], np.int64)
    return [
        metric_value(
            metric.name,
            {**group.facets, metric.outcome: value},
            means.tolist(),
            questions=len(group.scored),
            independent=len(means) == len(group.scored),
        )
        for value, number in numbers.items()
        for means in [means_by_cluster(group.scored, found == number)]
    ]

"""Distribution: of the answers with some outcome, the share that has each value of it."""

import numpy as np

from scoring_service.metrics.scored_questions import (
    Group,
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
    chosen = select(scored, metric.where)
    numbers, outcomes = chosen.by_outcome(metric.outcome)
    present = [outcomes[number] for number in np.unique(numbers).tolist()]
    values = sorted(value for value in present if value is not None)
    chosen = chosen.where(chosen.with_outcome(metric.outcome, values))
    return [value for group in split_in_groups(chosen, metric.by) for value in _of_group(metric, group, values)]


def _of_group(metric: Distribution, group: Group, values: list[str]) -> list[MetricValue]:
    """Return the shares of the values, each averaged within the clusters first."""
    return [
        metric_value(
            metric.name,
            {**group.facets, metric.outcome: value},
            means,
            questions=len(group.scored),
            independent=len(means) == len(group.scored),
        )
        for value in values
        for means in [means_by_cluster(group.scored, group.scored.with_outcome(metric.outcome, [value]))]
    ]

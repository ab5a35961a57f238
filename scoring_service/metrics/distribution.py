"""Distribution: of the answers with some outcome, the share that has each value of it."""

from scoring_service.metrics.scored_questions import Group, ScoredQuestions, by_cluster, grouped, selected
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Distribution
from tetrad.contracts.reports import MetricValue


def distribution(metric: Distribution, scored: ScoredQuestions) -> list[MetricValue]:
    """Return one value for each group of `by` and each value of the outcome that any answer has, in order."""
    chosen = selected(scored, metric.where).that(lambda mark: metric.outcome in mark.outcome)
    values = sorted({mark.outcome[metric.outcome] for mark in chosen})
    return [_share(metric, group, value) for group in grouped(chosen, metric.by) for value in values]


def _share(metric: Distribution, group: Group, value: str) -> MetricValue:
    clusters = by_cluster(group.scored).values()
    means = [sum([mark.outcome[metric.outcome] == value for mark in cluster]) / len(cluster) for cluster in clusters]
    return metric_value(
        metric.name,
        {**group.facets, metric.outcome: value},
        means,
        questions=len(group.scored),
        independent=len(means) == len(group.scored),
    )

"""Group accuracy: an item scores 1 only if all its questions of the group are right (MARVEL, section 5.2)."""

from collections.abc import Iterable, Sequence

from scoring_service.metrics.scored_questions import (
    Group,
    ScoredQuestion,
    ScoredQuestions,
    Where,
    select,
    split_in_groups,
)
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import GroupAccuracy
from tetrad.contracts.reports import MetricValue


def group_accuracy(metric: GroupAccuracy, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`. There is no chance level."""
    asked = select(scored, metric.where)
    complete = {item[0].item for item in _items(asked) if _is_whole(item, metric.where)}
    whole = asked.filter(lambda mark: mark.item in complete)
    return [_of_group(metric.name, group) for group in split_in_groups(whole, metric.by)]


def _of_group(name: str, group: Group) -> MetricValue:
    """Items are clustered as their questions are: repeats of one puzzle are not independent."""
    clusters: dict[str, list[float]] = {}
    for item in _items(group.scored):
        clusters.setdefault(item[0].cluster, []).append(float(all(mark.correct for mark in item)))
    means = [sum(scores) / len(scores) for scores in clusters.values()]
    independent = all(len(scores) == 1 for scores in clusters.values())
    return metric_value(name, group.facets, means, questions=len(group.scored), independent=independent)


def _items(scored: Iterable[ScoredQuestion]) -> Iterable[list[ScoredQuestion]]:
    items: dict[int, list[ScoredQuestion]] = {}
    for mark in scored:
        items.setdefault(mark.item, []).append(mark)
    return items.values()


def _is_whole(item: Sequence[ScoredQuestion], where: Where) -> bool:
    return all(set(values) <= {mark.facets[name] for mark in item} for name, values in where.items())

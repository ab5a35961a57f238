"""Gap: the difference of two accuracies over the same items, subtracted item by item."""

import numpy as np

from scoring_service.metrics.accuracy import chance_of
from scoring_service.metrics.chance import UNKNOWN, Levels
from scoring_service.metrics.scored_questions import Group, ScoredQuestions, means_by_cluster, select, split_in_groups
from scoring_service.metrics.values import DIFFERENCE, metric_value
from tetrad.contracts.metrics import Gap
from tetrad.contracts.reports import MetricValue
from tetrad.reporting.item_scores import is_selected


class OneQuestionTwiceError(ValueError):
    """A gap's two sides select the same question."""


def gap(metric: Gap, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall difference, then one for every group of `by`.

    Raises: OneQuestionTwiceError: `where` and `less` both select a question, which would be compared with itself.
    """
    numbers, sides = scored.by_facets(
        lambda facets: (is_selected(facets, metric.where), is_selected(facets, metric.less))
    )
    if any(side == (True, True) for side in sides):
        raise OneQuestionTwiceError(
            f"gap {metric.name!r}: `where` and `less` select the same question; change one of them"
        )
    either = scored.where(np.array([side != (False, False) for side in sides], np.bool_)[numbers])
    return [_of_group(metric, group) for group in split_in_groups(either, metric.by)]


def _of_group(metric: Gap, group: Group) -> MetricValue:
    more, less = (select(group.scored, side) for side in (metric.where, metric.less))
    paired = np.intersect1d(more.items, less.items)
    more, less = (side.where(np.isin(side.items, paired)) for side in (more, less))
    _, first = np.unique(more.items, return_index=True)
    differences = _means_by_item(more) - _means_by_item(less)  # both in the order of `paired`, as `first` is
    means = means_by_cluster(more.at(first), differences)
    return metric_value(
        metric.name,
        group.facets,
        means,
        questions=len(more) + len(less),
        independent=False,
        chance=_chance(more, less),
        scale=DIFFERENCE,
    )


def _means_by_item(scored: ScoredQuestions) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return each item's share of right answers, in the order of their numbers."""
    _, member, counts = np.unique(scored.items, return_inverse=True, return_counts=True)
    return np.bincount(member, weights=scored.correct, minlength=len(counts)) / counts


def _chance(more: ScoredQuestions, less: ScoredQuestions) -> Levels:
    """Return the difference that guessing makes."""
    if not len(more):
        return UNKNOWN
    of_more, of_less = chance_of(more), chance_of(less)
    return Levels(_difference(of_more.uniform, of_less.uniform), _difference(of_more.stated, of_less.stated))


def _difference(more: float | None, less: float | None) -> float | None:
    return None if more is None or less is None else more - less

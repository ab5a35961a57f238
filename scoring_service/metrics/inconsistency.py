"""Inconsistency: how often repeats of one question differ from its modal choice (KiVA, section 4).

Options are compared by what they mean, since repeats show them in other places. Only repeats with an extracted answer
are compared, and only if there are two or more. Unread replies are reported by the unread share instead.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from scoring_service.metrics.scored_questions import Group, ScoredQuestion, ScoredQuestions, select, split_in_groups
from scoring_service.metrics.values import metric_value
from tetrad.contracts.metrics import Inconsistency
from tetrad.contracts.reports import MetricValue

LEAST_REPEATS = 2


def inconsistency(metric: Inconsistency, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`. There is no chance level."""
    return [_of_group(metric.name, group) for group in split_in_groups(select(scored, metric.where), metric.by)]


def _of_group(name: str, group: Group) -> MetricValue:
    compared = list(_repeats(group.scored))
    clusters: dict[str, list[float]] = {}
    for repeats in compared:
        clusters.setdefault(repeats[0].cluster, []).append(_share_off_mode(repeats))
    means = [sum(shares) / len(shares) for shares in clusters.values()]
    return metric_value(name, group.facets, means, questions=sum(map(len, compared)), independent=False)


def _repeats(scored: ScoredQuestions) -> Iterable[list[ScoredQuestion]]:
    """Return the repeats: the questions of one kind in one item with an extracted answer, two or more of them."""
    read = scored.where(scored.is_read)
    same = read.items * (1 + int(read.kinds.max(initial=0))) + read.kinds
    _, member, counts = np.unique(same, return_inverse=True, return_counts=True)
    repeated: dict[tuple[int, str], list[ScoredQuestion]] = {}
    for mark in read.where(counts[member] >= LEAST_REPEATS):
        repeated.setdefault((mark.item, mark.kind), []).append(mark)
    return repeated.values()


def _share_off_mode(repeats: Sequence[ScoredQuestion]) -> float:
    choices = Counter(mark.choice for mark in repeats)
    return 1 - max(choices.values()) / len(repeats)

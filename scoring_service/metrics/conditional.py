"""Accuracy after a right or a wrong earlier step: of the selected questions in the items whose earlier step was so."""

from collections.abc import Sequence

import numpy as np

from scoring_service.metrics.accuracy import accuracy_of
from scoring_service.metrics.scored_questions import Numbers, ScoredQuestions, select, split_in_groups
from tetrad.contracts.metrics import ConditionalAccuracy
from tetrad.contracts.reports import MetricValue


def conditional_accuracy(metric: ConditionalAccuracy, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the overall value, then one for every group of `by`.

    An item (or, with `within`, a repeat of it) counts if it was asked a `given` question, and all of those it was
    asked are right (or, with `given_correct` false, not all). Unread and missing are not right.
    """
    given, asked = select(scored, metric.given), select(scored, metric.where)
    ways = _ways(given, metric.within)
    wrong = np.unique(ways[~given.correct])
    taken = np.setdiff1d(ways, wrong) if metric.given_correct else wrong
    chosen = asked.where(np.isin(_ways(asked, metric.within), taken))
    return [accuracy_of(metric.name, group) for group in split_in_groups(chosen, metric.by)]


def _ways(scored: ScoredQuestions, within: Sequence[str]) -> Numbers:
    """Number the combinations that given and selected questions share: the item, and the values of `within`."""
    numbers, values = scored.by_facets(lambda facets: tuple(facets.get(name, "") for name in within))
    return scored.items * max(1, len(values)) + numbers

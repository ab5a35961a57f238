"""Failure weights: which combinations make items fail, by logistic regression (CARV, section 5.3, question 2).

The paper's one-hot vector over the ten pairs of properties, for any facets. Scikit-learn's default penalty (L2, C = 1)
keeps the weights finite where a combination always or never fails, as it does in the small groups of a report.
"""

from collections.abc import Sequence

from scoring_service.metrics.scored_questions import Group, ScoredQuestion, ScoredQuestions, grouped, selected
from scoring_service.metrics.values import WEIGHT, value_without_interval
from tetrad.contracts.metrics import FailureWeights
from tetrad.contracts.reports import MetricValue


def failure_weights(metric: FailureWeights, scored: ScoredQuestions) -> list[MetricValue]:
    """Return one weight for every column of every group.

    A weight is in log odds, above 0 if the column makes failing likelier. There is no weight if all items of the group
    fail, all succeed, or all have the same column.
    """
    chosen = selected(scored, metric.where).that(lambda mark: any(_row(metric, mark)))
    return [value for group in grouped(chosen, metric.by) for value in _of_group(metric, group)]


def _of_group(metric: FailureWeights, group: Group) -> list[MetricValue]:
    rows = [_row(metric, mark) for mark in group.scored]
    failed = [not mark.correct for mark in group.scored]
    weights = weights_of(rows, failed) if len(set(failed)) > 1 else [None] * len(metric.values)
    with_it = [sum(column) for column in zip(*rows, strict=True)] or [0] * len(metric.values)
    return [
        value_without_interval(
            metric.name,
            {**group.facets, "combination": value},
            weight if 0 < count < len(rows) else None,
            WEIGHT,
            items=count,
            questions=count,
            total=float(sum(fail for fail, row in zip(failed, rows, strict=True) if row[place])),
        )
        for place, (value, weight, count) in enumerate(zip(metric.values, weights, with_it, strict=True))
    ]


def weights_of(rows: Sequence[Sequence[int]], failed: Sequence[bool]) -> list[float | None]:
    """Return the regression's weight of every column."""
    # Imported here, because the import takes a second and most reports have no such metric.
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    model = LogisticRegression(max_iter=1000, tol=1e-8).fit(rows, failed)
    return [round(float(weight), 4) for weight in model.coef_[0]]


def _row(metric: FailureWeights, mark: ScoredQuestion) -> list[int]:
    held = {mark.facets[name] for name in metric.facets if name in mark.facets}
    return [int(value in held) for value in metric.values]

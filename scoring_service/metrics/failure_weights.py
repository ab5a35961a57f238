"""Failure weights: which combinations make items fail, by logistic regression (CARV, section 5.3, question 2).

The paper's one-hot vector over the ten pairs of properties, for any facets. A penalty (half the squares of the weights,
scikit-learn's default) keeps them finite where a combination always or never fails, as in a report's small groups.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring_service.metrics.scored_questions import Group, ScoredQuestion, ScoredQuestions, select, split_in_groups
from scoring_service.metrics.values import WEIGHT, value_without_interval
from tetrad.contracts.metrics import FailureWeights
from tetrad.contracts.reports import MetricValue

Weights: TypeAlias = NDArray[np.float64]


def failure_weights(metric: FailureWeights, scored: ScoredQuestions) -> list[MetricValue]:
    """Return one weight for every column of every group.

    A weight is in log odds, above 0 if the column makes failing likelier. There is no weight if all items of the group
    fail, all succeed, or all have the same column.
    """
    chosen = select(scored, metric.where).filter(lambda mark: any(_row(metric, mark)))
    return [value for group in split_in_groups(chosen, metric.by) for value in _of_group(metric, group)]


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


def weights_of(rows: Sequence[Sequence[int]], failed: Sequence[bool]) -> list[float]:
    """Return the regression's weight of every column: log odds to four digits."""
    from scipy.optimize import minimize  # noqa: PLC0415 -- 30 MiB, and most workers never see such a metric
    from scipy.special import expit  # noqa: PLC0415 -- with it

    columns = np.array(rows, np.float64)
    signs = np.where(failed, 1.0, -1.0)

    def loss(weights: Weights) -> tuple[float, Weights]:
        """Return the loss and its gradient; the last weight is the intercept, which has no penalty."""
        slopes, margins = weights[:-1], signs * (columns @ weights[:-1] + weights[-1])
        pulls = -signs * expit(-margins)
        value = np.logaddexp(0, -margins).sum() + slopes @ slopes / 2
        return value, np.append(columns.T @ pulls + slopes, pulls.sum())

    start = np.zeros(columns.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 0, "gtol": 1e-8})
    return [round(float(weight), 4) for weight in found.x[:-1]]


def _row(metric: FailureWeights, mark: ScoredQuestion) -> list[int]:
    held = {mark.facets[name] for name in metric.facets if name in mark.facets}
    return [int(value in held) for value in metric.values]

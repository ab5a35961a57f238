"""Metrics by kind: a card declares them as data, one file here computes each. A new kind is a file and a line."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from scoring_service.metrics.accuracy import accuracy
from scoring_service.metrics.agreement import agreement
from scoring_service.metrics.answer_distribution import answer_distribution
from scoring_service.metrics.conditional import conditional_accuracy
from scoring_service.metrics.distribution import distribution
from scoring_service.metrics.failure_weights import failure_weights
from scoring_service.metrics.gap import gap
from scoring_service.metrics.group import group_accuracy
from scoring_service.metrics.inconsistency import inconsistency
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from scoring_service.metrics.values import (
    COEFFICIENT,
    DIFFERENCE,
    FLAG,
    SHARE,
    WEIGHT,
    Scale,
    check_range,
    value_without_interval,
)
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import (
    Accuracy,
    Agreement,
    AnswerDistribution,
    ConditionalAccuracy,
    Distribution,
    FailureWeights,
    Gap,
    GroupAccuracy,
    Inconsistency,
    Metric,
)
from tetrad.contracts.reports import MetricValue

DEFECTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""The errors of a defective metric. Not every Exception: the time limit of a job is one, too."""

log = logging.getLogger(__name__)


class UndeclaredUnitError(ValueError):
    """A kind of metric has returned a value in a unit or range that it does not declare."""


class Kind(NamedTuple):
    """A kind of metric: the function that computes its values, and the units and ranges that they may have.

    Each takes its own metric struct, hence Any.
    """

    compute: Callable[[Any, ScoredQuestions], list[MetricValue]]
    scales: tuple[Scale, ...] = (SHARE,)


KINDS: Mapping[type, Kind] = {
    Accuracy: Kind(accuracy),
    ConditionalAccuracy: Kind(conditional_accuracy),
    Inconsistency: Kind(inconsistency),
    GroupAccuracy: Kind(group_accuracy),
    AnswerDistribution: Kind(answer_distribution, (SHARE, FLAG)),
    Distribution: Kind(distribution),
    Agreement: Kind(agreement, (SHARE, COEFFICIENT)),
    FailureWeights: Kind(failure_weights, (WEIGHT,)),
    Gap: Kind(gap, (DIFFERENCE,)),
}


def measure(card: Card, scored: Sequence[ScoredQuestion], submission: str = "") -> list[MetricValue]:
    """Return every value of every metric the card declares, overall values before groups.

    A metric that fails becomes one value with a reason, and an alarm in the log names the submission. The other metrics
    are kept. If the headline's own metric fails, its error is raised.
    """
    every = ScoredQuestions.of(scored, card.chance)
    values: list[MetricValue] = []
    for metric in card.metrics:
        try:
            values += values_of(metric, every)
        except DEFECTS as error:
            if metric.name == card.headline.metric:
                raise
            where = {"metric": metric.name, "benchmark": f"{card.name} {card.version}", "submission": submission}
            log.exception("alarm: a metric could not be computed; the report is made without it", extra=where)
            values.append(_without_value(metric, error))
    return values


def values_of(metric: Metric, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the values of one metric.

    Raises:
        UndeclaredUnitError: one has a unit or range that the metric's kind does not declare.
        ValueOutOfRangeError: one is out of its range.
    """
    kind = KINDS[type(metric)]
    values = kind.compute(metric, scored)
    for value in values:
        scale = Scale(value.unit, value.lowest, value.highest)
        if scale not in kind.scales:
            declared = ", ".join(f"{allowed.unit} in {allowed.lowest}..{allowed.highest}" for allowed in kind.scales)
            given = f"{scale.unit} in {scale.lowest}..{scale.highest}"
            raise UndeclaredUnitError(f"metric {value.name!r}: a value is a {given}; its kind declares {declared}")
        if value.value is not None:
            check_range(value.name, value.facets, value.value, scale)
    return values


def _without_value(metric: Metric, error: Exception) -> MetricValue:
    """Return the value of a metric that failed. The error's own text stays in the log: it may name answers."""
    scale = KINDS[type(metric)].scales[0]
    reason = f"could not be computed ({type(error).__name__}); the operator's log has the details"
    failed = value_without_interval(metric.name, {}, None, scale, items=0, questions=0, total=0.0)
    return replace(failed, reason=reason)

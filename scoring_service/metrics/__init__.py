"""Metrics by kind: a card declares them as data, one file here computes each. A new kind is a file and a line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring_service.metrics.accuracy import accuracy
from scoring_service.metrics.agreement import agreement
from scoring_service.metrics.answer_distribution import answer_distribution
from scoring_service.metrics.conditional import conditional
from scoring_service.metrics.distribution import distribution
from scoring_service.metrics.failure_weights import failure_weights
from scoring_service.metrics.group import group_accuracy
from scoring_service.metrics.inconsistency import inconsistency
from scoring_service.metrics.scored_questions import ScoredQuestion, ScoredQuestions
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import (
    Accuracy,
    Agreement,
    AnswerDistribution,
    ConditionalAccuracy,
    Distribution,
    FailureWeights,
    GroupAccuracy,
    Inconsistency,
)
from tetrad.contracts.reports import MetricValue

# Each takes its own metric struct, hence Any.
KINDS: Mapping[type, Callable[[Any, ScoredQuestions], list[MetricValue]]] = {
    Accuracy: accuracy,
    ConditionalAccuracy: conditional,
    Inconsistency: inconsistency,
    GroupAccuracy: group_accuracy,
    AnswerDistribution: answer_distribution,
    Distribution: distribution,
    Agreement: agreement,
    FailureWeights: failure_weights,
}


def measure(card: Card, scored: Sequence[ScoredQuestion]) -> list[MetricValue]:
    """Return every value of every metric the card declares, overall values before groups."""
    every = ScoredQuestions.of(scored)
    return [value for metric in card.metrics for value in KINDS[type(metric)](metric, every)]

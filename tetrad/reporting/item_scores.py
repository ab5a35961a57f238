"""The score of each item by the headline: what comparisons and gates are computed from.

A headline is an accuracy: the mean verdict over the questions that it selects, within each item first.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import msgspec

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import MetricValue, Report
from tetrad.contracts.wire import Facets
from tetrad.errors import TetradError

_ROUNDING = 1e-6  # of a sum of as many means as a report has items


class NoItemScoresError(TetradError):
    """The items can't be scored one by one: the report has no questions, or its headline is no accuracy of items."""


class AnsweredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question of an item with its verdict, its facets and further findings about the answer."""

    item: int
    verdict: str
    facets: Facets
    outcome: Facets


def item_scores(report: Report, card: Card) -> dict[int, float] | None:
    """Return the share of each item's headline questions that are right, by item.

    Items that are not independent, such as those of one photograph, are one unit under the number of their first item.
    None where the report does not tell: it has aggregates only, or its headline is no plain accuracy. The scores add up
    to the headline's own total.
    """
    metric = headline_accuracy(card.ranked_by(report.identity.setting))
    if report.aggregates_only or metric is None or metric.name != report.headline.name:
        return None
    units = first_items(report)
    scores = answered_scores(
        metric,
        (
            AnsweredQuestion(
                item=units.get(question.item, question.item),
                verdict=question.verdict,
                facets=question.facets,
                outcome=question.outcome,
            )
            for question in report.questions
        ),
    )
    return scores if adds_up(scores.values(), report.headline) else None


def first_items(report: Report) -> dict[int, int]:
    """Return the first item of those that share a picture, for each of them."""
    first: dict[str, int] = {}
    for question in report.questions:
        if question.cluster:
            first[question.cluster] = min(question.item, first.get(question.cluster, question.item))
    return {question.item: first[question.cluster] for question in report.questions if question.cluster}


def adds_up(scores: Collection[float], headline: MetricValue) -> bool:
    """Return whether these scores of items are all that the headline is made of."""
    return len(scores) == headline.items and abs(math.fsum(scores) - headline.total) < _ROUNDING


def answered_scores(metric: Accuracy, questions: Iterable[AnsweredQuestion]) -> dict[int, float]:
    """Return the share of each item's selected questions that are right, by item; items without one are left out."""
    verdicts: defaultdict[int, list[bool]] = defaultdict(list)
    for question in questions:
        if is_selected(question.facets, metric.where):
            verdict = question.outcome.get(metric.rule) if metric.rule else question.verdict
            verdicts[question.item].append(verdict == "correct")
    return {item: sum(found) / len(found) for item, found in verdicts.items()}


def headline_accuracy(card: Card) -> Accuracy | None:
    """Return the metric of the headline; None if it is no accuracy."""
    metric = card.find_metric(card.headline.metric)
    return metric if isinstance(metric, Accuracy) else None


def is_selected(facets: Facets, where: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell whether a question with these facets is one that `where` selects."""
    return all(facets.get(name) in values for name, values in where.items())

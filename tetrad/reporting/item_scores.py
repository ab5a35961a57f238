"""Score the items of a draw by the headline metric, one number an item, so that two models can be compared by item.

A headline is an accuracy: the mean verdict over the questions that it selects. The mean of the items' scores is the
headline, and `scores_of_report` checks that it is.
"""

from collections.abc import Iterable, Mapping

import msgspec

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import Report
from tetrad.contracts.wire import Facets
from tetrad.errors import TetradError

CORRECT = "correct"
CLOSE = 1e-6


class NoItemScoresError(TetradError):
    """The items can't be scored one by one: the report has no questions, or its headline is no accuracy."""


class AnsweredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question of an item with its verdict, its facets and further findings about the answer."""

    item: int
    verdict: str
    facets: Facets
    outcome: Facets


def item_scores(card: Card, questions: Iterable[AnsweredQuestion]) -> dict[int, float]:
    """Return the headline's score, in [0, 1], of each item with a question that the headline selects.

    Raises:
        NoItemScoresError: the headline is no accuracy.
    """
    metric = next((one for one in card.metrics if one.name == card.headline.metric), None)
    if not isinstance(metric, Accuracy) or metric.optional:
        raise NoItemScoresError(f"{card.name}: its headline {card.headline.metric} is no accuracy of items")
    right: dict[int, list[bool]] = {}
    for one in questions:
        if all(one.facets.get(name) in values for name, values in metric.where.items()):
            verdict = one.outcome.get(metric.rule) if metric.rule else one.verdict
            right.setdefault(one.item, []).append(verdict == CORRECT)
    return {item: sum(verdicts) / len(verdicts) for item, verdicts in right.items()}


def scores_of_report(card: Card, report: Report) -> dict[int, float]:
    """Return the headline's score of each item of a report that counts.

    Raises:
        NoItemScoresError: the report shows no questions, or its items don't add up to its headline.
    """
    if report.aggregates_only:
        raise NoItemScoresError(f"{report.submission}: the report of a fixed corpus shows no single question")
    scores = item_scores(
        card,
        (
            AnsweredQuestion(item=one.item, verdict=one.verdict, facets=one.facets, outcome=one.outcome)
            for one in report.questions
        ),
    )
    headline = report.headline
    if len(scores) != headline.items or abs(sum(scores.values()) - headline.total) > CLOSE * max(1, headline.items):
        raise NoItemScoresError(
            f"{report.submission}: its questions give {sum(scores.values()):g} of {len(scores)} items, and its "
            f"headline says {headline.total:g} of {headline.items}; is the card that of the report's version?"
        )
    return scores


def shared_scores(
    candidate: Mapping[int, float], baseline: Mapping[int, float]
) -> tuple[list[int], list[float], list[float]]:
    """Return the items that both have a score for, in order, and both models' scores of them."""
    items = sorted(candidate.keys() & baseline.keys())
    return items, [candidate[item] for item in items], [baseline[item] for item in items]

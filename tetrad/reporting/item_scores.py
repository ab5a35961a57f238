"""The score of each item of a report, by its headline: what comparisons and gates are computed from."""

import math
from collections import defaultdict
from collections.abc import Mapping

from tetrad.contracts.benchmarks import Card
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.contracts.wire import Facets

_ROUNDING = 1e-6  # of a sum of as many means as a report has items


def item_scores(report: Report, card: Card) -> dict[int, float] | None:
    """Return the share of each item's headline questions that are right, by item.

    None where the report does not tell: it has aggregates only, its headline is no plain accuracy, or its items are not
    the headline's independent units. The scores add up to the headline's own total.
    """
    metric = next((one for one in card.metrics if one.name == card.headline.metric), None)
    if report.aggregates_only or not isinstance(metric, Accuracy) or metric.name != report.headline.name:
        return None
    verdicts: defaultdict[int, list[bool]] = defaultdict(list)
    for result in report.questions:
        if _is_selected(result.facets, metric.where):
            verdicts[result.item].append(_is_right(result, metric.rule))
    scores = {item: sum(found) / len(found) for item, found in verdicts.items()}
    is_whole = len(scores) == report.headline.items
    return scores if is_whole and abs(math.fsum(scores.values()) - report.headline.total) < _ROUNDING else None


def _is_selected(facets: Facets, where: Mapping[str, tuple[str, ...]]) -> bool:
    return all(facets.get(name) in values for name, values in where.items())


def _is_right(result: QuestionResult, rule: str) -> bool:
    return (result.outcome.get(rule) if rule else result.verdict) == "correct"

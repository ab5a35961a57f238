"""Says before anything is opened how many items of a draw will count on its board, and so whether they make a rank.

An item counts if it asks a question of the board's metric: one in ten of KiVA's trials shows no change, and the metric
leaves those out. Items that share a puzzle, an object or a picture count once. Items of practice tell how many do,
because they are drawn as a submission's are.
"""

import math

from api.errors import GeneratorAwayError, GeneratorFailedError
from api.upstream.generator import Generator
from tetrad.contracts.benchmarks import Card, Counted
from tetrad.contracts.metrics import Accuracy
from tetrad.internal.practice import MOST_COUNTED, CountRequest, PracticeRequest

NORMAL_95 = 1.96  # standard deviations to either side of 95% of draws


def expect_counted(generator: Generator, card: Card, items: PracticeRequest, size: int) -> Counted | None:
    """Return how many of `size` items will count; `items` says which. None where there is no board, or none can tell.

    Raises:
        InvalidInputError: there is no such place.
    """
    metric = card.find_metric(card.metric_of(items.setting))
    if card.corpus is not None or not isinstance(metric, Accuracy):
        return None
    sampled = min(size, MOST_COUNTED)
    request = CountRequest(items=items, size=sampled, where=metric.where)
    try:
        found = generator.count(request).counted
    except (GeneratorAwayError, GeneratorFailedError):
        return None
    return counted_of(found, sampled, size, card.headline.least_items)


def counted_of(found: int, sampled: int, size: int, least_items: int) -> Counted:
    """Return what is expected of `size` items where `found` of `sampled` items count.

    Draws differ by about as much as as many independent items would; where items are balanced, by less.
    """
    share = found / sampled
    expected = share * size
    spread = NORMAL_95 * math.sqrt(size * share * (1 - share))
    return Counted(
        size=size,
        expected=round(expected),
        lower=max(0, math.floor(expected - spread)),
        upper=min(size, math.ceil(expected + spread)),
        least_items=least_items,
    )

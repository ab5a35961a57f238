"""Pools a model's public submissions into its score: in the order of their first fetch, as far as all are scored.

A confidence sequence holds for scores that come in an order settled before anybody knew them. The order in which they
arrive is not: a team could open many draws, look at each, finish first those that look good and let the others lie. The
order in which questions were first fetched is settled before the team has seen any of them. So a submission that was
fetched and has no score, for whatever reason, holds up all that were fetched after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from tetrad.contracts.leaderboards import FacetScore, PooledDifference
from tetrad.contracts.reports import IntervalValue
from tetrad.contracts.rescoring import KeptDifference, KeptFacet
from tetrad.statistics.confidence_sequence import confidence_sequence
from tetrad.statistics.interval import Interval
from tetrad.statistics.mean_interval import pooled_difference_interval

LEVEL = 0.95


class Score(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A report's part of the pool: the headline's total over its items, its parts, questions asked and unread."""

    total: float
    items: int
    asked: int
    unread: int
    scored_at: int
    differences: tuple[KeptDifference, ...] = ()
    by_facet: tuple[KeptFacet, ...] = ()


class Fetched(msgspec.Struct, frozen=True, gc=False):
    """A public submission whose questions were fetched and that is not void; its score is None until it has one.

    A board makes one for every submission of a row that has changed, so it has to be cheap: 50,000 are read in 0.2 s.
    """

    submission: str
    fetched_at: int
    score: Score | None = None


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A model's score on one board.

    `waiting` submissions are scored but follow one without a score; `unfinished` ones have no score.

    `enough_at` is when the pool reached the board's least number of items, None while it has not.
    """

    total: float
    items: int
    asked: int
    unread: int
    attempts: int
    waiting: int
    unfinished: int
    first_scored_at: int
    enough_at: int | None
    interval: Interval
    differences: tuple[PooledDifference, ...] = ()
    by_facet: tuple[FacetScore, ...] = ()

    @property
    def score(self) -> float | None:
        return self.total / self.items if self.items else None


def entering(fetched: Iterable[Fetched]) -> list[Score]:
    """Return the scores that enter, in order: all that were fetched before the first submission without one."""
    scores: list[Score] = []
    for submission in sorted(fetched, key=lambda submission: (submission.fetched_at, submission.submission)):
        if submission.score is None:
            break
        scores.append(submission.score)
    return scores


def pool_scores(fetched: Sequence[Fetched], least: int) -> Pool | None:
    """Return a model's pool: None while nothing is scored, and an empty pool while all that is scored has to wait."""
    scores, entered = [submission.score for submission in fetched if submission.score is not None], entering(fetched)
    if not scores:
        return None
    items = sum(score.items for score in entered)
    total = min(sum(score.total for score in entered), items)  # rounding may take a sum of means above the count
    return Pool(
        total=total,
        items=items,
        asked=sum(score.asked for score in entered),
        unread=sum(score.unread for score in entered),
        attempts=len(entered),
        waiting=len(scores) - len(entered),
        unfinished=len(fetched) - len(scores),
        first_scored_at=min(score.scored_at for score in scores),
        enough_at=_enough_at(entered, least),
        interval=interval_of(total, items),
        differences=tuple(pool_differences(entered)),
        by_facet=tuple(pool_facets(entered)),
    )


def pool_differences(entered: Iterable[Score]) -> Iterator[PooledDifference]:
    """Yield each difference of these scores, over all independent units of its reports."""
    sums: dict[str, tuple[int, float, float]] = {}
    for score in entered:
        for difference in score.differences:
            items, total, squares = sums.get(difference.name, (0, 0.0, 0.0))
            sums[difference.name] = (items + difference.items, total + difference.total, squares + difference.squares)
    for name, (items, total, squares) in sums.items():
        bounds = pooled_difference_interval(items, total, squares, LEVEL)
        interval = IntervalValue(lower=bounds.lower, upper=bounds.upper, level=bounds.level, method=bounds.method)
        yield PooledDifference(name=name, value=total / items, interval=interval, items=items)


def pool_facets(entered: Iterable[Score]) -> Iterator[FacetScore]:
    """Yield the score by each value of the facet, over all independent units of these reports."""
    sums: dict[tuple[str, str], tuple[int, float]] = {}
    for score in entered:
        for kept in score.by_facet:
            items, total = sums.get((kept.facet, kept.value), (0, 0.0))
            sums[kept.facet, kept.value] = (items + kept.items, total + kept.total)
    for (facet, value), (items, total) in sorted(sums.items()):
        yield FacetScore(facet=facet, value=value, score=min(1.0, total / items), items=items)


@lru_cache(maxsize=20_000)  # each takes a third of a millisecond, and a process that starts needs those of all models
def interval_of(total: float, items: int) -> Interval:
    return confidence_sequence(total, items, LEVEL)


def _enough_at(entered: Iterable[Score], least: int) -> int | None:
    """Return when the submissions had `least` items together; None where they have fewer."""
    items = latest = 0
    for score in entered:
        items, latest = items + score.items, max(latest, score.scored_at)
        if items >= least:
            return latest
    return None

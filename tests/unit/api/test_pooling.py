"""The order in which submissions enter a score, and what it is worth against a team that holds draws back."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from msgspec import structs

from api.boards.pooling import Fetched, Pool, Score, entering, pool_scores
from tetrad.contracts.rescoring import KeptDifference, KeptFacet
from tetrad.statistics.interval import Interval

MEAN = 0.23  # of the model whose row once read 100%
DRAWS = 86  # fetched a week, of one item each
WEEKS = 4
RUNS = 200

Order = Callable[[Sequence[Fetched]], Pool | None]


def score(right: float = 1.0, items: int = 1, at: int = 1) -> Score:
    return Score(total=right, items=items, asked=items, unread=0, scored_at=at)


def total_of(fetched: list[Fetched]) -> list[float]:
    return [one.total for one in entering(fetched)]


def test_submissions_enter_as_they_were_fetched_up_to_the_first_without_a_score() -> None:
    late, early = Fetched("a", 9, score(0.9)), Fetched("b", 1, score(0.1))
    assert total_of([late, early]) == [0.1, 0.9]
    assert total_of([late, Fetched("c", 5), early]) == [0.1]
    assert total_of([late, Fetched("c", 0), early]) == []
    assert total_of([]) == []


def test_fetched_at_once_they_enter_in_the_order_of_their_ids() -> None:
    assert total_of([Fetched("b", 1, score(0.2)), Fetched("a", 1, score(0.1)), Fetched("c", 1)]) == [0.1, 0.2]
    assert total_of([Fetched("b", 1, score(0.2)), Fetched("a", 1)]) == []


def test_a_pool_says_what_waits_and_for_how_many() -> None:
    pooled = pool_scores(
        [Fetched("a", 1, score(3, 4)), Fetched("b", 2), Fetched("c", 3, score(4, 4)), Fetched("d", 4)], 5
    )
    assert pooled is not None
    assert (pooled.score, pooled.items, pooled.attempts) == (0.75, 4, 1)
    assert (pooled.waiting, pooled.unfinished, pooled.enough_at) == (1, 2, None)


def test_scores_that_all_wait_are_an_empty_pool_and_none_at_all_is_no_pool() -> None:
    pooled = pool_scores([Fetched("a", 1), Fetched("b", 2, score(at=7))], 1)
    assert pooled is not None
    assert (pooled.score, pooled.items, pooled.waiting, pooled.enough_at) == (None, 0, 1, None)
    assert (pooled.interval.lower, pooled.interval.upper, pooled.first_scored_at) == (0.0, 1.0, 7)
    assert pool_scores([Fetched("a", 1)], 1) is None
    assert pool_scores([], 0) is None


def test_a_place_is_held_from_when_there_were_items_enough_not_from_the_first() -> None:
    early, slow = Fetched("a", 1, score(1, 4, at=5)), Fetched("b", 2, score(1, 4, at=90))
    last = Fetched("c", 3, score(1, 4, at=60))
    for fetched, since in (([early], None), ([early, slow], 90), ([early, slow, last], 90), ([early, last], 60)):
        pooled = pool_scores(fetched, 8)
        assert pooled is not None
        assert (pooled.enough_at, pooled.first_scored_at) == (since, 5)


def as_fetched(fetched: Sequence[Fetched]) -> Pool | None:
    return pool_scores(fetched, 1)


def as_they_come(fetched: Sequence[Fetched]) -> Pool | None:
    """Pool in the order of arrival, as boards once did."""
    scored = [(one.submission, one.score) for one in fetched if one.score is not None]
    return pool_scores([Fetched(name, one.scored_at, one) for name, one in scored], 1)


def looks(rng: np.random.Generator, order: Order) -> Iterator[Interval]:
    """Yield what the board shows of a team that fetches a week's draws at once and sees which it has right.

    It finishes those and lets the others lie until their deadline; they are scored as wrong then.
    """
    past: list[Fetched] = []
    for week in range(WEEKS):
        right = dict(enumerate(rng.random(DRAWS) < MEAN, start=week * DRAWS))
        finished = {number: score(at=week) for number in right if right[number]}
        expired = {number: score(0.0, at=week + 1) for number in right if not right[number]}
        for scores in (finished, finished | expired):
            now = past + [Fetched(f"{number:03}", number, scores.get(number)) for number in right]
            if (shown := order(now)) is not None:
                yield shown.interval
        past = now


def coverage(order: Order) -> float:
    """Return the share of runs in which the model's rate lies inside the interval at every look."""
    rng = np.random.default_rng(86)
    return sum(all(look.contains(MEAN) for look in looks(rng, order)) for _ in range(RUNS)) / RUNS


def test_a_team_that_holds_back_what_looks_bad_is_covered_as_stated() -> None:
    assert coverage(as_fetched) >= 0.95


def test_in_the_order_of_arrival_the_same_team_is_hardly_ever_covered() -> None:
    assert coverage(as_they_come) < 0.05


@pytest.mark.parametrize(("order", "shown"), [(as_they_come, 1.0), (as_fetched, None)])
def test_the_row_that_read_100_percent_for_a_week_has_no_score(order: Order, shown: float | None) -> None:
    """86 draws of one item, 20 finished, all of them right; the first that was fetched is not one of them."""
    fetched = [Fetched(f"{number:02}", number, score() if 0 < number <= 20 else None) for number in range(DRAWS)]
    pooled = order(fetched)
    assert pooled is not None
    assert pooled.score == shown


def test_differences_pool_over_all_units_of_the_reports_that_have_them() -> None:
    """Differences 1, 0, 0 and -1, 1 in two reports, and a report from before there were any."""
    one = KeptDifference(name="gap", items=3, total=1.0, squares=1.0)
    two = KeptDifference(name="gap", items=2, total=0.0, squares=2.0)
    waits = KeptDifference(name="gap", items=9, total=9.0, squares=9.0)
    scores = [
        structs.replace(score(1, 3), differences=(one,)),
        score(1, 4),
        structs.replace(score(1, 2), differences=(two,)),
    ]
    fetched = [Fetched(str(at), at, each) for at, each in enumerate(scores)]
    pooled = pool_scores(
        [*fetched, Fetched("8", 8), Fetched("9", 9, structs.replace(score(), differences=(waits,)))], 1
    )
    assert pooled is not None
    assert pooled.items == 9
    (difference,) = pooled.differences
    assert (difference.name, difference.items) == ("gap", 5)
    assert difference.value == pytest.approx(0.2)
    bounds = difference.interval
    assert (bounds.lower, bounds.upper) == pytest.approx((-0.838850, 1.0), abs=1e-6)  # as one report of the five
    assert (bounds.level, bounds.method) == (0.95, "cluster-t")


def test_scores_by_facet_pool_over_the_reports_that_have_them() -> None:
    of = [
        (
            KeptFacet(facet="domain", value="size", items=3, total=1.0),
            KeptFacet(facet="domain", value="color", items=1, total=1),
        ),
        (KeptFacet(facet="domain", value="size", items=1, total=1.0),),
        (),
    ]
    waits = (KeptFacet(facet="domain", value="size", items=9, total=9.0),)
    fetched = [Fetched(str(at), at, structs.replace(score(1, 4), by_facet=each)) for at, each in enumerate(of)]
    pooled = pool_scores([*fetched, Fetched("8", 8), Fetched("9", 9, structs.replace(score(), by_facet=waits))], 1)
    assert pooled is not None
    assert [(one.facet, one.value, one.score, one.items) for one in pooled.by_facet] == [
        ("domain", "color", 1.0, 1),
        ("domain", "size", 0.5, 4),
    ]


def test_a_row_without_differences_has_none() -> None:
    pooled = pool_scores([Fetched("a", 1, score())], 1)
    assert pooled is not None
    assert pooled.differences == ()

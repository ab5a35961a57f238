import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tetrad.statistics.rank_ranges import RankedRow, ScoredRow, rank_ranges

START = datetime(2026, 1, 1, tzinfo=UTC)


def row(name: str, score: float | None, reach: float = 0.05, day: int = 0) -> ScoredRow:
    middle = 0.5 if score is None else score
    return ScoredRow(
        id=name, score=score, lower=middle - reach, upper=middle + reach, since=START + timedelta(days=day)
    )


def places(rows: list[ScoredRow]) -> list[tuple[str, int, int, int]]:
    return [(ranked.id, ranked.best, ranked.worst, ranked.group) for ranked in rank_ranges(rows)]


def test_separated_models_have_one_rank_each() -> None:
    assert places([row("low", 0.2), row("high", 0.9), row("middle", 0.5)]) == [
        ("high", 1, 1, 1),
        ("middle", 2, 2, 2),
        ("low", 3, 3, 3),
    ]


def test_models_not_separated_share_a_group_and_the_earlier_stands_first() -> None:
    assert places([row("lucky", 0.84, day=9), row("first", 0.80, day=1), row("far", 0.3)]) == [
        ("first", 1, 2, 1),
        ("lucky", 1, 2, 1),
        ("far", 3, 3, 2),
    ]


def test_a_group_is_what_its_leader_is_not_separated_from() -> None:
    chain = [row("a", 0.90), row("b", 0.82), row("c", 0.74)]
    assert places(chain) == [("a", 1, 2, 1), ("b", 1, 3, 1), ("c", 2, 3, 2)]


def test_intervals_that_touch_are_not_separated() -> None:
    touching = [row("a", 0.75, 0.25), row("b", 0.25, 0.25)]
    assert places(touching) == [("a", 1, 2, 1), ("b", 1, 2, 1)]


def test_a_missing_score_never_outranks_a_number() -> None:
    rows = [row("none", None, day=0), row("zero", 0.0, day=5), row("nan", math.nan, day=1)]
    assert places(rows) == [("zero", 1, 1, 1), ("none", 2, 3, 2), ("nan", 2, 3, 2)]


def test_an_empty_board_is_empty() -> None:
    assert rank_ranges([]) == []


def test_equal_times_fall_back_on_the_name() -> None:
    assert [ranked.id for ranked in rank_ranges([row("b", 0.5), row("a", 0.5)])] == ["a", "b"]


@given(st.lists(st.tuples(st.none() | st.floats(0, 1), st.floats(0, 0.5), st.integers(0, 9)), max_size=12))
def test_ranges_are_consistent_whatever_the_scores(models: list[tuple[float | None, float, int]]) -> None:
    rows = [row(str(number), *model) for number, model in enumerate(models)]
    ranked: list[RankedRow] = rank_ranges(rows)
    assert sorted(one.id for one in ranked) == sorted(one.id for one in rows)
    assert all(1 <= one.best <= one.worst <= len(rows) for one in ranked)
    assert [one.group for one in ranked] == sorted(one.group for one in ranked)

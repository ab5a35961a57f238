"""Comparisons from scores: paired on one draw, unpaired on two, and all pairs of a board."""

import random

import pytest

from api.evaluations.comparing import MOST_ROWS, Scored, compare, compare_board
from api.pages.compare import reach_of
from tetrad.contracts.leaderboards import Board, BoardRow
from tetrad.statistics.deciding import holm, sample_of


def scored(name: str, verdicts: str, draw: str = "d") -> Scored:
    """Return scores of a run: 1 for each right item, 0 for each wrong one."""
    scores = {str(item): float(verdict) for item, verdict in enumerate(verdicts)}
    return Scored(name, draw, "m", scores, sample_of(list(scores.values())))


def row(model: str, score: float, items: int = 300, rank: int | None = 1) -> BoardRow:
    return BoardRow(
        model=model,
        team="t",
        score=score,
        interval=None,
        rank_best=rank,
        rank_worst=rank,
        group=1,
        items=items,
        attempts=1,
        team_models=1,
        unread_share=0,
        cost=None,
        origin="run by the service",
        first_scored_at="",
    )


def board(*rows: BoardRow) -> Board:
    return Board(
        benchmark="toy",
        version=1,
        track="toy",
        setting="full",
        parameters={},
        metric="m",
        least_items=20,
        rows=list(rows),
        reference=[],
    )


def test_the_scale_of_a_board_s_differences_holds_all_intervals() -> None:
    alike, apart = scored("b", "1011" * 25, "e"), scored("c", "0001" * 25, "f")
    pairs = [compare(scored("a", "1111" * 25), other) for other in (alike, apart)]
    assert (reach_of(pairs[:1]), reach_of(pairs)) == (0.5, 0.9)


def test_items_of_one_draw_are_paired() -> None:
    made = compare(scored("a", "1111100000"), scored("b", "1110010000"))
    assert (made.pairing, made.items_a, made.items_b) == ("paired", 10, 10)
    assert made.mcnemar is not None
    assert (made.mcnemar.only_a, made.mcnemar.only_b) == (2, 1)
    assert made.mcnemar.p_value == pytest.approx(1.0)
    assert made.difference == pytest.approx(-0.1)
    assert made.discordance == pytest.approx(0.3)
    assert made.interval.lower < made.difference < made.interval.upper


def test_items_of_two_draws_are_not() -> None:
    made = compare(scored("a", "1111100000" * 20), scored("b", "1110000000" * 20, draw="other"))
    assert (made.pairing, made.mcnemar) == ("unpaired", None)
    assert made.difference == pytest.approx(-0.2)
    assert made.interval.upper < 0
    assert made.p_value is not None
    assert made.p_value < 0.001


def published(name: str, verdicts: dict[str, int]) -> Scored:
    scores = {item: float(verdict) for item, verdict in verdicts.items()}
    return Scored(name, f"draw of {name}", "m", scores, sample_of(list(scores.values())), are_published=True)


def test_published_items_are_paired_by_name_over_two_draws() -> None:
    a = published("a", {f"t{number}": number % 2 for number in range(40)})
    b = published("b", {f"t{number}": number % 2 and number > 4 for number in reversed(range(40))})
    made = compare(a, b)
    assert (made.pairing, made.items_a, made.items_b) == ("paired", 40, 40)
    assert made.mcnemar is not None
    assert (made.mcnemar.only_a, made.mcnemar.only_b) == (2, 0)
    assert (made.score_a, made.score_b) == (0.5, 0.45)


def test_of_two_parts_of_a_corpus_that_share_little_every_item_counts() -> None:
    a = published("a", {f"t{number}": number % 2 for number in range(40)})
    most = compare(a, published("b", {f"t{number}": 1 for number in range(20, 60)}))
    assert (most.pairing, most.items_a, most.score_a, most.score_b) == ("paired", 20, 0.5, 1.0)
    little = compare(a, published("b", {f"t{number}": 1 for number in range(21, 61)}))
    assert (little.pairing, little.items_a, little.items_b) == ("unpaired", 40, 40)


def test_equal_names_of_a_draw_and_a_corpus_are_other_items() -> None:
    names = published("a", {"t1": 1, "t2": 0})
    numbers = Scored("b", names.commitment + "x", "m", {"t1": 1.0, "t2": 0.0}, names.sample)
    assert compare(names, numbers).pairing == "unpaired"


def test_pairs_need_fewer_items_than_two_draws() -> None:
    verdicts = "1111100000" * 10
    changed = "0" + verdicts[1:]
    paired = compare(scored("a", verdicts), scored("b", changed))
    unpaired = compare(scored("a", verdicts), scored("b", changed, draw="other"))
    assert paired.items_needed is not None
    assert paired.items_needed < 200
    assert unpaired.items_needed is None, "so few items of the baseline can't decide five points"
    assert (paired.least_detectable or 1) < (unpaired.least_detectable or 0)


def test_shares_of_an_item_are_paired_without_mcnemar() -> None:
    a = Scored("a", "d", "m", {"0": 0.5, "1": 1.0, "2": 0.0}, sample_of([0.5, 1.0, 0.0]))
    b = Scored("b", "d", "m", {"0": 1.0, "1": 1.0, "2": 0.0}, sample_of([1.0, 1.0, 0.0]))
    made = compare(a, b)
    assert (made.pairing, made.mcnemar, made.discordance) == ("paired", None, None)
    assert made.difference == pytest.approx(1 / 6)


def test_all_pairs_of_a_board_are_corrected_together() -> None:
    table = compare_board(board(row("a", 0.9), row("b", 0.6), row("c", 0.58), row("few", 0.1, rank=None)))
    assert table.rows == ["t/a", "t/b", "t/c"]
    assert [(pair.a, pair.b) for pair in table.pairs] == [("t/a", "t/b"), ("t/a", "t/c"), ("t/b", "t/c")]
    plain = [pair.p_value or 0.0 for pair in table.pairs]
    assert [pair.adjusted_p_value for pair in table.pairs] == holm(plain)
    adjusted = [pair.adjusted_p_value for pair in table.pairs if pair.adjusted_p_value is not None]
    assert max(adjusted[:2]) < 0.001
    assert adjusted[2] > 0.5


def test_rows_of_a_long_board_are_compared_with_their_neighbours() -> None:
    table = compare_board(board(*(row(f"m{number}", 0.5) for number in range(MOST_ROWS + 1))))
    assert table.compared == "neighbours"
    assert [(pair.a, pair.b) for pair in table.pairs[:2]] == [("t/m0", "t/m1"), ("t/m1", "t/m2")]
    assert len(table.pairs) == MOST_ROWS


def test_the_items_that_each_of_two_rows_needs_decide_their_gap() -> None:
    """The formula's number of items on either side gives the power that it promises, by simulation."""
    [pair] = compare_board(board(row("a", 0.6), row("b", 0.5))).pairs
    needed, rng = pair.items_to_part, random.Random(7)
    assert needed is not None
    decided = 0
    for _ in range(400):
        high = sum(rng.random() < 0.6 for _ in range(needed)) / needed
        low = sum(rng.random() < 0.5 for _ in range(needed)) / needed
        error = ((high * (1 - high) + low * (1 - low)) / needed) ** 0.5
        decided += high - low > 1.645 * error
    assert 0.74 < decided / 400 < 0.86
    assert pair.items_of_each == pytest.approx(4 * needed, rel=0.02), "half the distance takes four times the items"

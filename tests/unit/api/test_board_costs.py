"""What a point costs on a board: the frontier is as it is defined, and every dot of the plot is in the table."""

import re
from random import Random

from api.boards.run_costs import cost_frontier
from api.pages.board_costs import MOST_POINTS, costs_of
from api.pages.boards import forest_row
from tetrad.contracts.leaderboards import BoardRow
from tetrad.reporting.pages.words import UNKNOWN

COSTS = (None, 0.0, 0.02, 0.3, 0.3, 4.5, 71.0)
SCORES = (None, 0.2, 0.4, 0.4, 0.6, 0.9)


def row(name: str, cost: float | None, score: float | None) -> BoardRow:
    return BoardRow(
        model=name,
        team="a-team",
        score=score,
        interval=None,
        rank_best=None,
        rank_worst=None,
        group=None,
        items=200,
        attempts=1,
        team_models=1,
        unread_share=0.0,
        cost=cost,
        origin="run by the service",
        first_scored_at="2026-01-01T00:00:00.000Z",
    )


def some_rows(rng: Random, count: int) -> list[BoardRow]:
    return [row(f"model-{place}", rng.choice(COSTS), rng.choice(SCORES)) for place in range(count)]


def beats(other: BoardRow, one: BoardRow) -> bool:
    """Tell whether `other` has a higher score for as much or less, or as high a one for less."""
    if other.cost is None or other.score is None or one.cost is None or one.score is None:
        return False
    return other.cost <= one.cost and other.score >= one.score and (other.cost, other.score) != (one.cost, one.score)


def test_the_frontier_is_the_rows_that_none_beats() -> None:
    rng = Random(3)
    for _ in range(300):
        rows = some_rows(rng, rng.randrange(9))
        known = [one for one in rows if one.cost is not None and one.score is not None]
        unbeaten = {one.model for one in known if not any(beats(other, one) for other in rows)}
        frontier = cost_frontier(rows)
        assert {one.model for one in frontier} == unbeaten
        assert [one.cost for one in frontier] == sorted(one.cost or 0.0 for one in frontier)


def test_every_dot_has_a_row_that_says_what_beats_it() -> None:
    rng = Random(4)
    rows = some_rows(rng, 60)
    view = costs_of(rows)
    assert view is not None
    known = [one for one in rows if one.cost is not None and one.score is not None]
    assert (len(view.rows), view.left_out) == (MOST_POINTS, len(known) - MOST_POINTS)
    assert len(re.findall("<circle", view.plot)) == MOST_POINTS
    by_name = {one.model: one for one in rows}
    for shown in view.rows:
        assert not shown.beaten_by or beats(by_name[shown.beaten_by], by_name[shown.model])
        assert shown.beaten_by or not any(beats(other, by_name[shown.model]) for other in rows)
    places = [float(place) for place in re.findall(r'<circle[^>]* c[xy]="([\d.]+)%"', view.plot)]
    assert all(0 <= place <= 100 for place in places)


def test_what_cost_nothing_is_0_in_the_table_of_rows_too() -> None:
    said = [forest_row("", row("model", cost, 0.5), ranked=3, least=200).cost for cost in (0.0, 0.004, 0.5, None)]
    assert said == ["0", "0.004", "0.50", UNKNOWN]


def test_a_board_on_which_nothing_cost_money_has_no_such_part() -> None:
    assert costs_of([row("free", 0.0, 0.5), row("unknown", None, 0.9)]) is None
    assert costs_of([row("waiting", 3.0, None)]) is None

"""The part of a board's page that sets scores against what the service paid for the answers.

It stands alone because it is the one part that few boards have: where an evaluation measured costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from api.boards.run_costs import cost_frontier
from tetrad.contracts.leaderboards import BoardRow
from tetrad.reporting.pages.charts import cost_plot
from tetrad.reporting.pages.words import in_percent

MOST_POINTS = 40  # of the plot, the frontier first
TEN_CENTS = 0.1


@dataclass(frozen=True, kw_only=True)
class CostRow:
    """A dot of the plot. `beaten_by` has a higher score for as much or less; "" where nothing has."""

    number: int
    model: str
    team: str
    score: str
    cost: str
    beaten_by: str


@dataclass(frozen=True, kw_only=True)
class CostsView:
    plot: Markup
    rows: tuple[CostRow, ...]
    left_out: int


def costs_of(rows: Sequence[BoardRow]) -> CostsView | None:
    """Return scores against costs; None where nothing on the board is known to have cost money."""
    frontier = cost_frontier(rows)
    known = [row for row in rows if row.cost is not None and row.score is not None]
    if not any(row.cost for row in known):
        return None
    first = {id(row) for row in frontier}
    shown = [*frontier, *(row for row in known if id(row) not in first)][:MOST_POINTS]
    shown.sort(key=lambda row: (row.cost or 0.0, -(row.score or 0.0)))
    label = f"Scores against costs of {len(shown)} models, whose figures are in the table below"
    return CostsView(
        plot=cost_plot(label, [_point(row) for row in shown], [_point(row) for row in frontier if row in shown]),
        rows=tuple(
            CostRow(
                number=number,
                model=row.model,
                team=row.team,
                score=in_percent(row.score),
                cost=write_dollars(row.cost or 0.0),
                beaten_by="" if id(row) in first else _beats(row, frontier).model,
            )
            for number, row in enumerate(shown, start=1)
        ),
        left_out=len(known) - len(shown),
    )


def _point(row: BoardRow) -> tuple[float, float]:
    return row.cost or 0.0, row.score or 0.0


def _beats(row: BoardRow, frontier: Sequence[BoardRow]) -> BoardRow:
    """Return the best row of the frontier that costs as much or less."""
    return [other for other in frontier if _point(other)[0] <= _point(row)[0]][-1]


def write_dollars(cost: float) -> str:
    """Write a cost: cents, or two digits of what is less than ten of them."""
    return "0" if not cost else f"{cost:.2f}" if cost >= TEN_CENTS else f"{cost:.2g}"

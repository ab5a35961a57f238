"""The cost of rows whose answers the service itself asked for: US dollars for 100 items, by what providers reported.

It stands alone because it reads what calls took, and a board is made of scores. A run's cost is kept once it is scored:
its calls don't change any more.
"""

import threading
from collections.abc import Sequence

import sqlalchemy as sa
from cachetools import LRUCache

from api.database.parts import parts
from api.database.schema import evaluation_calls, evaluation_runs, submissions
from tetrad.contracts.leaderboards import BoardRow
from tetrad.server.database import is_state

NANO = 1_000_000_000
ITEMS = 100
MOST_KEPT = 50_000
Run = tuple[str, str, int]
"""A scored submission, its model's id, and the items of its draw."""


class RunCosts:
    """The costs of scored runs, in nanodollars; None where a price or a usage is unknown. Safe from any thread."""

    def __init__(self) -> None:
        self._kept: LRUCache[str, int | None] = LRUCache(MOST_KEPT)
        self._lock = threading.Lock()

    def on_board(self, connection: sa.Connection, name: str, models: Sequence[str]) -> dict[str, float | None]:
        """Return the cost of 100 items on a board, in US dollars, by the ids of these models of the service."""
        runs = _runs_on(connection, name, models)
        costs = self._of(connection, [submission for submission, _, _ in runs])
        by_model: dict[str, list[Run]] = {}
        for run in runs:
            by_model.setdefault(run[1], []).append(run)
        return {model: _dollars(found, costs) for model, found in by_model.items()}

    def _of(self, connection: sa.Connection, names: Sequence[str]) -> dict[str, int | None]:
        with self._lock:
            known = {name: self._kept[name] for name in names if name in self._kept}
        missing = [name for name in names if name not in known]
        found = _sum_costs(connection, missing)
        with self._lock:
            self._kept.update(found)
        return known | found


def _runs_on(connection: sa.Connection, name: str, models: Sequence[str]) -> list[Run]:
    s = submissions.c
    query = (
        sa.select(s.id, s.model_id, s.size)
        .join(evaluation_runs, evaluation_runs.c.id == s.id)
        .where(s.board == name, s.visibility == "public", is_state(s.state, "scored"), s.unranked.is_(None))
    )
    return [
        (row.id, row.model_id, row.size)
        for part in parts(models)
        for row in connection.execute(query.where(s.model_id.in_(part)))
    ]


def _sum_costs(connection: sa.Connection, names: Sequence[str]) -> dict[str, int | None]:
    """Return the sums over the calls of each run; a run without calls cost nothing."""
    c, count = evaluation_calls.c, sa.func.count()
    query = sa.select(c.submission_id, count.label("calls"), sa.func.count(c.cost).label("known"), sa.func.sum(c.cost))
    found: dict[str, int | None] = dict.fromkeys(names, 0)
    for part in parts(names):
        for name, calls, known, total in connection.execute(
            query.where(c.submission_id.in_(part)).group_by(c.submission_id)
        ):
            found[name] = int(total) if known == calls else None
    return found


def _dollars(runs: Sequence[Run], costs: dict[str, int | None]) -> float | None:
    known = [cost for submission, _, _ in runs if (cost := costs[submission]) is not None]
    if len(known) < len(runs):
        return None
    return ITEMS * sum(known) / sum(size for _, _, size in runs) / NANO


def cost_frontier(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Return the rows that no other beats, cheapest first: none has a higher score for as much or less.

    Of rows with one score and one cost all stay. Rows without a score or a known cost are left out.
    """
    known = [(row.cost, row.score, row) for row in rows if row.cost is not None and row.score is not None]
    frontier: list[BoardRow] = []
    best = -1.0
    for cost, score, row in sorted(known, key=lambda found: (found[0], -found[1])):
        is_equal = frontier and (frontier[-1].cost, frontier[-1].score) == (cost, score)
        if score > best or is_equal:
            frontier.append(row)
            best = score
    return frontier

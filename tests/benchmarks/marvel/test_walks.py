"""A figure that walks through the cells of a square: every way that a person might continue it leads to the key.

The ways are written here again, from rows and columns, so that a mistake in the library's readings shows.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from generator_service.benchmarks.marvel.spec import SEQUENCE, SHAPES, TEMPORAL, Puzzle
from tests.benchmarks.marvel.items import puzzle

Cell = tuple[int, int]
SIDES = {9: 3, 16: 4}


def orders(side: int) -> dict[str, list[Cell]]:
    """Return the paths through the cells on which equal steps would be noticed."""
    rows = [(row, column) for row in range(side) for column in range(side)]
    snake = [(row, column if row % 2 == 0 else side - 1 - column) for row, column in rows]
    edge = range(side - 1)
    border = [
        *((0, one) for one in edge),
        *((one, side - 1) for one in edge),
        *((side - 1, side - 1 - one) for one in edge),
        *((side - 1 - one, 0) for one in edge),
    ]
    return {
        "rows": rows,
        "columns": [(row, column) for column, row in rows],
        "back and forth": snake,
        "border": border,
    }


def continued(line: Sequence[int], size: int) -> int | None:
    """Return the next value of a line with equal steps round a ring, or None."""
    steps = {(b - a) % size for a, b in pairwise(line)}
    return (line[-1] + steps.pop()) % size if len(steps) == 1 and 0 not in steps else None


def predicted(seen: Sequence[Cell], side: int) -> dict[str, Callable[[Cell], bool]]:
    """Return, for each way that the cells follow, which cells it allows next."""
    found: dict[str, Callable[[Cell], bool]] = {}
    for name, order in orders(side).items():
        if all(cell in order for cell in seen):
            following = continued([order.index(cell) for cell in seen], len(order))
            if following is not None:
                found[name] = lambda cell, wanted=order[following]: cell == wanted  # type: ignore[misc]
    for axis, name in enumerate(("row", "column")):
        value = continued([cell[axis] for cell in seen], side)
        if value is not None:
            found[name] = lambda cell, axis=axis, value=value: cell[axis] == value  # type: ignore[misc]
    return found


def walks() -> list[tuple[int, list[Cell], list[Cell], Puzzle]]:
    drawn = [puzzle(TEMPORAL, SEQUENCE, shape, number) for shape in SHAPES for number in range(300)]
    found = []
    for one in drawn:
        if one.family == "walk":
            side = SIDES[one.look.ground]
            context, choices = (
                [divmod(panel.values[0], side) for panel in part] for part in (one.context, one.choices)
            )
            found.append((side, context, choices, one))
    return found


def test_every_way_on_that_leads_to_a_choice_leads_to_the_key() -> None:
    ambiguous = []
    for side, context, choices, one in walks():
        for name, allows in predicted(context, side).items():
            allowed = [place for place, cell in enumerate(choices) if allows(cell)]
            if allowed and one.key not in allowed:
                ambiguous.append((name, context, choices, one.key))
    assert not ambiguous


def test_a_walk_shows_four_panels_and_goes_to_a_neighbour() -> None:
    found = walks()
    assert len(found) > 50
    for side, context, _, _ in found:
        assert len(context) >= 4
        (row, column), (to_row, to_column) = context[:2]
        step = (side * (to_row - row) + to_column - column) % side**2
        assert min(step, side**2 - step) in {1, side - 1, side, side + 1}

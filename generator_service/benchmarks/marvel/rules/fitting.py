"""Find the choices that rules select. A rule is a law along the lines of a configuration, over one reading.

A rule fits if the context follows it. It then selects the choices with which the puzzle still follows it. A puzzle is
valid if every rule that fits and selects some choices selects the right one, and no other choice is selected by all of
them.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

from generator_service.benchmarks.marvel.rules.laws import ACROSS, ALONG, DOWN_TWO, ONCE, SAME, Law, Line
from generator_service.benchmarks.marvel.spec import GROUP, MATRIX, SEQUENCE, TWO_ROW
from generator_service.cache_budget import cache_within_budget

Row: TypeAlias = tuple[int, ...]
"""Places of panels in reading order; the blank is the last place."""

_MATRIX_ROWS = tuple(tuple(range(3 * row, 3 * row + 3)) for row in range(3))
_MATRIX_COLUMNS = tuple(tuple(range(column, 9, 3)) for column in range(3))
_SNAKE = (tuple(range(9)),)

# The lines through each configuration, and the laws that may hold along them.
READINGS: dict[str, tuple[tuple[str, tuple[Row, ...], tuple[Law, ...]], ...]] = {
    TWO_ROW: (
        ("row", ((0, 1, 2), (3, 4, 5)), ACROSS),
        ("column", ((0, 3), (1, 4), (2, 5)), DOWN_TWO),
    ),
    MATRIX: (
        ("row", _MATRIX_ROWS, ACROSS),
        ("column", _MATRIX_COLUMNS, ACROSS),
        ("whole", _SNAKE, ALONG),
    ),
    GROUP: (("all", ((0, 1, 2),), (SAME,)),),
}


def ways(configuration: str, panels: int) -> tuple[tuple[str, tuple[Row, ...], tuple[Law, ...]], ...]:
    if configuration == SEQUENCE:
        return (("sequence", (tuple(range(panels)),), ALONG),)
    return READINGS[configuration]


def selections(
    configuration: str, kind: str, size: int, context: Line, options: Line
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield each rule that fits the context's values and selects some of the options, with the options it selects."""
    for way, rows, laws in ways(configuration, len(context) + 1):
        for law in laws:
            if kind in law.kinds:
                chosen = _select_options(law, rows, size, context, options)
                if chosen:
                    yield f"{law.name} by {way}", chosen


def _select_options(law: Law, rows: Sequence[Row], size: int, context: Line, options: Line) -> frozenset[int]:
    """Return the options with which the last row follows the law as the others do; none if the others don't."""
    *whole, last = rows
    seen = tuple(context[place] for place in last[:-1])
    found: Hashable | None = None
    for row in whole:
        parameter = law.read(tuple(context[place] for place in row), size)
        if parameter is None or (law.shared and found is not None and parameter != found):
            return frozenset()
        found = parameter
    if not whole:
        if len(seen) < law.least:
            return frozenset()
        found = law.read(seen, size)
        if found is None:
            return frozenset()
    return frozenset(
        place
        for place, option in enumerate(options)
        if (read := law.read((*seen, option), size)) is not None and (read == found or not law.shared)
    )


def once_repeated(kind: str, size: int, context: Line, options: Line) -> list[frozenset[int]]:
    """Return the sets of options that go on with what a sequence has repeated once."""
    row = tuple(range(len(context) + 1))
    found = [_select_options(law, (row,), size, context, options) for law in ONCE if kind in law.kinds]
    return [chosen for chosen in found if chosen]


@cache_within_budget(100_000)
def selected_sets(configuration: str, kind: str, size: int, context: Line, options: Line) -> tuple[frozenset[int], ...]:
    """Return the different sets of options that rules select over one reading, except the set of all."""
    if len(set(options)) == 1:
        return ()
    every = frozenset(range(len(options)))
    found = {chosen for _, chosen in selections(configuration, kind, size, context, options)}
    return tuple(sorted(found - {every}, key=sorted))

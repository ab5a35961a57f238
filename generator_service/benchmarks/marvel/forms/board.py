"""A ruled board for cells, eight tenths of a panel wide."""

from generator_service.drawing.vector import Pen, Point

_FIRST, _LAST = 80, 920


def grid(pen: Pen, count: int) -> None:
    side = (_LAST - _FIRST) / count
    for line in range(count + 1):
        pen.line([(_FIRST, _FIRST + side * line), (_LAST, _FIRST + side * line)], width=10)
        pen.line([(_FIRST + side * line, _FIRST), (_FIRST + side * line, _LAST)], width=10)


def cell_middle(column: int, row: int, count: int) -> Point:
    """Return the middle of a cell of a board of so many by so many."""
    side = (_LAST - _FIRST) / count
    return _FIRST + side * (column + 0.5), _FIRST + side * (row + 0.5)

"""Draw a ruled board for cells, eight tenths of a panel wide."""

from functools import lru_cache

from generator_service.drawing.vector import Pen, Point

_FIRST, _LAST = 80, 920


def grid(pen: Pen, count: int) -> None:
    """Draw an empty board, which replaces everything that the pen has drawn."""
    pen.copy_of(_rule_board(pen.side, count))


@lru_cache(maxsize=8)
def _rule_board(pixels: int, count: int) -> Pen:
    pen, side = Pen(pixels), (_LAST - _FIRST) / count
    for line in range(count + 1):
        pen.line([(_FIRST, _FIRST + side * line), (_LAST, _FIRST + side * line)], width=10)
        pen.line([(_FIRST + side * line, _FIRST), (_FIRST + side * line, _LAST)], width=10)
    return pen


def cell_middle(column: int, row: int, count: int) -> Point:
    """Return the middle of a cell on a board of `count` by `count` cells."""
    side = (_LAST - _FIRST) / count
    return _FIRST + side * (column + 0.5), _FIRST + side * (row + 0.5)

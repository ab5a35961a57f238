"""Count how robust a place on a board is: the least number of items whose verdict has to turn to swap two rows.

It stands alone because it is the one thing of a board that asks what would have been, and is proved by brute force.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from tetrad.contracts.leaderboards import BoardRow

_ROUNDING = 1e-9


def with_flips(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Return the rows, each ranked one with the flips that swap it with the next ranked one."""
    ranked = [row for row in rows if row.rank_best is not None and row.score is not None]
    flips = {id(row): flips_between(row, following) for row, following in pairwise(ranked)}
    return [replace(row, flips_to_swap=flips[id(row)]) if id(row) in flips else row for row in rows]


def flips_between(first: BoardRow, second: BoardRow) -> int | None:
    """Return the flips that turn the order of two rows by score. None where nothing is scored."""
    if first.score is None or second.score is None:
        return None
    pair = [(first.score * first.items, first.items), (second.score * second.items, second.items)]
    above, below = sorted(pair, key=lambda total: -total[0] / total[1])
    return flips_to_swap(above, below)


def flips_to_swap(above: tuple[float, int], below: tuple[float, int]) -> int | None:
    """Return the least number of items that, turned, put the lower row strictly above the higher one.

    Each row is (total, items), and an item turned is one right less above, or one more below. None if no number does.
    Items of the row with fewer items move its score further, so they are turned first.
    """
    (high, high_items), (low, low_items) = above, below
    gap = high / high_items - low / low_items
    steps = sorted(
        [(1 / high_items, math.floor(high + _ROUNDING)), (1 / low_items, math.floor(low_items - low + _ROUNDING))],
        reverse=True,
    )
    flips = 0
    for step, most in steps:
        needed = math.floor(gap / step + _ROUNDING) + 1
        if needed <= most:
            return flips + needed
        flips, gap = flips + most, gap - most * step
    return None

"""How many copies of an object a panel holds, and what one copy looks like.

Copies fill a grid from the top left, four to a row, or two where they also differ in size. A crop takes the panel's
edges away and brings the rest to its full size: then the grid is looked for inside what is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tetrad.solvers.kiva_pixels.panels import SIDE, Pair, Thumb, resized

GRIDS = (4, 2)
CROPS = (100, *range(99, 89, -1))  # percent of the side that is kept
_OCCUPIED = 0.004  # mean alpha of a cell that holds a copy: a thin object covers 2% of it
_SAME_COPY = 0.06
_SAME_CROPPED = 0.12  # resampled twice, copies differ more
_WHOLE = 100


@dataclass(frozen=True)
class Copies:
    """`one` is a single copy on its own canvas; a panel without a grid is one copy of itself."""

    count: int
    one: Thumb


def copies(pair: Pair) -> tuple[Copies, Copies]:
    """Read both panels of a pair in the same grid, or as single objects."""
    # Of a cropped grid, the first copy is cut at the top and at the left.
    for crop in CROPS if all(_is_cut(panel) for panel in pair) else CROPS[:1]:
        shown = [_uncropped(panel, crop) for panel in pair]
        for columns in GRIDS:
            found = [_in_grid(panel, columns, crop) for panel in shown]
            before, after = found
            if before is not None and after is not None:
                return before, after
    return Copies(1, pair[0]), Copies(1, pair[1])


def _is_cut(panel: Thumb) -> bool:
    return bool(panel[0, :, 3].any() and panel[:, 0, 3].any())


def _uncropped(panel: Thumb, crop: int) -> Thumb:
    """Shrink the panel to the part of its canvas that it shows; what was cut off stays empty."""
    if crop == _WHOLE:
        return panel
    canvas = np.zeros_like(panel)
    edge, kept = _known(crop)
    canvas[edge : edge + kept, edge : edge + kept] = resized(panel, kept, kept)
    return canvas


def _known(crop: int) -> tuple[int, int]:
    kept = round(SIDE * crop / _WHOLE)
    return (SIDE - kept) // 2, kept


def _in_grid(panel: Thumb, columns: int, crop: int) -> Copies | None:
    """Read a grid of as many columns; None where the panel is no such grid."""
    cell = SIDE // columns
    cells = panel.reshape(columns, cell, columns, cell, 4).swapaxes(1, 2).reshape(-1, cell, cell, 4)
    occupied = cells[..., 3].mean(axis=(1, 2)) > _OCCUPIED
    count = int(occupied.sum())
    if not count or not occupied[:count].all():
        return None
    inside = _inside(columns, cell, crop)
    tolerance = _SAME_COPY if crop == _WHOLE else _SAME_CROPPED
    whole = max(range(count), key=lambda at: inside[at].sum())
    if any(_apart(cells[whole], cells[at], inside[whole] & inside[at]) > tolerance for at in range(count)):
        return None
    return Copies(count, cells[whole])


def _inside(columns: int, cell: int, crop: int) -> Sequence[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Tell which pixels of each cell the crop left."""
    edge, kept = _known(crop)
    mask = np.zeros((SIDE, SIDE), np.bool_)
    mask[edge : edge + kept, edge : edge + kept] = True
    found = mask.reshape(columns, cell, columns, cell).swapaxes(1, 2).reshape(-1, cell, cell)
    return list(found)


def _apart(a: Thumb, b: Thumb, where: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    return distance(a * where[..., None], b * where[..., None])


def distance(expected: Thumb, shown: Thumb) -> float:
    """Share of the two objects that differs: summed difference over the summed larger of both, 0 to 1."""
    return float(np.abs(expected - shown).sum() / max(float(np.maximum(expected, shown).sum()), 1e-6))

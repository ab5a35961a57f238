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
_SAME_CROPPED = 0.3  # resampled at places between pixels, and cut differently, copies differ more
_CENTRED = 0.08  # of the side: how far from the middle a single object's own may be
_WHOLE = 100


@dataclass(frozen=True)
class Copies:
    """`one` is a single copy on its own canvas; a panel without a grid is one copy of itself."""

    count: int
    one: Thumb


def copies(pair: Pair) -> tuple[Copies, Copies]:
    """Read both panels of a pair in the same grid, or as single objects."""
    found = _in_one_grid(pair, CROPS[:1], _SAME_COPY)
    if found is None and any(_is_off_centre(panel) for panel in pair):
        found = _in_one_grid(pair, CROPS[1:], _SAME_CROPPED)
    return found or (Copies(1, pair[0]), Copies(1, pair[1]))


def _in_one_grid(pair: Pair, crops: Sequence[int], tolerance: float) -> tuple[Copies, Copies] | None:
    """Read both panels in the grid, of the crops named, in which copies are most alike."""
    best: tuple[float, tuple[Copies, Copies]] | None = None
    for crop in crops:
        shown = [_uncropped(panel, crop) for panel in pair]
        for columns in GRIDS:
            found = [_in_grid(panel, columns, crop) for panel in shown]
            before, after = found
            if before is None or after is None:
                continue
            apart = max(before[0], after[0])
            if apart <= tolerance and (best is None or apart < best[0]):
                best = apart, (before[1], after[1])
    return best and best[1]


def _is_off_centre(panel: Thumb) -> bool:
    """Tell whether what is drawn may fill a grid from the top left: single objects stand about the middle."""
    rows, columns = (np.flatnonzero(panel[..., 3].max(axis=axis) > _OCCUPIED) for axis in (1, 0))
    if not rows.size:
        return False
    return any(abs((drawn[0] + drawn[-1] + 1) / 2 - SIDE / 2) > _CENTRED * SIDE for drawn in (rows, columns))


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


def _in_grid(panel: Thumb, columns: int, crop: int) -> tuple[float, Copies] | None:
    """Read a grid of as many columns, and say how far its copies are from alike; None where it has gaps."""
    cell = SIDE // columns
    cells = panel.reshape(columns, cell, columns, cell, 4).swapaxes(1, 2).reshape(-1, cell, cell, 4)
    occupied = cells[..., 3].mean(axis=(1, 2)) > _OCCUPIED
    count = int(occupied.sum())
    if not count or not occupied[:count].all():
        return None
    inside = _inside(columns, cell, crop)
    whole = max(range(count), key=lambda at: inside[at].sum())
    apart = max(_apart(cells[whole], cells[at], inside[whole] & inside[at]) for at in range(count))
    return apart, Copies(count, cells[whole])


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

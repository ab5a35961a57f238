"""Find the copies of an object in a panel: their number, and one of them.

Copies fill a grid from the top left, four to a row, or two where they also differ in size. A crop removes the panel's
edges and scales the rest to full size, so the grid is searched for at each possible crop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tetrad.solvers.kiva.panels import SIDE, Pair, Thumb, resized

Kind = TypeVar("Kind", bound=np.generic)
GRIDS = (4, 2)
CROPS = (100, *range(99, 89, -1))  # percent of the side that is kept
_OCCUPIED = 0.004  # mean alpha of a cell that holds a copy: a thin object covers 2% of it
_SAME_COPY = 0.06
_SAME_CROPPED = 0.3  # copies that were resampled between pixels and cut differently differ more
_WHOLE = 100
_DRAWN = 256  # pixels of a panel's side, as KiVA draws it


@dataclass(frozen=True)
class Copies:
    """`one` is a single copy on its own canvas; a panel without a grid is one copy of itself.

    hidden: (side, side, 1), 1 where a crop removed a part of that canvas, else 0.
    """

    count: int
    one: Thumb
    hidden: Thumb


def copies(pair: Pair) -> tuple[Copies, Copies]:
    """Read both panels of a pair in the finest grid whose cells hold copies, or as single objects.

    A coarser grid's cells hold groups of a finer grid's copies, and look just as much alike, so the finest grid counts.
    """
    crops = CROPS if any(_may_be_grid(panel) for panel in pair) else CROPS[:1]
    for columns in GRIDS:
        found = _in_grid(pair, columns, crops[:1], _SAME_COPY) or _in_grid(pair, columns, crops[1:], _SAME_CROPPED)
        if found is not None:
            return found
    before, after = (Copies(1, panel, np.zeros_like(panel[..., 3:])) for panel in pair)
    return before, after


def _in_grid(pair: Pair, columns: int, crops: Sequence[int], tolerance: float) -> tuple[Copies, Copies] | None:
    """Read both panels at the crop at which copies are most alike; None if they are never alike enough."""
    found = [read for crop in crops if (read := _read(pair, columns, crop)) is not None and read[0] <= tolerance]
    return min(found, key=lambda read: read[0])[1:] if found else None


def _read(pair: Pair, columns: int, crop: int) -> tuple[float, Copies, Copies] | None:
    """Read a grid of this many columns. Return the copies' largest difference and the copies; None if it has gaps.

    The copy comes from the same cell of both panels, the one that the crop left most of.
    """
    before, after = (_occupied(_uncropped(panel, crop), columns) for panel in pair)
    if not before or not after:
        return None
    inside = _inside(columns, crop)
    whole = max(range(min(len(before), len(after))), key=lambda at: inside[at].sum())
    apart = max(
        _apart(cells[whole], cell, inside[whole] & inside[at])
        for cells in (before, after)
        for at, cell in enumerate(cells)
    )
    hidden = 1 - inside[whole, ..., None].astype(np.float32)
    return apart, Copies(len(before), before[whole], hidden), Copies(len(after), after[whole], hidden)


def _may_be_grid(panel: Thumb) -> bool:
    """Tell whether the lower right quarter is empty, as in every grid. Single objects stand in the middle."""
    return bool(panel[SIDE // 2 :, SIDE // 2 :, 3].mean() <= _OCCUPIED)


def _uncropped(panel: Thumb, crop: int) -> Thumb:
    """Shrink the panel to its place on the canvas that it was cut from; what was cut off stays empty."""
    if crop == _WHOLE:
        return panel
    low, high = _kept(crop)
    room = SIDE // 8
    scale = SIDE / (high - low)
    start, end = room - low * scale, room + (SIDE - low) * scale
    return resized(np.pad(panel, ((room, room), (room, room), (0, 0))), SIDE, SIDE, (start, start, end, end))


def _kept(crop: int) -> tuple[float, float]:
    """Return the start and end of the part that a crop keeps, in a thumb's pixels.

    A crop cuts between whole drawn pixels and takes an odd one at the end. Half a pixel off, thin copies would not fit
    after a turn.
    """
    kept = _DRAWN * crop // _WHOLE
    edge = (_DRAWN - kept) // 2
    return edge * SIDE / _DRAWN, (edge + kept) * SIDE / _DRAWN


def _occupied(panel: Thumb, columns: int) -> list[Thumb]:
    """Return the cells that hold something, from the top left on; none if there are gaps between them."""
    cells = _cells(panel, columns)
    occupied = cells[..., 3].mean(axis=(1, 2)) > _OCCUPIED
    count = int(occupied.sum())
    return list(cells[:count]) if occupied[:count].all() else []


def _inside(columns: int, crop: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the pixels of each cell that the crop left, without one at its edges, which resampling blurs."""
    low, high = _kept(crop)
    seen = slice(None) if crop == _WHOLE else slice(ceil(low) + 1, int(high) - 1)
    mask = np.zeros((SIDE, SIDE), np.bool_)
    mask[seen, seen] = True
    return _cells(mask, columns)


def _cells(panel: npt.NDArray[Kind], columns: int) -> npt.NDArray[Kind]:
    """Cut a panel (side, side, ...) into cells (columns * columns, cell, cell, ...), row by row."""
    cell = SIDE // columns
    rest = panel.shape[2:]
    return panel.reshape(columns, cell, columns, cell, *rest).swapaxes(1, 2).reshape(-1, cell, cell, *rest)


def _apart(a: Thumb, b: Thumb, where: npt.NDArray[np.bool_]) -> float:
    return distance(a * where[..., None], b * where[..., None])


def distance(expected: Thumb, shown: Thumb) -> float:
    """Return the share of two objects that differs: summed difference over the summed larger of both, 0 to 1."""
    return float(np.abs(expected - shown).sum() / max(float(np.maximum(expected, shown).sum()), 1e-6))

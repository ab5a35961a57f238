"""Find the copies of an object in a panel: their number, and one of them.

Copies stand in rows about the middle, in cells of 84 of 256 pixels, or of 128 where they also differ in size. Published
ones fill a grid from the top left, four to a row. A crop removes the panel's edges and scales the rest to full size, so
both are searched for at each possible crop.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tetrad.solvers.kiva.panels import SIDE, Pair, Thumb, resize

Kind = TypeVar("Kind", bound=np.generic)
GRIDS = (4,)
# By the cell's side, in a thumb's pixels, and by the number of copies: how many stand in each row.
ROWS: Mapping[int, Mapping[int, tuple[int, ...]]] = {
    42: {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (2, 1, 2), 6: (3, 3), 7: (2, 3, 2), 8: (3, 2, 3), 9: (3, 3, 3)},
    64: {1: (1,), 2: (2,), 3: (1, 2), 4: (2, 2)},
}
CROPS = (100, *range(99, 89, -1))  # percent of the side that is kept
_OCCUPIED = 0.004  # mean alpha of a cell that holds a copy: a thin object covers 2% of it
_STRAY = 0.0005  # share of a panel that may lie outside of the cells: some pixels
_FAINT = 0.1  # alpha of blurred outlines and of what JPEG leaves on a plain backdrop
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


class _Uncropped:
    """The panels of a pair at each crop. Each is scaled once, for all cells and grids that are looked for."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._scaled: dict[tuple[int, int], Thumb] = {}

    def panel(self, which: int, crop: int) -> Thumb:
        """Return the panel before (0) or after (1) at this crop."""
        if (which, crop) not in self._scaled:
            self._scaled[which, crop] = _undo_crop(self._pair[which], crop)
        return self._scaled[which, crop]


def copies(pair: Pair) -> tuple[Copies, Copies]:
    """Read both panels of a pair as copies in rows, else in a grid, else as single objects."""
    panels = _Uncropped(pair)
    for cell in ROWS:
        found = _in_rows(panels, cell, CROPS[:1], _SAME_COPY) or _in_rows(panels, cell, CROPS[1:], _SAME_CROPPED)
        if found is not None and max(side.count for side in found) > 1:  # one thing in a cell is a small single object
            return found
    crops = CROPS if any(_may_be_grid(panel) for panel in pair) else CROPS[:1]
    for columns in GRIDS:
        found = _in_grid(panels, columns, crops[:1], _SAME_COPY) or _in_grid(panels, columns, crops[1:], _SAME_CROPPED)
        if found is not None:
            return found
    before, after = (Copies(1, panel, np.zeros_like(panel[..., 3:])) for panel in pair)
    return before, after


def _in_grid(panels: _Uncropped, columns: int, crops: Sequence[int], tolerance: float) -> tuple[Copies, Copies] | None:
    """Read both panels at the crop at which copies are most alike; None if they are never alike enough."""
    every = (_read(panels, columns, crop) for crop in crops)
    found = [read for read in every if read is not None and read[0] <= tolerance]
    return min(found, key=lambda read: read[0])[1:] if found else None


def _read(panels: _Uncropped, columns: int, crop: int) -> tuple[float, Copies, Copies] | None:
    """Read a grid of this many columns. Return the copies' largest difference and the copies; None if it has gaps.

    The copy comes from the same cell of both panels, the one that the crop left most of.
    """
    before, after = (_find_occupied(panels.panel(which, crop), columns) for which in (0, 1))
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


def _in_rows(panels: _Uncropped, cell: int, crops: Sequence[int], tolerance: float) -> tuple[Copies, Copies] | None:
    """Read both panels at the crop at which copies in rows are most alike; None if they are never alike enough."""
    found = []
    for crop in crops:
        seen = _mask_seen(crop)
        first = _gather(panels.panel(0, crop), seen, cell)
        if first is None or first[0] > tolerance:
            continue
        second = _gather(panels.panel(1, crop), seen, cell)
        if second is None or second[0] > tolerance:
            continue
        (off, count, at), (off_after, count_after, at_after) = first, second
        inside = _cut(seen, at, cell) & _cut(seen, at_after, cell)
        hidden = 1 - inside[..., None].astype(np.float32)
        before, after = (panels.panel(which, crop) for which in (0, 1))
        both = (Copies(count, _cut(before, at, cell), hidden), Copies(count_after, _cut(after, at_after, cell), hidden))
        found.append((off + off_after, both))
    return min(found, key=lambda one: one[0])[1] if found else None


def _gather(panel: Thumb, seen: npt.NDArray[np.bool_], cell: int) -> tuple[float, int, tuple[int, int]] | None:
    """Return the largest difference of copies, their number, and the place of the one that a crop left most of.

    None if no number of copies fills its cells and leaves everything else empty.
    """
    alpha = np.ascontiguousarray(panel[..., 3])
    covered = alpha > _FAINT
    every, stray = np.count_nonzero(covered), _STRAY * covered.size
    read = []
    for count, rows in ROWS[cell].items():
        spots = list(_spots(rows, cell))
        rest = every - sum(np.count_nonzero(_cut(covered, at, cell)) for at in spots)
        if rest > stray or any(_cut(alpha, at, cell).mean() <= _OCCUPIED for at in spots):
            continue
        inside = [_cut(seen, at, cell) for at in spots]
        whole = max(range(count), key=lambda at: np.count_nonzero(inside[at]))
        one = _cut(panel, spots[whole], cell)
        others = (at for at in range(count) if at != whole)
        off = max((_apart(one, _cut(panel, spots[at], cell), inside[whole] & inside[at]) for at in others), default=0.0)
        read.append((off, count, spots[whole]))
    return min(read, default=None)


def _spots(rows: tuple[int, ...], cell: int) -> Iterator[tuple[int, int]]:
    """Yield the top left (y, x) of each cell."""
    for row, count in enumerate(rows):
        top = (SIDE - len(rows) * cell) // 2 + row * cell
        yield from ((top, (SIDE - count * cell) // 2 + column * cell) for column in range(count))


def _cut(panel: npt.NDArray[Kind], at: tuple[int, int], cell: int) -> npt.NDArray[Kind]:
    return panel[at[0] : at[0] + cell, at[1] : at[1] + cell]


def _may_be_grid(panel: Thumb) -> bool:
    """Tell whether the lower right quarter is empty, as in every grid. Single objects stand in the middle."""
    return bool(panel[SIDE // 2 :, SIDE // 2 :, 3].mean() <= _OCCUPIED)


def _undo_crop(panel: Thumb, crop: int) -> Thumb:
    """Shrink the panel to its place on the canvas that it was cut from; what was cut off stays empty."""
    if crop == _WHOLE:
        return panel
    low, high = _find_kept(crop)
    room = SIDE // 8
    scale = SIDE / (high - low)
    start, end = room - low * scale, room + (SIDE - low) * scale
    return resize(np.pad(panel, ((room, room), (room, room), (0, 0))), SIDE, SIDE, (start, start, end, end))


def _find_kept(crop: int) -> tuple[float, float]:
    """Return the start and end of the part that a crop keeps, in a thumb's pixels.

    A crop cuts between whole drawn pixels and takes an odd one at the end. Half a pixel off, thin copies would not fit
    after a turn.
    """
    kept = _DRAWN * crop // _WHOLE
    edge = (_DRAWN - kept) // 2
    return edge * SIDE / _DRAWN, (edge + kept) * SIDE / _DRAWN


def _find_occupied(panel: Thumb, columns: int) -> list[Thumb]:
    """Return the cells that hold something, from the top left on; none if there are gaps between them."""
    cells = _cells(panel, columns)
    occupied = cells[..., 3].mean(axis=(1, 2)) > _OCCUPIED
    count = int(occupied.sum())
    return list(cells[:count]) if occupied[:count].all() else []


def _inside(columns: int, crop: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the pixels of each cell that the crop left, without one at its edges, which resampling blurs."""
    return _cells(_mask_seen(crop), columns)


def _mask_seen(crop: int) -> npt.NDArray[np.bool_]:
    low, high = _find_kept(crop)
    seen = slice(None) if crop == _WHOLE else slice(ceil(low) + 1, int(high) - 1)
    mask = np.zeros((SIDE, SIDE), np.bool_)
    mask[seen, seen] = True
    return mask


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

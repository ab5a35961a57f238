"""How far a pair of panels is from each change KiVA knows: 0 fits exactly, 1 not at all.

Changes are named by domain and value: "color red", "size 2x", "number +1", "rotation +90", "reflection x". The
pictures' rules are those measured on the published data (design/benchmarks/kiva.md): every coloured state is the
object mixed half and half with a colour, sizes keep the middle of the canvas, counts fill a grid of four a row.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tetrad.solvers.kiva_pixels.panels import SIDE, Pair, Thumb

Distances: TypeAlias = Mapping[str, float]

NONE = "none"
COLORS: Mapping[str, tuple[int, int, int]] = {"red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255)}
STEPS = ("+1", "+2", "-1", "-2")
CHANGES = (
    NONE,
    *(f"color {color}" for color in COLORS),
    "size 2x",
    "size 1/2x",
    *(f"number {step}" for step in STEPS),
    "rotation +90",
    "rotation -90",
    "rotation 180",
    "reflection x",
    "reflection y",
)
COLUMNS = 4
_CELL = SIDE // COLUMNS
_OCCUPIED = 0.004  # mean alpha of a cell that holds a copy: a thin object covers 2% of it
_SAME_COPY = 0.05


def distances(pair: Pair, among: Iterable[str] = CHANGES) -> Distances:
    """Return the distance of the pair from each of the changes."""
    return {change: _MEASURES[change](*pair) for change in among}


def distance(expected: npt.NDArray[np.float32], shown: npt.NDArray[np.float32]) -> float:
    """Share of the two objects that differs: summed difference over the summed larger of both, 0 to 1."""
    return float(np.abs(expected - shown).sum() / max(float(np.maximum(expected, shown).sum()), 1e-6))


def count(thumb: Thumb) -> int | None:
    """Count the copies of a grid filled from the top left; None where the panel is no such grid."""
    cells = thumb.reshape(COLUMNS, _CELL, COLUMNS, _CELL, 4).swapaxes(1, 2).reshape(-1, _CELL, _CELL, 4)
    occupied = cells[..., 3].mean(axis=(1, 2)) > _OCCUPIED
    copies = int(occupied.sum())
    if not copies or not occupied[:copies].all():
        return None
    return copies if all(distance(cells[0], cell) < _SAME_COPY for cell in cells[1:copies]) else None


def _halved(thumb: Thumb) -> Thumb:
    """The object at half its size, about the middle of the same canvas."""
    small = thumb.reshape(SIDE // 2, 2, SIDE // 2, 2, 4).mean(axis=(1, 3))
    canvas = np.zeros_like(thumb)
    margin = SIDE // 4
    canvas[margin : SIDE - margin, margin : SIDE - margin] = small
    return canvas


def _stepped(step: int, before: Thumb, after: Thumb) -> float:
    was, became = count(before), count(after)
    return float(was is None or became is None or became - was != step)


def _recolored(color: str, before: Thumb, after: Thumb) -> float:
    """Distance of `after` from the object in this colour, whatever other colour, or none, it was in before."""
    alpha = before[..., 3:]
    mixed = before.copy()
    mixed[..., :3] = (before[..., :3] + _target(color) * alpha) / 2
    found = [distance(mixed, after)]
    for other in COLORS.keys() - {color}:
        turned = before.copy()
        turned[..., :3] += (_target(color) - _target(other)) / 2 * alpha
        found.append(distance(np.clip(turned, 0, 1), after))
    return min(found)


def _target(color: str) -> npt.NDArray[np.float32]:
    return np.asarray(COLORS[color], dtype=np.float32) / np.float32(255)


_MEASURES: Mapping[str, Callable[[Thumb, Thumb], float]] = {
    NONE: distance,
    **{f"color {color}": partial(_recolored, color) for color in COLORS},
    "size 2x": lambda before, after: distance(before, _halved(after)),
    "size 1/2x": lambda before, after: distance(_halved(before), after),
    **{f"number {step}": partial(_stepped, int(step)) for step in STEPS},
    "rotation +90": lambda before, after: distance(np.rot90(before, -1), after),
    "rotation -90": lambda before, after: distance(np.rot90(before), after),
    "rotation 180": lambda before, after: distance(before[::-1, ::-1], after),
    "reflection x": lambda before, after: distance(before[::-1], after),
    "reflection y": lambda before, after: distance(before[:, ::-1], after),
}

"""Keep what is measured of a photograph: the mean colours of 40 x 40 cells of its middle square.

A program moves cells as it moves pixels: a zoom keeps the middle 32 x 32 of them, tiles and symmetries permute them, a
hue rotation acts on their colours. So facts of a photograph under all programs follow from its cells.
"""

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.identifiability import square
from generator_service.benchmarks.visanalog.programs import Layout, Program
from generator_service.benchmarks.visanalog.transforming import swap_tiles, turn_grid

CELLS, KEPT = 40, 32
"""Cells a side, and those of them that a zoom keeps: 32 of 40 are 80%."""
_LOW, _HIGH = (CELLS - KEPT) // 2, (CELLS + KEPT) // 2
_QUARTER_CIRCLE, _CIRCLE = 64, 256  # of Pillow's H
Colours = npt.NDArray[np.uint8]


def look_of(picture: PictureArray) -> bytes:
    """Return the mean colours of a photograph's cells, row by row, three bytes a cell."""
    small = Image.fromarray(square(picture)[..., :3]).resize((CELLS, CELLS), Image.Resampling.BOX)
    return small.tobytes()


def colours_of(look: bytes) -> Colours:
    """Return the colours of a photograph's cells, (40, 40, 3)."""
    return np.frombuffer(look, np.uint8).reshape(CELLS, CELLS, 3)


def laid_out(grid: npt.NDArray[np.generic], layout: Layout) -> npt.NDArray[np.generic]:
    """Return a grid of 40 x 40 cells after zoom and swap: (32, 32, ...) with a zoom."""
    made = grid[_LOW:_HIGH, _LOW:_HIGH] if layout.zoom and not layout.swap_first else grid
    if layout.swap is not None:
        made = swap_tiles(made, layout.swap)
    return made[_LOW:_HIGH, _LOW:_HIGH] if layout.zoom and layout.swap_first else made


def hue_rotated(colours: Colours, quarters: int) -> Colours:
    """Return colours with quarters of the circle added to their H."""
    if not quarters % 4:
        return colours
    hue, saturation, value = Image.fromarray(np.ascontiguousarray(colours)).convert("HSV").split()
    table = [(level + quarters * _QUARTER_CIRCLE) % _CIRCLE for level in range(_CIRCLE)]
    return np.asarray(Image.merge("HSV", (hue.point(table), saturation, value)).convert("RGB"))


def under(colours: Colours, program: Program) -> Colours:
    """Return the colours of the cells of a picture under a program: (40, 40, 3), or (32, 32, 3) with a zoom."""
    made = laid_out(colours, Layout(program.zoom, program.swap, program.swap_first))
    return hue_rotated(np.asarray(turn_grid(made, program.symmetry), np.uint8), program.hue)

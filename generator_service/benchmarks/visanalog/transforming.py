"""Do to pixels what a program says, with Pillow as the paper does. The one place that changes pictures."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.boards import in_pose
from generator_service.benchmarks.visanalog.programs import CROP, MATRICES, SIDE, Program
from generator_service.drawing.canvas import opaque

T = TypeVar("T", bound=np.generic)
_LEVELS = list(range(256))  # of Python's numbers: Pillow rounds each, which takes NumPy's ten times as long
_QUARTER = 64  # of PIL's H, whose circle has 256
_TURNED = [
    [*_LEVELS[_QUARTER * quarters :], *_LEVELS[: _QUARTER * quarters], *_LEVELS, *_LEVELS] for quarters in range(4)
]
"""By quarters of the circle: the new value of each H, then those of S and V, which stay."""


def transform_picture(pixels: PictureArray, program: Program) -> PictureArray:
    """Return a picture, (512, 512, 4) and opaque, under a program: an array of its own."""
    made = pixels
    if program.zoom and not program.swap_first:
        made = _zoom_in(made)
    if program.swap is not None:
        made = swap_tiles(made, program.swap)
    if program.zoom and program.swap_first:
        made = _zoom_in(made)
    if program.symmetry:
        made = np.array(in_pose(Image.fromarray(made), program.symmetry))
    if program.hue:
        made = _hue_rotated(made, program.hue)
    return made.copy() if made is pixels else made


def _zoom_in(pixels: PictureArray) -> PictureArray:
    """Bring the middle back to full size, as RGB: of RGBA, Pillow multiplies colours by their alpha first."""
    middle = Image.fromarray(pixels).crop(CROP).convert("RGB")
    return opaque(middle.resize((SIDE, SIDE), Image.Resampling.LANCZOS))


def swap_tiles(grid: npt.NDArray[T], tiles: tuple[int, int]) -> npt.NDArray[T]:
    """Return a square grid of pixels or cells, an even number a side, with two tiles of its 2x2 grid swapped."""
    made = grid.copy()
    one, other = (_part(tile, len(grid) // 2) for tile in tiles)
    made[one], made[other] = grid[other], grid[one]
    return made


def turn_grid(grid: npt.NDArray[T], symmetry: int) -> npt.NDArray[T]:
    """Return a square grid of pixels or cells under a symmetry of the square: a view."""
    mirrored, turns = divmod(symmetry, len(MATRICES) // 2)
    return np.rot90(grid[:, ::-1] if mirrored else grid, turns)


def _part(tile: int, half: int) -> tuple[slice, slice]:
    down, right = divmod(tile, 2)
    return slice(down * half, (down + 1) * half), slice(right * half, (right + 1) * half)


def _hue_rotated(pixels: PictureArray, quarters: int) -> PictureArray:
    """Add quarters of the circle to H, which wraps.

    Where neighbours in a row often have one colour, as in composed pictures, only the first of them is worked out. That
    is twice as fast, and makes no difference to the pixels.
    """
    some = pixels[::16].view("<u4")[..., 0]
    if np.count_nonzero(some[:, 1:] != some[:, :-1]) > some.size // 2:
        return _rotate_hue(pixels, quarters)
    words = pixels.view("<u4").reshape(-1)
    starts = np.append(0, np.flatnonzero(words[1:] != words[:-1]) + 1)
    rotated = _rotate_hue(words[starts].view(np.uint8).reshape(1, -1, 4), quarters).view("<u4").reshape(-1)
    return np.repeat(rotated, np.diff(starts, append=len(words))).view(np.uint8).reshape(pixels.shape)


def _rotate_hue(pixels: PictureArray, quarters: int) -> PictureArray:
    image = Image.frombuffer("RGB", pixels.shape[1::-1], pixels, "raw", "RGBX", 0, 1)
    return opaque(image.convert("HSV").point(_TURNED[quarters]).convert("RGB"))

"""Tell which programs can be told apart on a picture: all 448 are applied and compared, in whole numbers.

Programs are compared at 64 pixels a side, where each is a zoom and a hue rotation (eight pictures, made at 512 pixels),
a swap and a symmetry. Two programs are alike if the mean square of their pictures' difference, over pixels and
channels, is below MARGIN squared. Sums of squares stay below 2**53, so that float64 holds them exactly, and the result
does not depend on the order of adding.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.programs import PROGRAMS, SIDE, Ints, Program
from generator_service.benchmarks.visanalog.transforming import swap_tiles, transform_picture, turn_grid

SMALL = 64
MARGIN = 8
"""Levels of 255."""
VERSION = 1


class Told(NamedTuple):
    """The programs that a picture tells apart.

    apart: squared differences of every two programs, summed over pixels and channels, (448, 448). chroma: the mean
    difference of the largest and the smallest channel, in thousandths of 255.
    """

    apart: Ints
    chroma: int

    def alike(self) -> dict[int, list[int]]:
        """Return, for each program that is alike to others, their numbers."""
        close = self.apart < MARGIN**2 * SMALL * SMALL * 3
        np.fill_diagonal(close, val=False)
        return {int(number): np.flatnonzero(close[number]).tolist() for number in np.flatnonzero(close.any(axis=1))}

    def least(self) -> float:
        """Return the smallest root mean square difference of two programs, in levels."""
        others = self.apart + np.diag(np.full(len(self.apart), np.iinfo(np.int64).max // 2))
        return float(np.sqrt(others.min() / (SMALL * SMALL * 3)))


def compare_programs(picture: PictureArray) -> Told:
    """Compare all programs on a picture: its middle square, brought to 512 pixels."""
    whole = square(picture)
    rows = np.stack([picture.reshape(-1) for picture in _draw_programs(whole)]).astype(np.float64)
    products = rows @ rows.T
    norms = np.diag(products)
    apart = (norms[:, None] + norms[None, :] - 2 * products).astype(np.int64)
    channels = whole[..., :3].astype(np.int64)
    spread = channels.max(axis=2) - channels.min(axis=2)
    return Told(apart, int(spread.sum() * 1000 // (255 * SIDE * SIDE)))


def square(picture: PictureArray) -> PictureArray:
    """Return the middle square of a picture at 512 pixels a side."""
    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    image = Image.fromarray(picture[top : top + side, left : left + side])
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)) if side != SIDE else np.asarray(image)


def opaque_square(picture: PictureArray) -> PictureArray:
    """Return the same without transparency, as pictures show it."""
    drawn = square(picture).copy()
    drawn[..., 3] = 255
    return drawn


def _draw_programs(whole: PictureArray) -> list[npt.NDArray[np.uint8]]:
    """Return the small picture of every program, (64, 64, 3), by number."""
    coloured = {
        (zoom, hue): np.asarray(
            Image.fromarray(transform_picture(whole, Program(zoom=zoom, hue=hue))[..., :3]).resize(
                (SMALL, SMALL), Image.Resampling.BOX
            )
        )
        for zoom in (False, True)
        for hue in range(4)
    }
    return [_place_tiles(coloured[program.zoom, program.hue], program) for program in PROGRAMS]


def _place_tiles(small: npt.NDArray[np.uint8], program: Program) -> npt.NDArray[np.uint8]:
    return turn_grid(small if program.swap is None else swap_tiles(small, program.swap), program.symmetry)

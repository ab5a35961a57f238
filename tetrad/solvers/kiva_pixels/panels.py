"""Pairs of panels out of pictures, brought to one small size in which every change is linear.

A thumb is a (64, 64, 4) float array: colour premultiplied by alpha, then alpha, all 0 to 1. Shrinking by area
keeps quarter turns, mirrors and mixes with a colour exact, and makes a question a matter of a millisecond.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops

from tetrad.solvers.pictures import PictureArray

Thumb: TypeAlias = npt.NDArray[np.float32]
Pair: TypeAlias = tuple[Thumb, Thumb]
"""What was, and what it became."""

SIDE = 64
OPAQUE = 255
_BACKDROP_TOLERANCE = 6  # of 255: JPEG and WebP leave ripples on a plain backdrop


def cut_pair(picture: PictureArray) -> Pair:
    """Cut two square panels that stand side by side, with or without a gap between them."""
    side = min(picture.shape[0], picture.shape[1] // 2)
    return shrink(picture[:side, :side]), shrink(picture[:side, -side:])


def shrink(panel: PictureArray) -> Thumb:
    """Bring a panel to a thumb; an opaque panel loses its backdrop, the color of its corner."""
    image = Image.fromarray(panel)
    if image.getextrema()[3][0] == OPAQUE:
        image.putalpha(_ink(image.convert("RGB"), panel[0, 0, :3]))
    thumb = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / np.float32(OPAQUE)
    thumb[..., :3] *= thumb[..., 3:]
    return thumb


def _ink(image: Image.Image, backdrop: npt.NDArray[np.uint8]) -> Image.Image:
    """Mask of what differs from the backdrop; Pillow's C loops take a tenth of NumPy's time over three channels."""
    off = ImageChops.difference(image, Image.new("RGB", image.size, tuple(map(int, backdrop))))
    red, green, blue = off.split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return largest.point([0] * (_BACKDROP_TOLERANCE + 1) + [OPAQUE] * (255 - _BACKDROP_TOLERANCE))

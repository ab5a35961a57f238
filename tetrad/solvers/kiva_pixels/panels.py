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
_SAMPLED = 8  # every eighth pixel tells whether a panel is opaque: an object never fills a transparent one
_BACKDROP_TOLERANCE = 6  # of 255: JPEG and WebP leave ripples on a plain backdrop
_SOLIDITY = [min(max(4 * (off - _BACKDROP_TOLERANCE), 0), OPAQUE) for off in range(256)]


def cut_pair(picture: PictureArray) -> Pair:
    """Cut two square panels that stand side by side, with or without a gap between them."""
    side = min(picture.shape[0], picture.shape[1] // 2)
    return shrink(picture[:side, :side]), shrink(picture[:side, -side:])


def shrink(panel: PictureArray) -> Thumb:
    """Bring a panel to a thumb; an opaque panel loses its backdrop, the color of its corner."""
    image = Image.fromarray(panel)
    if (panel[::_SAMPLED, ::_SAMPLED, 3] == OPAQUE).all():
        image.putalpha(_ink(image.convert("RGB"), panel[0, 0, :3]))
    thumb = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / np.float32(OPAQUE)
    thumb[..., :3] *= thumb[..., 3:]
    return thumb


def _ink(image: Image.Image, backdrop: npt.NDArray[np.uint8]) -> Image.Image:
    """How far each pixel is from the backdrop: clear within the tolerance, solid a quarter of the range beyond it.

    Between them it is partly clear, as a drawn edge is. Pillow's loops take a tenth of NumPy's time over channels.
    """
    off = ImageChops.difference(image, Image.new("RGB", image.size, tuple(map(int, backdrop))))
    red, green, blue = off.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue).point(_SOLIDITY)

"""Cut panels out of pictures and bring them to one size.

A thumb is a float array (side, side, 4): colour premultiplied by alpha, then alpha, all 0 to 1. Shrinking by area keeps
quarter turns, mirrors and mixes with a colour exact. A question then takes milliseconds.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops

from tetrad.solvers.pictures import PictureArray

Thumb: TypeAlias = npt.NDArray[np.float32]
Pair: TypeAlias = tuple[Thumb, Thumb]
"""The panels before and after a change."""
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""

SIDE = 128
OPAQUE = 255
_SAMPLED = 8  # every eighth pixel suffices to tell an opaque panel, because an object never fills a transparent one
_BACKDROP_TOLERANCE = 6  # of 255: JPEG and WebP leave ripples on a plain backdrop
_SOLIDITY = [min(max(4 * (off - _BACKDROP_TOLERANCE), 0), OPAQUE) for off in range(256)]


def cut_pair(picture: PictureArray) -> Pair:
    """Cut two square panels that stand side by side, with or without a gap between them."""
    side = min(picture.shape[0], picture.shape[1] // 2)
    return shrink(picture[:side, :side]), shrink(picture[:side, -side:])


def is_pair(picture: PictureArray) -> bool:
    """Tell whether a picture is wide enough for two square panels side by side."""
    height, width = picture.shape[:2]
    return int(width) >= 2 * int(height)


def shrink(panel: PictureArray) -> Thumb:
    """Shrink a panel to a thumb. An opaque panel loses its backdrop, the color of its corners."""
    image = Image.fromarray(panel)
    if (panel[::_SAMPLED, ::_SAMPLED, 3] == OPAQUE).all():
        image.putalpha(_ink(image.convert("RGB"), _backdrop(panel)))
    thumb = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32) / np.float32(OPAQUE)
    thumb[..., :3] *= thumb[..., 3:]
    return thumb


def resize(thumb: Thumb, height: int, width: int, part: Box | None = None) -> Thumb:
    """Scale a thumb, or a part of it, to another size, by area if it shrinks."""
    if part is None and thumb.shape[:2] == (height, width):
        return thumb
    if part is None and thumb.shape[:2] == (2 * height, 2 * width):
        halved: Thumb = thumb.reshape(height, 2, width, 2, -1).mean(axis=(1, 3))
        return halved
    channels = [
        np.asarray(Image.fromarray(thumb[..., channel]).resize((width, height), Image.Resampling.HAMMING, part))
        for channel in range(thumb.shape[2])
    ]
    found: Thumb = np.clip(np.stack(channels, axis=2), 0, 1)
    return found


def _backdrop(panel: PictureArray) -> npt.NDArray[np.uint8]:
    """Return the colour that most corners have: an object may reach one, or two."""
    corners = [panel[0, 0], panel[0, -1], panel[-1, 0], panel[-1, -1]]
    alike = [sum(bool(np.array_equal(a[:3], b[:3])) for b in corners) for a in corners]
    found: npt.NDArray[np.uint8] = corners[alike.index(max(alike))][:3]
    return found


def _ink(image: Image.Image, backdrop: npt.NDArray[np.uint8]) -> Image.Image:
    """Return each pixel's opacity: 0 within the tolerance of the backdrop, 1 from a quarter of the range beyond it.

    Between them it is partly opaque, as drawn edges are. Pillow's loops take a tenth of NumPy's time over channels.
    """
    off = ImageChops.difference(image, Image.new("RGB", image.size, tuple(map(int, backdrop))))
    red, green, blue = off.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue).point(_SOLIDITY)

"""Turn a thing's picture by any angle, in integer arithmetic: bilinear, all four channels of a pixel at once.

A pixel is one number of 64 bits, with 16 for each channel. A channel has 8 bits, a weight has 8, so that a product
never reaches the next channel.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.drawing.exact import cosine, sine

_BITS = 14  # of sines and of places, after the point
_ONE = 1 << _BITS
_QUARTER = 90
_EDGE = 2  # empty pixels about the picture: whatever lies farther out is clipped to them
_CHANNELS = np.uint64(0x00FF_00FF_00FF_00FF)
_HALVES = np.uint64(0x0080_0080_0080_0080)
_EIGHT = np.uint64(8)
_Pixels = npt.NDArray[np.uint64]


class Turned(NamedTuple):
    """A turned picture, cut to what is drawn, and the place of its upper left corner from the middle of the turn.

    Colours are multiplied by their alpha. Pillow does that first whenever it resizes; here it is done once.
    """

    pixels: Picture
    begins: tuple[float, float]


def turn_picture(picture: Picture, degrees: int) -> Turned:
    """Turn a premultiplied picture (h, w, 4) clockwise about its middle by whole degrees; quarter turns are exact.

    Raises:
        ValueError: nothing is drawn in the picture.
    """
    turns, rest = divmod(degrees % 360, _QUARTER)
    pixels = np.rot90(picture, -turns)
    left, top = -pixels.shape[1] / 2, -pixels.shape[0] / 2
    if rest:
        pixels = _turn_by_degrees(pixels, rest)
        left, top = -pixels.shape[1] / 2, -pixels.shape[0] / 2
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        raise ValueError("nothing is drawn in the picture that is to be turned")
    first_row, first_column = int(rows[0]), int(columns[0])
    cut = pixels[first_row : int(rows[-1]) + 1, first_column : int(columns[-1]) + 1]
    return Turned(np.ascontiguousarray(cut), (left + first_column, top + first_row))


def premultiply(picture: Picture) -> Picture:
    return np.asarray(Image.fromarray(picture).convert("RGBa"))


def _turn_by_degrees(picture: Picture, degrees: int) -> Picture:
    """Turn by 1 to 89 degrees. Only pixels near something drawn are computed; all others stay empty."""
    height, width = picture.shape[:2]
    c, s = (round(share * _ONE) for share in (cosine(degrees), sine(degrees)))
    wide, high = (2 * (-(-each >> _BITS + 1) + 1) for each in (width * c + height * s, width * s + height * c))
    # Twice the offset of each pixel's middle from the middle of the turn: even and odd sides stay whole numbers.
    across, down = (2 * np.arange(side, dtype=np.int32) + 1 - side for side in (wide, high))
    x = ((c * across + (width - 1) * _ONE)[None, :] + (s * down)[:, None]) >> 1
    y = ((c * down + (height - 1) * _ONE)[:, None] - (s * across)[None, :]) >> 1
    column, row = (np.clip(each >> _BITS, -_EDGE, side) for each, side in ((x, width), (y, height)))
    stride = width + 2 * _EDGE
    corner = ((row + _EDGE) * stride + (column + _EDGE)).ravel()
    source = np.zeros((height + 2 * _EDGE, stride, 4), np.uint16)
    source[_EDGE:-_EDGE, _EDGE:-_EDGE] = picture
    pixels = source.reshape(-1, 4).view(np.uint64)[:, 0]
    steps = (0, 1, stride, stride + 1)
    drawn = pixels != 0
    near = drawn[: -steps[3]].copy()
    for step in steps[1:]:
        near |= drawn[step : near.size + step]
    seen = np.flatnonzero(near[corner])
    corner = corner[seen]
    right, low = (((each.ravel()[seen] & _ONE - 1) >> _BITS - 8).astype(np.uint64) for each in (x, y))
    above, above_right, below, below_right = (pixels[corner + step] for step in steps)
    mixed = _between(_between(above, above_right, right), _between(below, below_right, right), low)
    result = np.zeros((high * wide, 4), np.uint8)
    result[seen] = mixed[:, None].view(np.uint16)
    return result.reshape(high, wide, 4)


def _between(a: _Pixels, b: _Pixels, share: _Pixels) -> _Pixels:
    """Mix two pixels, `share` of 256 from the second one."""
    mixed = a * (np.uint64(256) - share)
    mixed += b * share
    mixed += _HALVES
    mixed >>= _EIGHT
    mixed &= _CHANNELS
    return mixed

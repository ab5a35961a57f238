"""Change pictures in integer arithmetic, with the same result on every machine.

A picture is an RGBA uint8 array of shape (height, width, 4) with straight (not premultiplied) alpha.
Every function returns a new picture and leaves the given one alone.
"""

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.cache_budget import cache_within_budget

Picture = npt.NDArray[np.uint8]
Mirror = Literal["x", "y", "both"]
Tint = Literal["red", "green", "blue", "yellow", "grey"]
Backdrop = Literal["black", "white"]

COLUMNS = 4  # KiVA's counting pictures: four to a row, cell = side // 4
TINTS: tuple[Tint, ...] = ("red", "green", "blue", "yellow", "grey")
# CSS "green" is (0, 128, 0): the published pictures use it.
_TARGETS = {"red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0)}
# A pure color, and the lumas that the darkest and the lightest part of an object get in it: what is darker or lighter
# has another name, such as brown or pink.
_PURE: dict[str, tuple[tuple[int, int, int], int, int]] = {
    "red": ((220, 20, 20), 35, 125),
    "green": ((20, 150, 40), 35, 165),
    "blue": ((30, 60, 220), 25, 140),
    "yellow": ((245, 215, 20), 150, 230),
    "grey": ((128, 128, 128), 45, 215),
}
_BACKDROPS = {"black": (0, 0, 0), "white": (255, 255, 255)}
_LEVELS = np.arange(256, dtype=np.int32)
_QUARTER = 90
_BITS = 14  # bits of the fixed-point sines and bilinear weights
_ONE = 1 << _BITS
_Wide = npt.NDArray[np.int32]


def rotate_quarter(picture: Picture, turns: int) -> Picture:
    """Turn clockwise by `turns` times 90 degrees, exactly."""
    return _from_pixels(np.rot90(_pixels(picture), -turns))


def rotate(picture: Picture, degrees: int) -> Picture:
    """Turn a square picture clockwise about its centre; quarter turns are exact, corners are cut off."""
    if picture.shape[0] != picture.shape[1]:
        raise ValueError(f"picture must be square to turn on its canvas, got {picture.shape[:2]}")
    turned = rotate_quarter(picture, degrees // _QUARTER)
    return _turn(turned, degrees % _QUARTER) if degrees % _QUARTER else turned


def reflect(picture: Picture, mirror: Mirror) -> Picture:
    """Mirror: "x" swaps top and bottom, "y" left and right, "both" is the two together."""
    pixels = _pixels(picture)
    flipped = pixels[::-1] if mirror in ("x", "both") else pixels
    return _from_pixels(flipped[:, ::-1] if mirror in ("y", "both") else flipped)


def tint(picture: Picture, colour: Tint) -> Picture:
    """Mix every pixel that is not wholly transparent half and half with the colour; grey is its luma."""
    visible = picture[..., 3] > 0
    tinted = picture.copy()
    for channel, mixed in enumerate(_mix_channels(picture, colour)):
        np.copyto(tinted[..., channel], mixed, where=visible)
    return tinted


def recolor(picture: Picture, colour: Tint) -> Picture:
    """Give every visible pixel the colour's hue. What was lighter stays lighter, in a narrower range of lightness."""
    return recolor_by(picture, _ramp(colour))


def recolor_by(picture: Picture, colors: npt.NDArray[np.uint32]) -> Picture:
    """Give every visible pixel the color of its luma, of 256 as `color_ramp` makes them."""
    pixels = np.array(picture, order="C").view("<u4")[..., 0]  # alpha is the highest byte
    every = pixels.reshape(-1)
    places = np.flatnonzero(every >> 24)
    visible = every[places]
    luma = (299 * (visible & 255) + 587 * (visible >> 8 & 255) + 114 * (visible >> 16 & 255)) // 1000
    every[places] = colors[luma] | visible & 0xFF000000
    return _from_pixels(pixels)


def resize(picture: Picture, width: int, height: int) -> Picture:
    """Scale to the size in pixels: the mean of what a pixel covers where it shrinks, bicubic where it grows.

    Pillow resamples uint8 RGBA in fixed-point integers, with premultiplied alpha.
    """
    shrinks = width < picture.shape[1] or height < picture.shape[0]
    kernel = Image.Resampling.BOX if shrinks else Image.Resampling.BICUBIC
    return np.asarray(Image.fromarray(picture).resize((width, height), kernel))


def stretch(picture: Picture, across: int, down: int) -> Picture:
    """Scale about the centre by halves (2 is "as it is"), on the same canvas; what leaves the canvas is cut off."""
    height, width = picture.shape[:2]
    scaled = resize(picture, width * across // 2, height * down // 2)
    return place(width, scaled, (width // 2, height // 2))


def place(canvas_side: int, picture: Picture, centre: tuple[int, int]) -> Picture:
    """Lay the picture on an empty square canvas, its middle at `centre` (x, y); what sticks out is cut off."""
    canvas = np.zeros((canvas_side, canvas_side, 4), np.uint8)
    height, width = picture.shape[:2]
    left, top = centre[0] - width // 2, centre[1] - height // 2
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, canvas_side), min(top + height, canvas_side)
    if x0 < x1 and y0 < y1:
        canvas[y0:y1, x0:x1] = picture[y0 - top : y1 - top, x0 - left : x1 - left]
    return canvas


def grid(picture: Picture, count: int, side: int) -> Picture:
    """Lay `count` copies on a canvas of `side`, four to a row from the top left, each scaled to its cell."""
    cell = side // COLUMNS
    return copies(resize(picture, cell, cell), count, side)


def copies(stamp: Picture, count: int, side: int) -> Picture:
    """Lay `count` copies of the square stamp on a canvas of `side`, as many to a row as fit, from the top left."""
    cell = stamp.shape[0]
    columns = side // cell
    if not 0 <= count <= columns * columns:
        raise ValueError(f"count must be 0 to {columns * columns}, got {count}: the canvas has no more cells")
    canvas = np.zeros((side, side, 4), np.uint8)
    for place_number in range(count):
        row, column = divmod(place_number, columns)
        canvas[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell] = stamp
    return canvas


def gather_copies(stamp: Picture, rows: tuple[int, ...], side: int) -> Picture:
    """Lay copies of the square stamp in rows of so many each, about the middle of a canvas of `side`."""
    cell = stamp.shape[0]
    canvas = np.zeros((side, side, 4), np.uint8)
    for row, count in enumerate(rows):
        top = (side - len(rows) * cell) // 2 + row * cell
        for column in range(count):
            left = (side - count * cell) // 2 + column * cell
            canvas[top : top + cell, left : left + cell] = stamp
    return canvas


def flatten(picture: Picture, backdrop: Backdrop | None) -> Picture:
    """Lay the picture on an opaque backdrop; None leaves it transparent."""
    if backdrop is None:
        return picture.copy()
    alpha = picture[..., 3:].astype(np.int64)
    behind = np.array(_BACKDROPS[backdrop])
    flat = np.full_like(picture, 255)
    flat[..., :3] = (picture[..., :3] * alpha + behind * (255 - alpha) + 127) // 255
    return flat


def opaque(image: Image.Image) -> Picture:
    """Return an RGB image as a picture without transparency. Pillow's `convert("RGBA")` takes twice the time."""
    pixels = np.frombuffer(image.tobytes("raw", "RGBX"), "<u4") | np.uint32(0xFF000000)
    return pixels.view(np.uint8).reshape(image.height, image.width, 4)


def _pixels(picture: Picture) -> npt.NDArray[np.uint32]:
    """Return the picture as (height, width), a number a pixel: five times as fast to move as four bytes a pixel."""
    return np.ascontiguousarray(picture).view(np.uint32)[..., 0]


def _from_pixels(pixels: npt.NDArray[np.uint32]) -> Picture:
    return np.ascontiguousarray(pixels)[..., None].view(np.uint8)


@cache_within_budget(8)
def _ramp(colour: str) -> npt.NDArray[np.uint32]:
    return color_ramp(*_PURE[colour])


def color_ramp(pure: tuple[int, int, int], darkest: int, lightest: int) -> npt.NDArray[np.uint32]:
    """Return a color for each luma of an object, 256 numbers: from black by the pure color to white.

    darkest, lightest: the lumas that 0 and 255 get. Red is the lowest byte of a number, and the highest is 0.
    """
    own = (299 * pure[0] + 587 * pure[1] + 114 * pure[2]) // 1000
    luma = darkest + _LEVELS * (lightest - darkest) // 255
    channels = [
        np.where(luma <= own, channel * luma // own, channel + (255 - channel) * (luma - own) // (255 - own))
        for channel in pure
    ]
    return np.stack([*channels, np.zeros_like(luma)], axis=1).astype(np.uint8).view("<u4")[:, 0]


def _mix_channels(picture: Picture, colour: Tint) -> Iterator[Picture]:
    """Yield the red, green and blue channel (height, width) of the tinted picture, by tables of 256 entries."""
    red, green, blue = (picture[..., channel] for channel in range(3))
    if colour == "grey":
        luma = (299 * _LEVELS)[red] + (587 * _LEVELS)[green] + (114 * _LEVELS)[blue]
        yield from [(luma // 1000).astype(np.uint8)] * 3
        return
    for channel, target in zip((red, green, blue), _TARGETS[colour], strict=True):
        yield ((_LEVELS + target) // 2).astype(np.uint8)[channel]


def _turn(picture: Picture, degrees: int) -> Picture:
    """Turn clockwise by 1 to 89 degrees: bilinear, premultiplied, sines rounded to 14 bits.

    Only pixels near something drawn are computed; all others stay empty.
    """
    side = picture.shape[0]
    places = _places(side, degrees)
    # Two empty pixels on every side: whatever lies farther out is clipped to a pair of them.
    planes = np.pad(_premultiply(picture), ((0, 0), (2, 2), (2, 2))).reshape(4, -1)
    steps = (0, 1, side + 4, side + 5)
    drawn = planes[3] > 0
    meeting = drawn[: -steps[3]].copy()
    for step in steps[1:]:
        meeting |= drawn[step : len(meeting) + step]
    seen = np.flatnonzero(meeting[places.corner])
    corner, right, low = places.corner[seen], places.right[seen], places.low[seen]
    above, above_right, below, below_right = (planes[:, corner + step] for step in steps)
    turned = np.zeros((side * side, 4), np.uint8)
    turned[seen] = _straight(_between(_between(above, above_right, right), _between(below, below_right, right), low))
    return turned.reshape(picture.shape)


class _Places(NamedTuple):
    """Each pixel of a turned picture, in order: its upper left source in the padded picture, and shares in 14 bits."""

    corner: npt.NDArray[np.int64]
    right: _Wide
    low: _Wide


@cache_within_budget(4)  # a panel's side and half of it, by 45 degrees: 1 MiB and a quarter of that
def _places(side: int, degrees: int) -> _Places:
    cosine = round(math.cos(math.radians(degrees)) * _ONE)
    sine = round(math.sin(math.radians(degrees)) * _ONE)
    # Twice the offset of each pixel's middle from the centre, so that even and odd sides stay integers.
    offset = 2 * np.arange(side, dtype=np.int64) + 1 - side
    across, down = offset[None, :], offset[:, None]
    x = (cosine * across + sine * down + (side - 1) * _ONE) // 2
    y = (cosine * down - sine * across + (side - 1) * _ONE) // 2
    column, row = (np.clip((each >> _BITS) + 2, 0, side + 2) for each in (x, y))
    right, low = ((each & (_ONE - 1)).astype(np.int32).ravel() for each in (x, y))
    return _Places((row * (side + 4) + column).ravel(), right, low)


def _between(a: _Wide, b: _Wide, share: _Wide) -> _Wide:
    """Mix two values up to 65025 by 14 bits: 30 bits, which int32 holds."""
    mixed: _Wide = (b - a) * share
    mixed += a << _BITS
    mixed += _ONE // 2
    mixed >>= _BITS
    return mixed


def _premultiply(picture: Picture) -> _Wide:
    """Return (4, height, width): colour times alpha, alpha times 255, all on the scale 0 to 65025."""
    planes: _Wide = np.ascontiguousarray(picture.transpose(2, 0, 1)).astype(np.int32)
    planes[:3] *= planes[3]
    planes[3] *= 255
    return planes


def _straight(premultiplied: _Wide) -> Picture:
    """Divide colour by alpha, (4, n) to (n, 4); two whole numbers below 2**31 in float64 have the right floor."""
    alpha = premultiplied[3]
    straight = np.empty((premultiplied.shape[1], 4), np.uint8)
    quotient = (premultiplied[:3] * 255 + alpha // 2) / np.maximum(alpha, 1)
    straight[:, :3] = np.minimum(quotient, 255).T
    straight[:, 3] = (alpha + 127) // 255
    return straight


def within_circle(picture: Picture) -> Picture:
    """Return the square picture, shrunk about its middle until any turn keeps the whole object on the canvas.

    An object that fits stays as it is.
    """
    side = picture.shape[0]
    reach = reach_of(picture)
    if reach <= side:
        return picture
    fitting = side * side // reach
    small = resize(picture, fitting, fitting)
    return place(side, small, (side // 2, side // 2))


def reach_of(picture: Picture) -> int:
    """Return the diameter, in pixels and rounded up, of the circle about the middle that holds all that is drawn."""
    drawn = _squared_distances(picture.shape[0])[picture[..., 3] > 0]
    farthest = int(drawn.max(initial=0))
    root = int(np.sqrt(farthest))
    return root + (root * root < farthest)


@cache_within_budget(4)
def _squared_distances(side: int) -> npt.NDArray[np.int64]:
    """Return the square of twice each pixel's distance from the middle: a whole number."""
    offset = 2 * np.arange(side, dtype=np.int64) + 1 - side
    squares: npt.NDArray[np.int64] = offset[:, None] ** 2 + offset[None, :] ** 2
    return squares


GAP = 8
RULE = 2
INK = (128, 128, 128, 255)  # grey shows on whatever a viewer lays a transparent picture on


def side_by_side(before: Picture, after: Picture) -> Picture:
    """Return both on one transparent canvas, (height, 2 * width + 8, 4); they must be of one size.

    Raises:
        ValueError: their sizes differ.
    """
    if before.shape != after.shape:
        raise ValueError(f"a pair's pictures must be of one size, got {before.shape[:2]} and {after.shape[:2]}")
    height, width = before.shape[:2]
    pair = np.zeros((height, 2 * width + GAP, 4), np.uint8)
    pair[:, :width] = before
    pair[:, width + GAP :] = after
    line = width + (GAP - RULE) // 2
    pair[:, line : line + RULE] = INK
    return pair

"""Draw people and things small, for pictures in which many of them stand about: whole, and in colours that are chosen.

A person is kept as planes: how light its clothes, its skin, its hair and so on are at each pixel. Another complexion or
colour of clothes then takes a multiplication of some thousand pixels.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import Picture, color_ramp, recolor_by
from generator_service.drawing.mesh import Colour
from generator_service.drawing.people.composing import Covering, People, coverings
from generator_service.drawing.people.figure import NUMBER, WORN
from generator_service.drawing.people.layers import SHADE
from generator_service.drawing.people.things import THINGS

_COVERINGS: tuple[Covering, ...] = ("top", "legs", "skin", "hair", "brow", "shoes")
_OWN, _NOBODY = len(_COVERINGS), len(_COVERINGS) + 1
_DARKEST, _LIGHTEST = 45, 60  # percent of the way from a colour to black, and to white
_DARK, _GREYISH = 84, 48  # of 255: what is darker than that, and has less chroma, keeps its colour, such as tyres
Planes = npt.NDArray[np.uint8]


class _Lit(NamedTuple):
    """The lightness of one covering, (rows, w), 0 to SHADE, from the first row that shows it to the last one."""

    name: Covering
    first: int
    shades: npt.NDArray[np.uint16]


class _SmallPerson(NamedTuple):
    """A person in a pose: pixels of a colour of their own, (3, h, w), times SHADE; coverings that show; alpha."""

    own: npt.NDArray[np.uint16]
    coverings: tuple[_Lit, ...]
    alpha: Planes


def small_person(people: People, who: str, pose: str, permille: int, chosen: Mapping[Covering, Colour]) -> Image.Image:
    """Return somebody in a pose, RGBA, as large as there is something to be seen. Everybody looks to the left.

    permille: pixels for 1,000 samples of the layer. chosen: the colour of each covering.

    Raises:
        KeyError: this source has no such person or pose, or a covering has no colour.
    """
    small = _small(people, who, pose, permille)
    # Planes of a pixel sum up to 255 and some for rounding, colours to 250: 16 bits hold the products' sum.
    lit = small.own.copy()
    for covering in small.coverings:
        rows = slice(covering.first, covering.first + len(covering.shades))
        lit[:, rows] += covering.shades * np.array(chosen[covering.name], np.uint16)[:, None, None]
    lit //= SHADE
    height, width = small.alpha.shape
    pixels = np.empty((height, width, 4), np.uint8)
    for channel, plane in enumerate(lit):
        np.minimum(plane, small.alpha, out=pixels[..., channel], casting="unsafe")
    pixels[..., 3] = small.alpha
    return Image.frombuffer("RGBa", (width, height), pixels, "raw", "RGBa", 0, 1).convert("RGBA")


@cache_within_budget(512)  # a person 110 pixels high takes 80 KiB
def _small(people: People, who: str, pose: str, permille: int) -> _SmallPerson:
    """Scale a person's layer, each covering by itself."""
    layer = people.person(who, pose)
    size = tuple(max(1, (side * permille + 500) // 1000) for side in reversed(layer.part.shape))
    shown = np.full(256, _OWN, np.uint8)
    colours = np.zeros((256, 3), np.uint16)
    for name, covering in coverings(who).items():
        if isinstance(covering, str):
            shown[NUMBER[name]] = _COVERINGS.index(covering)
        else:
            colours[NUMBER[name]] = covering
    for number, colour in enumerate(layer.worn):
        colours[WORN + number] = colour
    covering_of = shown[layer.part]
    covering_of[layer.part == 0] = _NOBODY
    shades = [_scale_plane(np.where(covering_of == number, layer.shade, np.uint8(0)), size) for number in range(_OWN)]
    lit, its_own = np.zeros((*layer.part.shape, 3), np.uint8), np.nonzero(covering_of == _OWN)
    lit[its_own] = np.minimum(colours[layer.part[its_own]] * layer.shade[its_own][:, None] // SHADE, 255)
    return _SmallPerson(
        np.stack([_scale_plane(lit[..., channel], size) for channel in range(3)]) * np.uint16(SHADE),
        tuple(_crop_rows(name, plane) for name, plane in zip(_COVERINGS, shades, strict=True) if plane.any()),
        _scale_plane((layer.part > 0) * np.uint8(255), size),
    )


def _crop_rows(name: Covering, shades: Planes) -> _Lit:
    rows = np.flatnonzero(shades.any(axis=1))
    return _Lit(name, int(rows[0]), shades[rows[0] : rows[-1] + 1].astype(np.uint16))


def _scale_plane(plane: Planes, size: tuple[int, ...]) -> Planes:
    """Return the means of what each pixel covers."""
    image = Image.fromarray(np.ascontiguousarray(plane))
    return np.asarray(image.resize((size[0], size[1]), Image.Resampling.BOX))


@cache_within_budget(1024)  # a thing 84 pixels wide takes 25 KiB
def small_thing(people: People, name: str, side: int, colour: Colour | None) -> Image.Image:
    """Return a thing, RGBA, its longer side so many pixels: in a colour, or as it is. It looks to the left if anywhere.

    Raises:
        KeyError: there is no such thing.
    """
    whole = people.thing(THINGS[name].code)
    painted = whole if colour is None else _paint_thing(whole, colour)
    height, width = painted.shape[:2]
    longer = max(height, width)
    size = max(1, width * side // longer), max(1, height * side // longer)
    return Image.fromarray(painted).convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")


def _paint_thing(whole: Picture, colour: Colour) -> Picture:
    """Return a thing in shades of a colour. What is dark and grey keeps its own, unless that is most of it."""
    luma = (299 * colour[0] + 587 * colour[1] + 114 * colour[2]) // 1000
    darkest, lightest = luma * (100 - _DARKEST) // 100, luma + (255 - luma) * _LIGHTEST // 100
    painted = recolor_by(whole, color_ramp(colour, darkest, lightest))
    # NumPy takes ten times as long for the largest of three along the last axis.
    red, green, blue = (whole[..., channel] for channel in range(3))
    most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    kept = (most < _DARK) & (most - least < _GREYISH)
    seen = whole[..., 3] > 0
    if 2 * np.count_nonzero(kept & seen) > np.count_nonzero(seen):
        return painted
    return np.where(kept[..., None], whole, painted)

"""Draw people and things small, for pictures in which many of them stand about: whole, and in colours that are chosen.

A person is kept as planes: how light its clothes, its skin, its hair and so on are at each pixel. Another complexion or
colour of clothes then takes a multiplication of some thousand pixels.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.cache_budget import budgeted
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


class SmallPerson(NamedTuple):
    """A person in a pose: how light each covering is, (6, h, w); what has a colour of its own, (h, w, 3); alpha."""

    covered: Planes
    own: Planes
    alpha: Planes


def small_person(people: People, who: str, pose: str, permille: int, chosen: Mapping[Covering, Colour]) -> Image.Image:
    """Return somebody in a pose, RGBA, as large as there is something to be seen. Everybody looks to the left.

    permille: pixels for 1,000 samples of the layer. chosen: the colour of each covering.

    Raises:
        KeyError: this source has no such person or pose, or a covering has no colour.
    """
    small = _planes(people, who, pose, permille)
    pixels = np.empty((*small.alpha.shape, 4), np.uint8)
    for channel in range(3):
        # Planes of a pixel sum up to 255 and some for rounding, colours to 250: 16 bits hold the products' sum.
        lit = small.own[..., channel].astype(np.uint16) * SHADE
        for plane, name in zip(small.covered, _COVERINGS, strict=True):
            lit += plane * np.uint16(chosen[name][channel])
        lit //= SHADE
        pixels[..., channel] = np.minimum(lit, small.alpha)
    pixels[..., 3] = small.alpha
    height, width = small.alpha.shape
    return Image.frombuffer("RGBa", (width, height), pixels, "raw", "RGBa", 0, 1).convert("RGBA")


@budgeted(512)  # a person 110 pixels high takes 60 KiB
def _planes(people: People, who: str, pose: str, permille: int) -> SmallPerson:
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
    shades = [np.where(covering_of == number, layer.shade, np.uint8(0)) for number in range(len(_COVERINGS))]
    lit, its_own = np.zeros((*layer.part.shape, 3), np.uint8), np.nonzero(covering_of == _OWN)
    lit[its_own] = np.minimum(colours[layer.part[its_own]] * layer.shade[its_own][:, None] // SHADE, 255)
    return SmallPerson(
        np.stack([_scaled(plane, size) for plane in shades]),
        np.stack([_scaled(lit[..., channel], size) for channel in range(3)], axis=-1),
        _scaled((layer.part > 0) * np.uint8(255), size),
    )


def _scaled(plane: Planes, size: tuple[int, ...]) -> Planes:
    """Return the means of what each pixel covers."""
    image = Image.fromarray(np.ascontiguousarray(plane))
    return np.asarray(image.resize((size[0], size[1]), Image.Resampling.BOX))


@budgeted(1024)  # a thing 84 pixels wide takes 25 KiB
def small_thing(people: People, name: str, side: int, colour: Colour | None) -> Image.Image:
    """Return a thing, RGBA, its longer side so many pixels: in a colour, or as it is. It looks to the left if anywhere.

    Raises:
        KeyError: there is no such thing.
    """
    whole = people.thing(THINGS[name].code)
    painted = whole if colour is None else _painted(whole, colour)
    height, width = painted.shape[:2]
    longer = max(height, width)
    size = max(1, width * side // longer), max(1, height * side // longer)
    return Image.fromarray(painted).convert("RGBa").resize(size, Image.Resampling.BOX).convert("RGBA")


def _painted(whole: Picture, colour: Colour) -> Picture:
    """Return a thing in shades of a colour. What is dark and grey keeps its own, unless that is most of it."""
    luma = (299 * colour[0] + 587 * colour[1] + 114 * colour[2]) // 1000
    darkest, lightest = luma * (100 - _DARKEST) // 100, luma + (255 - luma) * _LIGHTEST // 100
    painted = recolor_by(whole, color_ramp(colour, darkest, lightest))
    channels = whole[..., :3].astype(np.int16)
    kept = (channels.max(-1) < _DARK) & (channels.max(-1) - channels.min(-1) < _GREYISH)
    seen = whole[..., 3] > 0
    if 2 * np.count_nonzero(kept & seen) > np.count_nonzero(seen):
        return painted
    return np.where(kept[..., None], whole, painted)

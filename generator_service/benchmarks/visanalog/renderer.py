"""Turn a picture into pixels, and apply the program to it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.bank import VisAnalogBank
from generator_service.benchmarks.visanalog.boards import PLAIN_HANDS, arrow, clock, in_pose, mask, plain_colour, plate
from generator_service.benchmarks.visanalog.composing import AT_RIM, MIDDLE_SIZE, SMALL
from generator_service.benchmarks.visanalog.pictures import AFTER, BEFORE, TARGET, role_of
from generator_service.benchmarks.visanalog.programs import HALF, MATRICES, PLACED, SIDE, Program
from generator_service.benchmarks.visanalog.scenes.renderer import scene_of_people
from generator_service.benchmarks.visanalog.spec import (
    ARROW,
    CLOCK,
    SIGN,
    Gathering,
    Photograph,
    Picture,
    Scene,
    Shown,
    Thing,
)
from generator_service.benchmarks.visanalog.transforming import transform_picture
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import opaque

_OBJECT = 0.9  # of the mat's side
_OBJECT_SIDES = tuple(round(side * _OBJECT) for side in (SMALL, MIDDLE_SIZE, AT_RIM))
_SEAM = 2  # pixels between planks
_GROUNDS = ((206, 190, 170), (190, 200, 206), (204, 204, 190), (214, 196, 196), (188, 190, 178), (200, 194, 210))


def render(bank: VisAnalogBank, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the item, (512, 512, 4) and opaque; KeyError for an unknown name."""
    role = role_of(scene, name)
    picture = scene.source if role in {BEFORE, AFTER} else scene.query
    drawn = _draw_picture(bank, picture)
    if role not in {AFTER, TARGET}:
        return drawn.copy()
    return transform_picture(drawn, PLACED[scene.program])


def _draw_picture(bank: VisAnalogBank, picture: Shown) -> PictureArray:
    """Return the pixels of A or C, read-only."""
    if isinstance(picture, Photograph):
        return draw_photograph(bank, picture)
    return draw_gathering(bank, picture) if isinstance(picture, Gathering) else draw_composed(bank, picture)


@cache_within_budget(16)
def draw_gathering(bank: VisAnalogBank, gathering: Gathering) -> PictureArray:
    """Draw a scene of people, read-only."""
    drawn = scene_of_people(bank.of_people(), gathering)
    drawn.flags.writeable = False
    return drawn


@cache_within_budget(16)
def draw_photograph(bank: VisAnalogBank, photograph: Photograph) -> PictureArray:
    """Return the pixels of a photograph in its pose, read-only."""
    mirrored, turns = divmod(photograph.pose, len(MATRICES) // 2)
    flip = "horizontal" if mirrored else ""
    whole = bank.of_photographs().picture(photograph.name)
    drawn = transform_picture(transform_picture(whole, Program(flip=flip)), Program(rotation=turns, hue=photograph.hue))
    drawn.flags.writeable = False
    return drawn


# Both A and B are drawn from one composed picture, C and D from another. Each takes 1 MiB.
@cache_within_budget(16)
def draw_composed(bank: VisAnalogBank, picture: Picture) -> PictureArray:
    """Draw a composed picture, read-only."""
    canvas = _ground(picture.ground)
    for thing in picture.things:
        x, y = thing.at
        at = HALF + x - thing.side // 2, HALF + y - thing.side // 2
        canvas.paste(_stamp(bank, thing), at, mask(thing.side, is_round=thing.round))
    drawn = opaque(canvas)
    drawn.flags.writeable = False
    return drawn


def _stamp(bank: VisAnalogBank, one: Thing) -> Image.Image:
    """Draw a thing on its mat, in its pose, (side, side) RGB. The mat's shape is its mask."""
    mat = Image.new("RGB", (one.side, one.side), plain_colour(one.colour))
    drawn = _figure(bank, one)
    offset = (one.side - drawn.width) // 2
    drawn = in_pose(drawn, one.pose)
    mat.paste(drawn, (offset, offset), drawn)
    return mat


def _figure(bank: VisAnalogBank, one: Thing) -> Image.Image:
    side = round(one.side * _OBJECT)
    if one.name == SIGN:
        return plate(one.look, side)
    if one.name == CLOCK:
        return clock(side, PLAIN_HANDS)
    if one.name == ARROW:
        return arrow(side)
    return _object(bank, one.look)[side].image


class _Drawn(NamedTuple):
    """Pixels, (side, side, 4), and Pillow's image of them, which shares their memory. Caches measure the pixels."""

    pixels: PictureArray
    image: Image.Image


# A bank has a thousand objects, and each is shown again and again in three sizes: 55 KiB together.
@cache_within_budget(1024)
def _object(bank: VisAnalogBank, look: str) -> Mapping[int, _Drawn]:
    """Return an object's picture by its side in pixels. Reading it takes most of the time.

    Resizing RGBA, Pillow multiplies colours by their alpha first, and divides them at the end: here once for all sizes.
    """
    whole = Image.fromarray(bank.objects.picture(look)).convert("RGBa")
    sizes = (whole.resize((side, side), Image.Resampling.BOX).convert("RGBA") for side in _OBJECT_SIDES)
    return {size.width: _Drawn(pixels, Image.fromarray(pixels)) for size in sizes for pixels in [np.asarray(size)]}


def _ground(number: int) -> Image.Image:
    """Draw a table to lay things on: planks, cloth in checks, or a plain top, in a quiet colour; 512 pixels a side."""
    base = _GROUNDS[number % len(_GROUNDS)]
    style, width = ("planks", "checks", "plain")[(number // 8) % 3], 32 + 4 * ((number // 32) % 6)
    shade = _slope((number // 256) % 5 - 2, (number // 2048) % 5 - 2)
    across = np.arange(SIDE)
    if style == "planks":
        planks = np.arange(SIDE // width + 1)[:, None]
        grain = 2 * ((across // 3 + planks * 53) % 7 == 0)
        lines = (grain + (planks * 37 % 5 - 2) * 3).astype(np.uint8)
        shade = shade + lines[across // width]
        shade[across % width < _SEAM] -= 22
    elif style == "checks":
        row = (7 * ((across // width) % 2)).astype(np.uint8)
        shade = shade + row - row[:, None]
    levels = np.arange(256) - _BASE
    palette = np.clip(np.array(base) + levels[:, None], 0, 255).astype(np.uint8)
    shades = Image.fromarray(shade)
    shades.putpalette(palette.tobytes())
    return shades.convert("RGB")


_BASE = 128  # the shade of the base colour; others wrap around, as bytes do
_STEPS = (np.arange(-4 * SIDE, 4 * SIDE) // 56 + _BASE).astype(np.uint8)
"""Shades along a slope, from its lowest possible place."""


def _slope(across: int, down: int) -> npt.NDArray[np.uint8]:
    """Return a slope of shades, (512, 512): (across * x + down * y) // 56 + 128. It is one row, read with strides."""
    return as_strided(_STEPS[4 * SIDE :], (SIDE, SIDE), (down, across))

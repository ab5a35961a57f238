"""Turn a composed picture into pixels, and apply the program to it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided
from PIL import Image, ImageDraw

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.bank import VisAnalogBank
from generator_service.benchmarks.visanalog.composing import AT_RIM, MIDDLE_SIZE, SMALL
from generator_service.benchmarks.visanalog.pictures import AFTER, BEFORE, TARGET, role_of
from generator_service.benchmarks.visanalog.programs import HALF, MATRICES, PLACED, SIDE, Program
from generator_service.benchmarks.visanalog.spec import ARROW, CLOCK, HUES, SIGN, Photograph, Picture, Scene, Thing
from generator_service.benchmarks.visanalog.transforming import transformed
from generator_service.cache_budget import budgeted
from generator_service.drawing.canvas import opaque
from generator_service.drawing.lettering import sign

_SAMPLES = 4  # samples a pixel, each way, where masks are drawn
_SATURATION, _VALUE = 215, 238
_INK = (38, 38, 46)
_PAPER = (250, 248, 242)
_OBJECT = 0.9  # of the mat's side
_OBJECT_SIDES = tuple(round(side * _OBJECT) for side in (SMALL, MIDDLE_SIZE, AT_RIM))
_POSES = (
    Image.Transpose.ROTATE_90,
    Image.Transpose.ROTATE_180,
    Image.Transpose.ROTATE_270,
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.TRANSPOSE,
    Image.Transpose.FLIP_TOP_BOTTOM,
    Image.Transpose.TRANSVERSE,
)
"""What Pillow calls the symmetries of the square but the first, as `programs` numbers them."""
_SEAM = 2  # pixels between planks
_GROUNDS = ((206, 190, 170), (190, 200, 206), (204, 204, 190), (214, 196, 196), (188, 190, 178), (200, 194, 210))


def render(bank: VisAnalogBank, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the item, (512, 512, 4) and opaque; KeyError for an unknown name."""
    role = role_of(scene, name)
    picture = scene.source if role in {BEFORE, AFTER} else scene.query
    drawn = posed(bank, picture) if isinstance(picture, Photograph) else composed(bank, picture)
    if role not in {AFTER, TARGET}:
        return drawn.copy()
    return transformed(drawn, PLACED[scene.program])


@budgeted(16)
def posed(bank: VisAnalogBank, photograph: Photograph) -> PictureArray:
    """Return the pixels of a photograph in its pose, read-only."""
    mirrored, turns = divmod(photograph.pose, len(MATRICES) // 2)
    flip = "horizontal" if mirrored else ""
    whole = bank.of_photographs().picture(photograph.name)
    drawn = transformed(transformed(whole, Program(flip=flip)), Program(rotation=turns, hue=photograph.hue))
    drawn.flags.writeable = False
    return drawn


# Both A and B are drawn from one composed picture, C and D from another. Each takes 1 MiB.
@budgeted(16)
def composed(bank: VisAnalogBank, picture: Picture) -> PictureArray:
    """Draw a composed picture, read-only."""
    canvas = _ground(picture.ground)
    for one in picture.things:
        x, y = one.at
        at = HALF + x - one.side // 2, HALF + y - one.side // 2
        canvas.paste(_stamp(bank, one), at, _mask(one.side, is_round=one.round))
    drawn = opaque(canvas)
    drawn.flags.writeable = False
    return drawn


def _stamp(bank: VisAnalogBank, one: Thing) -> Image.Image:
    """Draw a thing on its mat, in its pose, (side, side) RGB. The mat's shape is its mask."""
    mat = Image.new("RGB", (one.side, one.side), _mat_colour(one.colour))
    drawn = _figure(bank, one)
    offset = (one.side - drawn.width) // 2
    if one.pose:
        drawn = drawn.transpose(_POSES[one.pose - 1])
    mat.paste(drawn, (offset, offset), drawn)
    return mat


def _figure(bank: VisAnalogBank, one: Thing) -> Image.Image:
    side = round(one.side * _OBJECT)
    if one.name == SIGN:
        return _plate(one.look, side)
    if one.name == CLOCK:
        return _clock(side)
    if one.name == ARROW:
        return _arrow(side)
    return _object(bank, one.look)[side].image


class _Drawn(NamedTuple):
    """Pixels, (side, side, 4), and Pillow's image of them, which shares their memory. Caches measure the pixels."""

    pixels: PictureArray
    image: Image.Image


# A bank has a thousand objects, and each is shown again and again in three sizes: 55 KiB together.
@budgeted(1024)
def _object(bank: VisAnalogBank, look: str) -> Mapping[int, _Drawn]:
    """Return an object's picture by its side in pixels. Reading it takes most of the time.

    Resizing RGBA, Pillow multiplies colours by their alpha first, and divides them at the end: here once for all sizes.
    """
    whole = Image.fromarray(bank.objects.picture(look)).convert("RGBa")
    sizes = (whole.resize((side, side), Image.Resampling.BOX).convert("RGBA") for side in _OBJECT_SIDES)
    return {size.width: _Drawn(pixels, Image.fromarray(pixels)) for size in sizes for pixels in [np.asarray(size)]}


@budgeted(16)
def _mat_colour(colour: int) -> tuple[int, int, int]:
    red, green, blue = Image.new("HSV", (1, 1), (HUES[colour], _SATURATION, _VALUE)).convert("RGB").tobytes()
    return red, green, blue


@budgeted(16)
def _mask(side: int, *, is_round: bool) -> Image.Image:
    drawn = Image.new("L", (side * _SAMPLES, side * _SAMPLES), 0)
    pen, last = ImageDraw.Draw(drawn), side * _SAMPLES - 1
    if is_round:
        pen.ellipse((0, 0, last, last), fill=255)
    else:
        pen.rounded_rectangle((0, 0, last, last), radius=last // 9, fill=255)
    return drawn.reduce(_SAMPLES)


@budgeted(64)
def _plate(word: str, side: int) -> Image.Image:
    """Draw a word in dark letters on a plate, (side, side) with nothing above and below."""
    height = side // 2 + 4
    letter = min((side - 8) // len(word), height - 8)
    plate = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    top = (side - height) // 2
    ImageDraw.Draw(plate).rounded_rectangle((0, top, side - 1, top + height - 1), radius=6, fill=(*_PAPER, 255))
    left = (side - letter * len(word)) // 2
    for place, character in enumerate(word):
        ink = Image.fromarray(255 - sign(character, 2 * letter, 130)).resize((letter, letter), Image.Resampling.BOX)
        plate.paste(_INK, (left + place * letter, (side - letter) // 2), ink)
    return plate


@budgeted(8)
def _clock(side: int) -> Image.Image:
    """Draw a clock's face: its long hand up, its short hand to the right."""
    whole = side * _SAMPLES
    face = Image.new("RGBA", (whole, whole), (0, 0, 0, 0))
    pen, middle = ImageDraw.Draw(face), whole // 2
    reach = int(whole * 0.44)
    pen.ellipse(
        (middle - reach, middle - reach, middle + reach, middle + reach), fill=_PAPER, outline=_INK, width=whole // 28
    )
    tick, thick = whole // 12, whole // 40
    for across, down in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        x, y = middle + across * (reach - tick), middle + down * (reach - tick)
        pen.ellipse((x - thick, y - thick, x + thick, y + thick), fill=_INK)
    thin, thickness = whole // 36, whole // 22
    pen.rectangle((middle - thin, middle - int(whole * 0.34), middle + thin, middle + thin), fill=_INK)
    pen.rectangle((middle - thickness, middle - thickness, middle + int(whole * 0.2), middle + thickness), fill=_INK)
    return face.reduce(_SAMPLES)


@budgeted(8)
def _arrow(side: int) -> Image.Image:
    """Draw an arrow that points right."""
    whole = side * _SAMPLES
    drawn = Image.new("RGBA", (whole, whole), (0, 0, 0, 0))
    outline = [(0.06, 0.38), (0.52, 0.38), (0.52, 0.16), (0.94, 0.5), (0.52, 0.84), (0.52, 0.62), (0.06, 0.62)]
    points = [(round(x * whole), round(y * whole)) for x, y in outline]
    ImageDraw.Draw(drawn).polygon(points, fill=_PAPER, outline=_INK, width=whole // 26)
    return drawn.reduce(_SAMPLES)


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

"""Draw what has words or a direction in composed pictures: signs, clocks and arrows; and the colours around them."""

from typing import NamedTuple

from PIL import Image, ImageDraw

from generator_service.benchmarks.visanalog.spec import HUES
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.lettering import sign

_SAMPLES = 4  # samples a pixel, each way, where masks are drawn
_SATURATION, _VALUE = 215, 238
_INK = (38, 38, 46)
_PAPER = (250, 248, 242)


class Hands(NamedTuple):
    """The hands of a clock: lengths as shares of its width; half of each one's thickness is the width by a number."""

    long: float
    short: float
    thin: int
    thick: int


PLAIN_HANDS = Hands(0.34, 0.2, 36, 22)
BOLD_HANDS = Hands(0.39, 0.22, 44, 14)
"""Hands that differ more, for a small clock."""
TRANSPOSITIONS: tuple[Image.Transpose | None, ...] = (
    None,
    Image.Transpose.ROTATE_90,
    Image.Transpose.ROTATE_180,
    Image.Transpose.ROTATE_270,
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.TRANSPOSE,
    Image.Transpose.FLIP_TOP_BOTTOM,
    Image.Transpose.TRANSVERSE,
)
"""The symmetries of the square as `programs` numbers them, as Pillow calls them; the first changes nothing."""


def in_pose(image: Image.Image, pose: int) -> Image.Image:
    """Return an image in a symmetry of the square."""
    transposition = TRANSPOSITIONS[pose]
    return image if transposition is None else image.transpose(transposition)


@cache_within_budget(16)
def plain_colour(colour: int) -> tuple[int, int, int]:
    """Return a colour of COLOURS, by its number, in red, green and blue."""
    red, green, blue = Image.new("HSV", (1, 1), (HUES[colour], _SATURATION, _VALUE)).convert("RGB").tobytes()
    return red, green, blue


@cache_within_budget(16)
def mask(side: int, *, is_round: bool) -> Image.Image:
    """Draw the shape of a mat, (side, side): a disc, or a square with round corners."""
    drawn = Image.new("L", (side * _SAMPLES, side * _SAMPLES), 0)
    pen, last = ImageDraw.Draw(drawn), side * _SAMPLES - 1
    if is_round:
        pen.ellipse((0, 0, last, last), fill=255)
    else:
        pen.rounded_rectangle((0, 0, last, last), radius=last // 9, fill=255)
    return drawn.reduce(_SAMPLES)


@cache_within_budget(64)
def plate(word: str, side: int) -> Image.Image:
    """Draw a word in dark letters on a plate, (side, side) with nothing above and below."""
    height = side // 2 + 4
    letter = min((side - 8) // len(word), height - 8)
    drawn = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    top = (side - height) // 2
    ImageDraw.Draw(drawn).rounded_rectangle((0, top, side - 1, top + height - 1), radius=6, fill=(*_PAPER, 255))
    left = (side - letter * len(word)) // 2
    for place, character in enumerate(word):
        ink = Image.fromarray(255 - sign(character, 2 * letter, 130)).resize((letter, letter), Image.Resampling.BOX)
        drawn.paste(_INK, (left + place * letter, (side - letter) // 2), ink)
    return drawn


@cache_within_budget(8)
def clock(side: int, hands: Hands) -> Image.Image:
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
    thin, thick = whole // hands.thin, whole // hands.thick
    pen.rectangle((middle - thin, middle - int(whole * hands.long), middle + thin, middle + thin), fill=_INK)
    pen.rectangle((middle - thick, middle - thick, middle + int(whole * hands.short), middle + thick), fill=_INK)
    return face.reduce(_SAMPLES)


@cache_within_budget(8)
def arrow(side: int) -> Image.Image:
    """Draw an arrow that points right."""
    whole = side * _SAMPLES
    drawn = Image.new("RGBA", (whole, whole), (0, 0, 0, 0))
    outline = [(0.06, 0.38), (0.52, 0.38), (0.52, 0.16), (0.94, 0.5), (0.52, 0.84), (0.52, 0.62), (0.06, 0.62)]
    points = [(round(x * whole), round(y * whole)) for x, y in outline]
    ImageDraw.Draw(drawn).polygon(points, fill=_PAPER, outline=_INK, width=whole // 26)
    return drawn.reduce(_SAMPLES)

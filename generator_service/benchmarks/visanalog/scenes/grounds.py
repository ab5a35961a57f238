"""Paint the ground that people stand on, seen from above: a lawn, a beach, a square, a pitch, a yard in the snow ...

A ground is drawn from a number. It is plain enough that whatever stands on it is seen, and differs from side to side.
Everything is in whole numbers, so every machine paints the same pixels.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageDraw

from generator_service.benchmarks.visanalog.programs import SIDE
from tetrad.streams import Stream

Colour = tuple[int, int, int]
MOST_COLOURS = 128
_STREAM = "visanalog/ground/1"


@dataclass
class _Sketch:
    """A ground while it is painted: the picture, its pen, and what its details are drawn from."""

    image: Image.Image
    pen: ImageDraw.ImageDraw
    stream: Stream

    def below(self, bound: int) -> int:
        return self.stream.below(bound)

    def scatter(self, count: int, colour: Colour, wide: int, high: int) -> None:
        """Draw spots anywhere."""
        for _ in range(count):
            x, y = self.stream.below_each(SIDE, SIDE)
            self.pen.ellipse((x, y, x + wide, y + high), fill=colour)

    def path(self, colour: Colour, width: int) -> None:
        """Draw a bent path from the left side to the right one, or from the top to the bottom."""
        begin, bend, end, turned = self.stream.below_each(SIDE, SIDE, SIDE, 2)
        points = [(-40, begin), (SIDE // 2, bend), (SIDE + 40, end)]
        self.pen.line([(y, x) if turned else (x, y) for x, y in points], fill=colour, width=width, joint="curve")

    def tiles(self, side: int, colour: Colour) -> None:
        """Draw the joints of paving stones; every other row is shifted."""
        for row in range(SIDE // side + 1):
            self.pen.line((0, row * side, SIDE, row * side), fill=colour, width=2)
            for column in range(SIDE // side + 2):
                x = column * side - (side // 2 if row % 2 else 0)
                self.pen.line((x, row * side, x, (row + 1) * side), fill=colour, width=2)


def _lawn(s: _Sketch) -> None:
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=((170, 200, 140), (158, 190, 136), (182, 204, 150))[s.below(3)])
    s.path((212, 198, 168), 56)
    s.scatter(60, (146, 178, 116), 9, 4)
    s.scatter(14, ((244, 240, 214), (240, 222, 140), (230, 190, 206))[s.below(3)], 5, 5)


def _beach(s: _Sketch) -> None:
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=((232, 218, 180), (226, 208, 172), (238, 226, 196))[s.below(3)])
    reach = 90 + s.below(70)
    for width, colour in ((reach + 14, (240, 244, 240)), (reach, (150, 204, 214)), (reach // 2, (126, 186, 204))):
        s.pen.polygon([(0, 0), (SIDE, 0), (SIDE, width // 2), (SIDE // 2, width), (0, width - 20)], fill=colour)
    s.scatter(70, (212, 194, 154), 6, 3)
    s.scatter(8, (250, 246, 236), 7, 5)


def _square(s: _Sketch) -> None:
    tone = ((206, 200, 190), (198, 190, 184), (192, 196, 202))[s.below(3)]
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=tone)
    s.tiles((48, 64, 80)[s.below(3)], (tone[0] - 18, tone[1] - 18, tone[2] - 18))
    x, y, reach = s.below(SIDE), s.below(SIDE), 70 + s.below(50)
    s.pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=(182, 206, 160), outline=(160, 154, 146), width=6)


def _pitch(s: _Sketch) -> None:
    light, dark = ((164, 200, 142), (154, 190, 134))
    wide, white = 64, (236, 242, 232)
    for band in range(SIDE // wide):
        s.pen.rectangle((band * wide, 0, (band + 1) * wide, SIDE), fill=light if band % 2 else dark)
    x, y, reach = 60 + s.below(392), 60 + s.below(392), 60 + s.below(40)
    s.pen.line((x, 0, x, SIDE), fill=white, width=5)
    s.pen.ellipse((x - reach, y - reach, x + reach, y + reach), outline=white, width=5)
    s.pen.line((0, 24, SIDE, 24), fill=white, width=5)


def _snow(s: _Sketch) -> None:
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=((232, 236, 242), (226, 232, 240), (236, 238, 240))[s.below(3)])
    for _ in range(5):
        x, y = s.stream.below_each(SIDE, SIDE)
        s.pen.ellipse((x - 90, y - 34, x + 90, y + 34), fill=(240, 243, 247))
    s.path((214, 221, 232), 34)
    for _ in range(6):
        x, y = s.stream.below_each(SIDE, SIDE)
        s.pen.polygon([(x, y - 16), (x - 11, y + 10), (x + 11, y + 10)], fill=(150, 178, 158))


def _street(s: _Sketch) -> None:
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=(196, 192, 188))
    top, high = 120 + s.below(140), 150
    s.pen.rectangle((0, top, SIDE, top + high), fill=((158, 160, 166), (150, 150, 154))[s.below(2)])
    for dash in range(8):
        s.pen.rectangle((dash * 72, top + high // 2 - 3, dash * 72 + 38, top + high // 2 + 3), fill=(232, 228, 212))
    left = s.below(400)
    for stripe in range(4):
        s.pen.rectangle((left + stripe * 26, top, left + stripe * 26 + 13, top + high), fill=(226, 226, 222))
    s.scatter(24, (182, 178, 174), 8, 5)


def _hall(s: _Sketch) -> None:
    tone = ((216, 190, 154), (206, 178, 142), (222, 200, 168))[s.below(3)]
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=tone)
    dark = (tone[0] - 14, tone[1] - 14, tone[2] - 14)
    for row in range(SIDE // 32 + 1):
        s.pen.line((0, row * 32, SIDE, row * 32), fill=dark, width=2)
        x = s.below(SIDE)
        s.pen.line((x, row * 32, x, row * 32 + 32), fill=dark, width=2)
    line = ((150, 130, 190), (120, 150, 180), (190, 120, 110))[s.below(3)]
    x, y = 40 + s.below(120), 40 + s.below(120)
    s.pen.rectangle((x, y, x + 300, y + 250), outline=line, width=4)


def _park(s: _Sketch) -> None:
    s.pen.rectangle((0, 0, SIDE, SIDE), fill=((178, 202, 150), (166, 194, 144))[s.below(2)])
    x, y, wide, high = s.below(SIDE), s.below(SIDE), 80 + s.below(60), 50 + s.below(50)
    s.pen.ellipse((x - wide, y - high, x + wide, y + high), fill=(160, 204, 214), outline=(206, 200, 176), width=8)
    s.path((216, 204, 178), 40)
    for _ in range(5):
        x, y = s.stream.below_each(SIDE, SIDE)
        s.pen.ellipse((x - 18, y - 18, x + 18, y + 18), fill=(142, 176, 120))
        s.pen.ellipse((x - 11, y - 13, x + 7, y + 5), fill=(156, 188, 132))


_GROUNDS: tuple[Callable[[_Sketch], None], ...] = (_lawn, _beach, _square, _pitch, _snow, _street, _hall, _park)
NUMBER_OF_GROUNDS = len(_GROUNDS)


def ground(number: int) -> Image.Image:
    """Paint the ground of this number, 512 pixels a side, with a palette of fewer than MOST_COLOURS."""
    image = Image.new("P", (SIDE, SIDE))
    _GROUNDS[number % NUMBER_OF_GROUNDS](_Sketch(image, ImageDraw.Draw(image), Stream(_STREAM, number)))
    return image

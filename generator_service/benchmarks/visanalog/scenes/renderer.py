"""Turn a scene of people into pixels: the ground, shadows, then everybody and everything from the back to the front.

A ground, seen from above (a lawn, a beach, a square, a pitch, a yard in the snow), is drawn from a number. It is plain
enough that whatever stands on it is seen, and differs from side to side. Everything is in whole numbers, so every
machine paints the same pixels.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.boards import BOLD_HANDS, arrow, clock, in_pose, mask, plain_colour, plate
from generator_service.benchmarks.visanalog.programs import HALF, PRODUCTS, SIDE
from generator_service.benchmarks.visanalog.scenes.composing import COMPLEXIONS, upright
from generator_service.benchmarks.visanalog.spec import BOARD, CLOCK, PERSON, SIGN, Gathering, Stander
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import opaque
from generator_service.drawing.people import composing as drawn_people
from generator_service.drawing.people.composing import People
from generator_service.drawing.people.people_maker import EVERYBODY
from generator_service.drawing.people.small import small_person, small_thing
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


PERMILLE, OF_CHILDREN = 176, 205
"""Pixels for 1,000 samples of a person: a man is 112 pixels high. Children are larger than life, to be seen well."""
_BOARD = 64  # height of a board; its post is below
_CLOCK, _ARROW, _LETTERS = 68, 58, 76  # sides of what is on it
_POST, _POST_COLOUR = 4, (108, 104, 100)
_DARKER = 52  # percent: trousers are of the same colour as what is worn above, but darker
_LIT, _WHOLE = 193, 255  # what is left of the light in a shadow
_HALF = _WHOLE // 2
_MIRRORED = 4  # the pose of what is drawn: it looks to the left, and in the plain pose to the right
_FLAT = 5  # an oval of shadow is that many times as wide as it is high


class _Figure(NamedTuple):
    """Somebody or something in the upright picture: the image, and where its upper left corner is."""

    image: Image.Image
    left: int
    top: int

    @property
    def foot(self) -> int:
        return self.top + self.image.height


def scene_of_people(people: People, gathering: Gathering) -> PictureArray:
    """Draw a scene, (512, 512, 4) and opaque.

    Raises:
        KeyError: the source has not what the scene needs.
    """
    figures = sorted(_figures(people, gathering), key=lambda one: (one.foot, one.left))
    canvas = _shade_ground(ground(gathering.ground), figures)
    for figure in figures:
        canvas.paste(figure.image, (figure.left, figure.top), figure.image)
    return opaque(in_pose(canvas, gathering.pose))


def _shade_ground(plain: Image.Image, figures: Iterable[_Figure]) -> Image.Image:
    """Return a ground, RGB, with a shadow under each figure.

    Colours in the shade stand in the palette MOST_COLOURS after the plain ones: four times as fast as pasting black.
    """
    shade = Image.new("P", (SIDE, SIDE))
    pen = ImageDraw.Draw(shade)
    for figure in figures:
        wide = figure.image.width * 9 // 10
        left, high = figure.left + (figure.image.width - wide) // 2, max(3, wide // _FLAT)
        pen.ellipse((left, figure.foot - high * 2 // 3, left + wide, figure.foot + high // 3), fill=MOST_COLOURS)
    colours = plain.getpalette() or []
    colours += [0] * (3 * MOST_COLOURS - len(colours))
    shaded = ImageChops.add_modulo(plain, shade)
    shaded.putpalette(colours + [(level * _LIT + _HALF) // _WHOLE for level in colours])
    return shaded.convert("RGB")


def _figures(people: People, gathering: Gathering) -> Iterator[_Figure]:
    for thing in upright(gathering):
        image = _image(people, thing)
        x, y = thing.at
        left, low = HALF + x - image.width // 2, HALF + y + thing.size[1] // 2
        # Who stands on the ground has its feet there; a thing lies in the middle of its box, so that a zoom halves it.
        spare = 0 if thing.kind == PERSON else (thing.size[1] - image.height) // 2
        yield _Figure(image, left, low - spare - image.height)


def _image(people: People, one: Stander) -> Image.Image:
    if one.kind == BOARD:
        return _board(one)
    colour = plain_colour(one.colour)
    if one.kind == PERSON:
        who, _, pose = one.look.partition("/")
        permille = OF_CHILDREN if EVERYBODY[who].age == "child" else PERMILLE
        drawn = small_person(people, who, pose, permille, _coverings(colour, one.tone))
    else:
        drawn = small_thing(people, one.look, max(one.size), colour)
    return in_pose(drawn, PRODUCTS[one.pose][_MIRRORED])


def _coverings(clothes: tuple[int, int, int], tone: int) -> dict[drawn_people.Covering, tuple[int, int, int]]:
    hair, complexion = divmod(tone, COMPLEXIONS)
    skin = drawn_people.COMPLEXIONS[complexion]
    return {
        "top": clothes,
        "legs": (clothes[0] * _DARKER // 100, clothes[1] * _DARKER // 100, clothes[2] * _DARKER // 100),
        "skin": skin,
        "hair": drawn_people.HAIR[hair],
        "brow": drawn_people.brow_of(skin),
        "shoes": drawn_people.SHOES[tone % len(drawn_people.SHOES)],
    }


def _board(one: Stander) -> Image.Image:
    """Draw a board on its post, which stands upright whatever the pose of what is on the board."""
    drawn = _empty_board(one.size[0], one.colour).copy()
    if one.name == SIGN:
        on_board = plate(one.look, _LETTERS)
    else:
        on_board = clock(_CLOCK, BOLD_HANDS) if one.name == CLOCK else arrow(_ARROW)
    on_board = in_pose(on_board, one.pose)
    drawn.paste(on_board, ((drawn.width - on_board.width) // 2, (_BOARD - on_board.height) // 2), on_board)
    return drawn


@cache_within_budget(16)
def _empty_board(side: int, colour: int) -> Image.Image:
    drawn = Image.new("RGBA", (side, side))
    middle = side // 2
    ImageDraw.Draw(drawn).rectangle((middle - _POST, _BOARD - 4, middle + _POST, side - 1), fill=(*_POST_COLOUR, 255))
    shape = Image.new("L", (side, side))
    whole = mask(side, is_round=False)
    shape.paste(whole.crop((0, 0, side, _BOARD // 2)), (0, 0))
    shape.paste(whole.crop((0, side - _BOARD // 2, side, side)), (0, _BOARD // 2))
    drawn.paste(plain_colour(colour), (0, 0), shape)
    return drawn

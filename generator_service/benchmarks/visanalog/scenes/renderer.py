"""Turn a scene of people into pixels: the ground, shadows, then everybody and everything from the back to the front."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.visanalog.boards import BOLD_HANDS, arrow, clock, in_pose, mask, plain_colour, plate
from generator_service.benchmarks.visanalog.programs import HALF, PRODUCTS, SIDE
from generator_service.benchmarks.visanalog.scenes.composing import COMPLEXIONS, upright
from generator_service.benchmarks.visanalog.scenes.grounds import MOST_COLOURS, ground
from generator_service.benchmarks.visanalog.spec import BOARD, CLOCK, PERSON, SIGN, Gathering, Stander
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import opaque
from generator_service.drawing.people import composing as drawn_people
from generator_service.drawing.people.composing import People
from generator_service.drawing.people.people_maker import EVERYBODY
from generator_service.drawing.people.small import small_person, small_thing

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

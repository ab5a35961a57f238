"""An alarm clock: a round face with two hands, two bells, two feet."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import box, disc, ellipsoid, tube

# case, bells
PALETTES: tuple[tuple[Colour, Colour], ...] = (
    ((66, 146, 92), (226, 190, 80)),
    ((238, 190, 62), (120, 122, 126)),
    ((78, 80, 88), (230, 196, 90)),
    ((132, 188, 128), (96, 98, 104)),
)
_FACE: Colour = (254, 252, 246)
_INK: Colour = (40, 40, 46)


def build(dice: Dice) -> Mesh:
    case, bell = dice.pick(PALETTES)
    middle = 0.56
    body = disc(0.5, 0.34, case).move(y=middle)
    face = disc(0.42, 0.05, _FACE).move(y=middle, z=0.17).polish(0.1)
    feet = [tube([(0.26 * x, 0.2, 0.0), (0.36 * x, 0.0, 0.0)], 0.055, bell) for x in (-1, 1)]
    bells = [ellipsoid(0.17, 0.13, 0.15, bell).turn("z", -32 * x).move(0.28 * x, middle + 0.5) for x in (-1, 1)]
    clapper = box(0.05, 0.16, 0.05, bell).move(y=middle + 0.53)
    hour = dice.whole(0, 11)
    hands = [_hand(hour * 30 + 15, 0.22, 0.028), _hand(180 * dice.whole(0, 1) + 30 * dice.whole(0, 5), 0.33, 0.02)]
    return join(body, face, *feet, *bells, clapper, *_marks(), *[hand.move(y=middle) for hand in hands])


def _marks() -> list[Mesh]:
    places = [(30 * number, 0.05 if number % 3 else 0.09) for number in range(12)]
    return [
        box(0.028, long, 0.02, _INK).move(y=0.36 - long / 2).turn("z", angle).move(y=0.56, z=0.2)
        for angle, long in places
    ]


def _hand(clockwise: float, long: float, thick: float) -> Mesh:
    x, y = long * sine(clockwise), long * cosine(clockwise)
    return tube([(0.0, 0.0, 0.21), (x, y, 0.21)], thick, _INK, sides=8)


PROP = Prop("clock", build, size=0.36, sway=16.0)

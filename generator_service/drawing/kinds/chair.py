"""A kitchen chair: legs, seat, a back of slats, some with a cushion or an arm."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, tube

# wood, seat, slats, cushion
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((196, 140, 88), (214, 160, 104), (196, 140, 88), (206, 108, 96)),
    ((112, 78, 60), (136, 98, 74), (112, 78, 60), (236, 198, 116)),
    ((236, 228, 212), (210, 166, 116), (236, 228, 212), (108, 152, 180)),
    ((104, 148, 168), (236, 226, 204), (104, 148, 168), (238, 178, 104)),
    ((232, 182, 88), (150, 106, 78), (150, 106, 78), (126, 164, 128)),
    ((206, 116, 100), (240, 222, 196), (206, 116, 100), (112, 118, 148)),
)


def build(dice: Dice) -> Mesh:
    wood, seat, slat, cushion = dice.pick(PALETTES)
    wide, leg, back = dice.between(1.15, 1.45), dice.between(1.05, 1.4), dice.between(1.2, 1.65)
    thick = dice.between(0.075, 0.11)
    plate = box(wide + 0.1, 0.15, 1.3, seat, bevel=0.06)
    parts = [plate, _legs(wood, wide, leg, thick), _back(wood, slat, wide, back, thick, dice=dice)]
    if dice.chance(60):
        parts.append(box(wide * 0.9, 0.2, 1.1, cushion, bevel=0.1).move(y=0.15).polish(0.15))
    if dice.chance(30):
        parts += [_arm(wood, wide, side) for side in (-1, 1)]
    return join(*parts)


def _legs(colour: Colour, wide: float, long: float, thick: float) -> Mesh:
    half = wide / 2 - 0.06
    legs = [
        tube([(half * x, 0, 0.54 * z), (half * x * 1.1, -long, 0.62 * z)], [thick * 1.2, thick * 0.85], colour)
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    rungs = [
        tube([(half * 1.06 * x, -long * 0.6, -0.58), (half * 1.06 * x, -long * 0.6, 0.58)], thick * 0.6, colour)
        for x in (-1, 1)
    ]
    across = tube([(-half * 1.06, -long * 0.6, 0), (half * 1.06, -long * 0.6, 0)], thick * 0.6, colour)
    return join(*legs, *rungs, across)


def _back(wood: Colour, slat: Colour, wide: float, high: float, thick: float, *, dice: Dice) -> Mesh:
    half = wide / 2 - 0.05
    lean = -0.56 - 0.16 * high
    posts = [tube([(half * x, 0, -0.56), (half * x, high, lean)], thick, wood) for x in (-1, 1)]
    rail = box(wide + 0.12, 0.26, 0.13, slat, bevel=0.06).move(0, high, lean)
    if dice.chance(50):
        count = dice.whole(3, 5)
        places = [-half + 2 * half * (k + 1) / (count + 1) for k in range(count)]
        bars = [tube([(x, 0.0, -0.56), (x, high, lean)], thick * 0.6, slat) for x in places]
    else:
        count = dice.whole(2, 3)
        heights = [high * (k + 1) / (count + 1) for k in range(count)]
        bars = [box(wide, 0.17, 0.1, slat, bevel=0.04).move(0, y, -0.56 - 0.16 * y) for y in heights]
    return join(*posts, rail, *bars)


def _arm(colour: Colour, wide: float, side: int) -> Mesh:
    x = (wide / 2 + 0.02) * side
    post = tube([(x, 0.0, 0.5), (x, 0.52, 0.5)], 0.065, colour)
    rest = box(0.16, 0.1, 1.2, colour, bevel=0.05).move(x, 0.55, -0.04)
    return join(post, rest)


KIND = Kind("chair", build, View(yaw=34, pitch=18))

"""A rubber boot: a shaft of stacked ovals that run out into the foot, a sole with a heel, a cuff, a loop."""

import numpy as np

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.outlines import curve
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, extrude, patch, ring, smooth, tube

# rubber, sole, cuff and toe, dots
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((246, 204, 84), (110, 82, 66), (226, 150, 76), (250, 240, 214)),
    ((224, 112, 100), (84, 78, 88), (248, 232, 214), (250, 226, 170)),
    ((106, 150, 120), (78, 70, 62), (226, 206, 150), (236, 226, 190)),
    ((112, 148, 190), (236, 230, 218), (240, 196, 104), (236, 230, 218)),
    ((226, 150, 174), (126, 92, 118), (126, 92, 118), (252, 236, 230)),
    ((140, 96, 70), (64, 54, 52), (206, 160, 112), (206, 160, 112)),
    ((134, 116, 166), (240, 206, 128), (240, 206, 128), (230, 214, 236)),
)
_SIDES = 36
_INSIDE: Colour = (72, 60, 58)


def build(dice: Dice) -> Mesh:
    rubber, sole, cuff, dot = dice.pick(PALETTES)
    tall, toe, wide = dice.between(0.9, 1.7), dice.between(0.95, 1.2), dice.between(0.92, 1.1)
    parts = [
        _leather(rubber, tall, toe, wide),
        _sole(sole, toe, wide, dice.between(0.18, 0.3)),
    ]
    parts += [_cuff(cuff, tall, wide)]
    if dice.chance(45):
        parts += [_dot(dot, x, y * tall, wide) for x, y in ((-0.12, 0.25), (0.2, 0.55), (-0.2, 0.78))]
    if dice.chance(45):
        parts.append(ellipsoid(0.54 * toe, 0.37, 0.47 * wide, cuff).turn("z", -10).move(0.8 * toe, -0.7))
    if dice.chance(50):
        parts.append(tube(smooth([(-0.46, tall - 0.05, 0), (-0.7, tall + 0.08, 0), (-0.5, tall - 0.4, 0)]), 0.06, sole))
    return join(*parts).polish(0.75)


def _leather(colour: Colour, tall: float, toe: float, wide: float) -> Mesh:
    # height, middle, half length, half width of each oval
    levels = [
        (-0.95, 0.36 * toe, 0.86 * toe, 0.42),
        (-0.72, 0.38 * toe, 0.9 * toe, 0.46),
        (-0.5, 0.33 * toe, 0.84 * toe, 0.45),
        (-0.28, 0.14, 0.62, 0.42),
        (-0.02, 0.0, 0.46, 0.4),
        (0.3, -0.02, 0.43, 0.4),
        (tall, 0.0, 0.5, 0.46),
    ]
    places = smooth([(y, middle, long) for y, middle, long, _ in levels], 5)
    widths = [w for _, w, _ in smooth([(0.0, w, 0.0) for *_, w in levels], 5)]
    rings = [
        [(m + a * cosine(360 * k / _SIDES), y, -w * wide * sine(360 * k / _SIDES)) for k in range(_SIDES)]
        for (y, m, a), w in zip(places, widths, strict=True)
    ]
    boot = patch(np.array(rings), colour, closed=True)
    hole = patch(np.array([rings[-1], [(0.0, tall - 0.3, 0.0)] * _SIDES]), _INSIDE, closed=True)
    return join(boot, hole)


def _sole(colour: Colour, toe: float, wide: float, thick: float) -> Mesh:
    half = 0.5 * wide
    inner = [(-0.4, -0.8 * half), (0.2, -0.75 * half), (0.85 * toe, -half)]
    outer = [(x, -y) for x, y in reversed(inner)]
    shape = curve([(-0.56, 0.0), *inner, (1.3 * toe, 0.0), *outer])
    plate = extrude(shape, thick, colour, bevel=0.05).turn("x", 90).move(y=-0.98)
    heel_shape = curve([(-0.55, 0.0), (-0.4, -0.75 * half), (0.1, -0.7 * half), (0.1, 0.7 * half), (-0.4, 0.75 * half)])
    heel = extrude(heel_shape, 0.26, colour, bevel=0.03).turn("x", 90).move(y=-1.0 - thick / 2 - 0.08)
    return join(plate, heel)


def _cuff(colour: Colour, tall: float, wide: float) -> Mesh:
    return ring(1.0, 0.12, colour).scale(0.52, 0.75, 0.48 * wide).move(y=tall)


def _dot(colour: Colour, x: float, y: float, wide: float) -> Mesh:
    depth = 0.41 * wide * (1 - x * x * 2.2)
    return ellipsoid(0.11, 0.11, 0.05, colour).turn("y", 60 * x).move(x, y, depth)


KIND = Kind("boot", build, View(yaw=-28, pitch=18))

"""A rubber duck: a round body with a tail turned up, a wing, a head with a beak; some wear something."""

import numpy as np

from generator_service.drawing.exact import Dice, Floats
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, ellipsoid, lathe, ring

# feathers, wing, beak, clothes
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((250, 212, 84), (244, 188, 66), (238, 134, 66), (92, 146, 180)),
    ((250, 212, 84), (250, 224, 130), (232, 116, 66), (214, 104, 104)),
    ((244, 240, 230), (226, 224, 222), (244, 168, 72), (98, 152, 132)),
    ((242, 172, 184), (232, 144, 164), (246, 190, 92), (122, 112, 162)),
    ((134, 186, 206), (106, 160, 188), (246, 186, 88), (232, 128, 104)),
    ((166, 200, 140), (136, 176, 116), (240, 164, 78), (150, 106, 86)),
    ((120, 98, 84), (156, 128, 104), (240, 178, 80), (92, 142, 112)),
)
_EYE: Colour = (40, 38, 44)
_WHITE: Colour = (252, 252, 252)


def build(dice: Dice) -> Mesh:
    feather, wing, beak, clothes = dice.pick(PALETTES)
    plump, head = dice.between(0.88, 1.1), dice.between(0.56, 0.7)
    place = (0.62, 0.68 * plump + head * 0.72, 0.0)
    parts = [_body(feather, plump, dice.between(0.5, 0.95)), _wing(wing, plump, 1), _wing(wing, plump, -1)]
    parts.append(_head(feather, beak, head, dice.between(0.85, 1.25)).move(*place))
    wear = dice.whole(0, 3)
    if wear == 1:
        parts.append(ring(head * 0.82, 0.13, clothes).move(place[0] - 0.03, place[1] - head * 0.72))
    if wear == 2:  # noqa: PLR2004 - the second of four ways
        parts.append(_hat(clothes, head).move(*place))
    return join(*parts).polish(0.7)


def _body(colour: Colour, plump: float, tail: float) -> Mesh:
    def lift_tail(points: Floats) -> Floats:
        back = np.maximum(-points[:, 0] - 0.35, 0.0)
        lifted = points.copy()
        lifted[:, 1] = points[:, 1] + back * back * tail * 1.5
        lifted[:, 2] = points[:, 2] * (1.0 - 0.42 * np.minimum(back, 1.0))
        return lifted

    return ellipsoid(1.3, 0.82 * plump, 0.95, colour, sides=40).bend(lift_tail)


def _wing(colour: Colour, plump: float, side: int) -> Mesh:
    feathers = [
        ellipsoid(0.56 - 0.1 * k, 0.2, 0.12, colour).turn("z", -22).move(-0.12 * k, -0.18 * k) for k in range(3)
    ]
    return join(*feathers).move(-0.25, 0.2 * plump, 0.88 * side)


def _head(colour: Colour, beak: Colour, size: float, long: float) -> Mesh:
    ball = ellipsoid(size, size * 0.96, size * 0.94, colour, sides=40)
    upper = ellipsoid(0.4 * long, 0.12, 0.3, beak).turn("z", 10).move(size * 0.98, -0.02)
    lower = ellipsoid(0.3 * long, 0.08, 0.24, beak).turn("z", -8).move(size * 0.95, -0.14)
    eyes = [
        join(
            ellipsoid(0.15, 0.18, 0.08, _WHITE),
            ellipsoid(0.1, 0.13, 0.06, _EYE).move(0.03, 0.0, 0.05),
            ellipsoid(0.035, 0.04, 0.03, _WHITE).move(0.0, 0.05, 0.1),
        )
        .scale(1, 1, side)
        .turn("y", 38 * side)
        .move(size * 0.56, size * 0.3, size * 0.72 * side)
        for side in (-1, 1)
    ]
    return join(ball, upper, lower, *eyes)


def _hat(colour: Colour, size: float) -> Mesh:
    brim = lathe([(0.0, 0.0), (0.62, -0.02), (0.64, 0.03), (0.0, 0.08)], colour)
    crown = lathe([(0.4, 0.0), (0.38, 0.42), (0.32, 0.48), (0.0, 0.48)], colour)
    band = box(0.01, 0.01, 0.01, colour)
    return join(brim, crown, band).scale(size / 0.62).turn("z", 8).move(-0.05, size * 0.82)


KIND = Kind("duck", build, View(yaw=-30, pitch=16))

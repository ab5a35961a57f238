"""A propeller aeroplane: a fuselage with windows, wings, a tail, a nose with its propeller."""

import numpy as np

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.kinds.wheels import make_tyred_wheel
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.outlines import round_corners
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, extrude, smooth, tube

# fuselage, wings, trim
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((240, 236, 226), (224, 112, 92), (86, 116, 150)),
    ((244, 202, 92), (92, 136, 160), (226, 120, 84)),
    ((112, 164, 190), (240, 234, 218), (240, 178, 84)),
    ((226, 126, 104), (248, 222, 160), (98, 98, 116)),
    ((132, 172, 132), (240, 230, 204), (224, 134, 92)),
    ((168, 146, 186), (240, 204, 128), (100, 90, 128)),
)
_COWL = 1.1  # where the nose begins
_GLASS: Colour = (70, 92, 116)
_IRON: Colour = (84, 84, 92)


def build(dice: Dice) -> Mesh:
    hull, wing, trim = dice.pick(PALETTES)
    fat, span, chord = dice.between(0.38, 0.5), dice.between(1.5, 1.95), dice.between(0.58, 0.78)
    sweep, high = dice.between(-0.05, 0.35), dice.pick((-0.12, 0.34))
    wings = [_wing(wing, trim, span, chord, sweep, side=side).move(0.15, high * fat / 0.45, 0) for side in (-1, 1)]
    parts = [
        _hull(hull, trim, fat),
        *wings,
        _tail(wing, trim, dice.between(0.6, 0.9)),
        _propeller(trim, dice.whole(2, 4)),
    ]
    return join(*parts, _gear(trim, fat)).polish(0.6)


def _hull(colour: Colour, trim: Colour, fat: float) -> Mesh:
    path = smooth([(1.45, 0, 0), (1.2, 0, 0), (0.5, 0, 0), (-0.6, 0.05, 0), (-1.7, 0.2, 0)], 7)
    widths = smooth([(0.55, 0, 0), (0.86, 0, 0), (1.0, 0, 0), (0.76, 0, 0), (0.22, 0, 0)], 7)
    body = tube(path, [w * fat for w, _, _ in widths], colour, sides=28).paint(trim, lambda p: p[:, 0] > _COWL)
    cockpit = ellipsoid(0.44, 0.3, 0.28, _GLASS).turn("z", -8).move(0.5, fat * 0.82, 0).polish(1.0)
    panes = [
        ellipsoid(0.09, 0.1, 0.05, _GLASS, sides=16).move(-0.02 - 0.3 * k, 0.12, side * fat * (0.94 - 0.13 * k))
        for k in range(3)
        for side in (-1, 1)
    ]
    return join(body, cockpit, *panes)


def _wing(colour: Colour, tip: Colour, span: float, chord: float, sweep: float, *, side: int) -> Mesh:
    plan = [(chord / 2, 0.0), (chord / 2 - sweep, -span), (-chord * 0.28 - sweep, -span), (-chord / 2, 0.0)]
    blade = extrude(round_corners(plan[::-1], 0.12), 0.12, colour, bevel=0.05).turn("x", -90)
    return blade.paint(tip, lambda p: np.abs(p[:, 2]) > span * 0.84).scale(1, 1, -side).turn("x", -4 * side)


def _tail(colour: Colour, trim: Colour, high: float) -> Mesh:
    fin_shape = [(-1.1, 0.2), (-1.5, 0.2 + high), (-1.85, 0.2 + high), (-1.72, 0.15)]
    fin = extrude(round_corners(fin_shape, 0.1), 0.1, colour, bevel=0.04).paint(
        trim, lambda p: p[:, 1] > 0.2 + high * 0.66
    )
    planes = [_wing(colour, trim, 0.72, 0.46, 0.18, side=side).move(-1.5, 0.24, 0) for side in (-1, 1)]
    return join(fin, *planes)


def _propeller(colour: Colour, blades: int) -> Mesh:
    nose = ellipsoid(0.24, 0.2, 0.2, colour).move(x=1.48)
    blade = ellipsoid(0.035, 0.38, 0.09, _IRON, sides=16).turn("y", 24).move(y=0.4)
    turned = [blade.turn("x", 24 + 360 * k / blades).move(x=1.55) for k in range(blades)]
    return join(nose, *turned)


def _gear(colour: Colour, fat: float) -> Mesh:
    legs = [tube([(0.65, -fat * 0.7, 0.2 * side), (0.75, -fat - 0.3, 0.42 * side)], 0.05, _IRON) for side in (-1, 1)]
    wheels = [make_tyred_wheel(0.19, 0.14, colour).move(0.75, -fat - 0.32, 0.45 * side) for side in (-1, 1)]
    return join(*legs, *wheels)


KIND = Kind("aeroplane", build, View(yaw=-42, pitch=28, roll=8))

"""A television of the old kind: a case on splayed legs, a bulging screen, knobs on one side, two aerials."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, tube

# case, panel, knobs and legs, screen
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((196, 124, 76), (246, 226, 182), (104, 70, 58), (96, 128, 136)),
    ((222, 104, 88), (250, 232, 206), (88, 84, 94), (128, 166, 160)),
    ((104, 158, 168), (242, 236, 220), (226, 150, 84), (84, 100, 116)),
    ((240, 196, 96), (132, 96, 70), (250, 240, 216), (120, 150, 150)),
    ((148, 128, 172), (238, 224, 232), (236, 190, 104), (96, 104, 132)),
    ((120, 158, 116), (240, 226, 176), (150, 96, 66), (110, 140, 142)),
)


def build(dice: Dice) -> Mesh:
    case, panel, dark, screen = dice.pick(PALETTES)
    wide, tall = dice.between(1.4, 1.65), dice.between(0.98, 1.15)
    glass = wide * dice.between(0.62, 0.68)
    parts = [
        box(2 * wide, 2 * tall, 1.1, case, bevel=0.18),
        box(2 * wide - 0.24, 2 * tall - 0.24, 0.1, panel, bevel=0.05).move(z=0.54),
        box(2 * glass + 0.1, 2 * tall - 0.4, 0.12, dark, bevel=0.06).move(glass - wide + 0.22, 0, 0.57),
        ellipsoid(glass, tall - 0.24, 0.26, screen).move(glass - wide + 0.22, 0, 0.56).polish(0.9),
    ]
    parts += _knobs(dark, case, wide - 0.36, tall)
    for side in (-1, 1):
        parts.append(
            tube([(0.7 * wide * side, -tall, 0.1), (0.9 * wide * side, -tall - 0.62, 0.2)], [0.12, 0.07], dark)
        )
    parts += _aerials(dark, tall, dice.between(0.8, 1.2), dice.between(0.45, 0.75))
    return join(*parts).polish(0.5)


def _knobs(colour: Colour, mark: Colour, x: float, tall: float) -> list[Mesh]:
    parts = []
    for y, size in ((0.55 * tall, 0.2), (0.05 * tall, 0.15)):
        parts += [disc(size, 0.16, colour).move(x, y, 0.64), box(0.05, 1.4 * size, 0.2, mark).move(x, y, 0.66)]
    return parts + [box(0.36, 0.06, 0.06, colour).move(x, y, 0.61) for y in (-0.4 * tall, -0.52 * tall, -0.64 * tall)]


def _aerials(colour: Colour, tall: float, left: float, right: float) -> list[Mesh]:
    """Spread two rods, the left one longer."""
    parts = [ellipsoid(0.3, 0.16, 0.24, colour).move(y=tall)]
    for x, y in ((-left, 0.9 * left), (right, right)):
        parts += [
            tube([(0, tall, 0), (x, tall + y, 0)], 0.045, colour),
            ellipsoid(0.09, 0.09, 0.09, colour).move(x, tall + y),
        ]
    return parts


KIND = Kind("television", build, View(yaw=-18, pitch=10))

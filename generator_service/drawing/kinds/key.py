"""A key: a bow to hold, a shaft with collars, a bit with teeth on one side."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, ellipsoid, ring, tube

# shaft, bow, collars
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((214, 172, 88), (214, 172, 88), (184, 138, 62)),
    ((168, 174, 184), (96, 144, 176), (206, 210, 216)),
    ((188, 132, 84), (188, 132, 84), (226, 176, 120)),
    ((176, 180, 188), (222, 124, 100), (240, 206, 130)),
    ((206, 176, 104), (118, 160, 126), (234, 214, 150)),
    ((150, 154, 166), (150, 122, 172), (214, 190, 120)),
)


def build(dice: Dice) -> Mesh:
    metal, bow, collar = dice.pick(PALETTES)
    long, thick = dice.between(2.2, 2.9), dice.between(0.14, 0.2)
    shaft = tube([(0, 0, 0), (long, 0, 0)], thick, metal)
    tip = ellipsoid(thick * 1.1, thick, thick, metal).move(x=long)
    bands = [ring(thick, 0.07, collar).turn("z", 90).move(x=x) for x in (0.12, 0.34)[: dice.whole(1, 2)]]
    parts = [shaft, tip, *bands, _bow(bow, dice), _bit(metal, long, dice)]
    return join(*parts).polish(0.85)


def _bow(colour: Colour, dice: Dice) -> Mesh:
    size, thick = dice.between(0.58, 0.78), dice.between(0.15, 0.2)
    style = dice.whole(0, 2)
    if style == 0:
        return _loop(size, thick, colour).scale(1.0, dice.between(0.95, 1.3), 1.0).move(x=-size)
    if style == 1:
        small = size * 0.62
        leaves = [(-0.2, small), (-0.2, -small), (-1.05 * size - 0.1, 0.0)]
        return join(*(_loop(small * 0.92, thick * 0.85, colour).move(x - 0.15, y) for x, y in leaves))
    return ring(size, thick * 1.1, colour, sides=6).turn("x", 90).move(x=-size)


def _loop(radius: float, thick: float, colour: Colour) -> Mesh:
    return ring(radius, thick, colour).turn("x", 90)


def _bit(colour: Colour, long: float, dice: Dice) -> Mesh:
    """Put teeth of different lengths below the shaft's end."""
    teeth = []
    for k in range(dice.whole(2, 3)):
        length = dice.between(0.5, 0.95)
        teeth.append(box(0.24, length, 0.2, colour, bevel=0.05).move(long - 0.2 - 0.3 * k, -length / 2))
    bridge = box(0.3 * len(teeth), 0.36, 0.18, colour, bevel=0.05).move(long - 0.08 - 0.15 * len(teeth), -0.2)
    return join(bridge, *teeth)


KIND = Kind("key", build, View(yaw=24, pitch=22, roll=32))

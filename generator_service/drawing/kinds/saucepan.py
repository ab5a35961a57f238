"""A saucepan: a pot with a rim, a long handle to one side, a lid with a knob."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, lathe, ring, smooth, tube, turned_curve

# pot, lid, handle and knob, band
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((214, 92, 82), (240, 226, 200), (84, 72, 70), (246, 214, 150)),
    ((104, 154, 178), (206, 212, 216), (96, 76, 66), (240, 232, 214)),
    ((240, 190, 92), (252, 238, 204), (150, 92, 64), (206, 112, 84)),
    ((126, 166, 126), (226, 220, 190), (92, 84, 80), (240, 230, 180)),
    ((170, 174, 182), (196, 200, 206), (66, 66, 74), (222, 120, 92)),
    ((150, 122, 168), (236, 218, 232), (104, 80, 112), (246, 206, 130)),
)


def build(dice: Dice) -> Mesh:
    pot, lid, grip, band = dice.pick(PALETTES)
    tall, long = dice.between(0.8, 1.25), dice.between(1.3, 1.7)
    wall = [(0.0, -tall), (0.86, -tall), (0.98, -tall + 0.14), (1.0, 0.0)]
    parts = [lathe(wall, pot), ring(1.0, 0.06, lid), _handle(grip, lid, long, dice.between(0.1, 0.3))]
    if dice.chance(60):
        stripe = [(0.995, -0.62 * tall), (1.02, -0.6 * tall), (1.02, -0.4 * tall), (1.0, -0.38 * tall)]
        parts.append(lathe(stripe, band))
    dome = dice.between(0.16, 0.32)
    parts.append(turned_curve([(1.0, 0.04), (0.8, 0.04 + 0.5 * dome), (0.4, 0.9 * dome), (0.0, dome)], lid))
    parts += [
        ellipsoid(0.16, 0.13, 0.16, grip).move(y=dome + 0.16),
        lathe([(0.07, dome - 0.02), (0.07, dome + 0.1)], lid),
    ]
    ear = smooth([(-0.95, -0.12, -0.2), (-1.22, -0.08, 0.0), (-0.95, -0.12, 0.2)], 6)
    return join(*parts, tube(ear, 0.06, grip)).polish(0.75)


def _handle(colour: Colour, metal: Colour, long: float, rise: float) -> Mesh:
    """Run the handle out to the right, thicker towards its end, with a ring to hang it by."""
    path = smooth(
        [(0.95, -0.16, 0), (1.25, -0.1, 0), (1.0 + 0.6 * long, 0.05 + 0.5 * rise, 0), (1.0 + long, rise, 0)], 6
    )
    radii = [0.08 + 0.07 * min(1.0, 1.6 * k / len(path)) for k in range(len(path))]
    loop = ring(0.12, 0.035, metal).turn("x", 90).move(1.1 + long, rise, 0)
    return join(tube(path, radii, colour), ellipsoid(0.16, 0.15, 0.15, colour).move(1.0 + long, rise, 0), loop)


KIND = Kind("saucepan", build, View(yaw=-26, pitch=24))

"""A teapot: a round body, a curved spout, a loop of a handle, a lid with a knob."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import disc, ellipsoid, lathe, ring, smooth, tube, turned_curve

# body, lid and spout, handle and knob, band
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((88, 148, 178), (238, 226, 200), (196, 120, 72), (242, 196, 92)),
    ((232, 176, 84), (120, 78, 58), (120, 78, 58), (246, 236, 214)),
    ((214, 122, 116), (246, 232, 220), (96, 92, 110), (246, 232, 220)),
    ((126, 170, 118), (244, 236, 206), (150, 106, 72), (226, 140, 90)),
    ((150, 126, 178), (236, 206, 120), (92, 74, 120), (236, 206, 120)),
    ((236, 230, 220), (92, 134, 170), (92, 134, 170), (214, 122, 100)),
    ((92, 96, 112), (222, 160, 96), (222, 160, 96), (170, 176, 190)),
)
_INSIDE: Colour = (66, 58, 56)


def build(dice: Dice) -> Mesh:
    body, lid, handle, band = dice.pick(PALETTES)
    tall = dice.between(0.78, 1.12)
    parts = [_body(body, band, tall, striped=dice.chance(60)), _lid(lid, handle, tall, dice)]
    parts += [_spout(lid, tall, dice.between(0.85, 1.2)), _handle(handle, tall, dice.between(0.85, 1.15))]
    return join(*parts).polish(0.6)


def _body(colour: Colour, band: Colour, tall: float, *, striped: bool) -> Mesh:
    knots = [(0.0, -0.8), (0.62, -0.8), (0.7, -0.72), (0.98, -0.3), (1.0, 0.12), (0.78, 0.56), (0.5, 0.74)]
    pot = turned_curve(knots, colour, sides=48).scale(1, tall, 1)
    if striped:
        pot = pot.paint(band, lambda p: (p[:, 1] > -0.12 * tall) & (p[:, 1] < 0.16 * tall))
    foot = lathe([(0.0, -0.9), (0.62, -0.9), (0.66, -0.84), (0.6, -0.74)], band).scale(1, tall, 1)
    return join(pot, foot)


def _lid(colour: Colour, knob: Colour, tall: float, dice: Dice) -> Mesh:
    dome = dice.between(0.12, 0.3)
    cap = turned_curve([(0.56, 0.0), (0.5, 0.08), (0.3, 0.08 + 0.6 * dome), (0.0, 0.08 + dome)], colour)
    rim = ring(0.54, 0.06, colour)
    ball = ellipsoid(0.14, dice.between(0.12, 0.2), 0.14, knob).move(y=dome + 0.18)
    return join(cap, rim, ball).move(y=0.74 * tall)


def _spout(colour: Colour, tall: float, reach: float) -> Mesh:
    path = smooth([(0.7, -0.35, 0), (1.15 * reach, -0.2, 0), (1.4 * reach, 0.25, 0), (1.72 * reach, 0.62, 0)])
    count = len(path)
    radii = [0.32 - 0.2 * k / count for k in range(count)]
    pipe = tube([(x, y * tall, z) for x, y, z in path], radii, colour)
    end = path[-1]
    opening = disc(radii[-1] * 0.78, 0.03, _INSIDE).turn("y", 90).turn("z", 48).move(end[0] + 0.005, end[1] * tall, 0)
    return join(pipe, opening)


def _handle(colour: Colour, tall: float, reach: float) -> Mesh:
    loop = [
        (-0.7, 0.52, 0),
        (-1.2 * reach, 0.68, 0),
        (-1.62 * reach, 0.3, 0),
        (-1.45 * reach, -0.2, 0),
        (-0.85, -0.5, 0),
    ]
    return tube([(x, y * tall, z) for x, y, z in smooth(loop)], 0.12, colour)


KIND = Kind("teapot", build, View(yaw=-22, pitch=22))

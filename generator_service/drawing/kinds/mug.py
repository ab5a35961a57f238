"""A mug with a drink in it."""

from functools import partial

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Dice, Floats
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import lathe, smooth, tube

# outside, inside, handle, stripes
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((226, 112, 92), (248, 240, 226), (226, 112, 92), (248, 224, 150)),
    ((240, 232, 214), (240, 232, 214), (92, 140, 172), (92, 140, 172)),
    ((98, 152, 140), (244, 238, 222), (232, 176, 88), (232, 176, 88)),
    ((238, 190, 92), (252, 246, 232), (126, 88, 70), (126, 88, 70)),
    ((140, 122, 172), (240, 232, 240), (140, 122, 172), (236, 180, 190)),
    ((84, 96, 122), (226, 230, 236), (222, 140, 88), (222, 140, 88)),
    ((236, 166, 178), (250, 240, 238), (104, 130, 150), (104, 130, 150)),
)
DRINKS: tuple[Colour, ...] = ((92, 58, 42), (150, 100, 66), (182, 120, 60), (70, 44, 38))


def build(dice: Dice) -> Mesh:
    outside, inside, handle, stripe = dice.pick(PALETTES)
    tall, flare = dice.between(0.86, 1.3), dice.between(-0.06, 0.12)
    cup = _cup(outside, inside, tall, flare)
    low = dice.between(-0.5, -0.1)
    for k in range(dice.whole(0, 3)):
        middle = tall * (low + 0.32 * k)
        cup = cup.paint(stripe, partial(_near, middle, 0.085 * tall))
    drink = lathe([(0.0, 0.0), (0.73 + flare * 0.7, 0.0)], dice.pick(DRINKS)).move(y=tall * 0.76).polish(0.9)
    return join(cup.polish(0.7), drink, _handle(handle, tall, dice.between(0.42, 0.62), dice.between(0.1, 0.15)))


def _cup(outside: Colour, inside: Colour, tall: float, flare: float) -> Mesh:
    wall = [(0.8 + flare * k / 24, -0.92 + 1.86 * k / 24) for k in range(25)]
    profile = [(0.0, -1.0), (0.7, -1.0), (0.77, -0.97), *wall, (0.78 + flare, 0.99), (0.75 + flare, 0.94)]
    shell = lathe([(r, y * tall) for r, y in profile], outside, sides=56)
    lining = lathe([(0.75 + flare, 0.94 * tall), (0.7, -0.8 * tall), (0.0, -0.8 * tall)], inside, sides=56)
    return join(shell, lining)


def _near(height: float, reach: float, places: Floats) -> npt.NDArray[np.bool_]:
    near: npt.NDArray[np.bool_] = np.abs(places[:, 1] - height) < reach
    return near


def _handle(colour: Colour, tall: float, reach: float, thick: float) -> Mesh:
    knots = [(0.76, 0.62, 0.0), (0.88 + reach, 0.58, 0.0), (0.92 + reach, -0.05, 0.0), (0.76, -0.5, 0.0)]
    return tube([(x, y * tall, z) for x, y, z in smooth(knots)], thick, colour).polish(0.7)


KIND = Kind("mug", build, View(yaw=-28, pitch=26))

"""A potted plant: a pot with a rim, earth, and long leaves that bend outwards."""

import numpy as np

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe, patch

# pot, leaf, other leaf
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((246, 242, 232), (70, 150, 76), (112, 182, 90)),
    ((236, 196, 84), (58, 136, 84), (92, 164, 96)),
    ((120, 122, 126), (88, 160, 72), (140, 194, 96)),
    ((250, 232, 176), (50, 124, 70), (96, 166, 84)),
)
_EARTH: Colour = (74, 62, 54)


def build(dice: Dice) -> Mesh:
    pot, leaf, other = dice.pick(PALETTES)
    wall = lathe([(0.0, 0.0), (0.24, 0.0), (0.34, 0.42)], pot)
    rim = lathe([(0.34, 0.4), (0.39, 0.4), (0.39, 0.52), (0.33, 0.52), (0.33, 0.46)], pot)
    earth = lathe([(0.33, 0.47), (0.0, 0.48)], _EARTH).polish(0.0)
    count, start = dice.whole(7, 9), dice.between(0.0, 60.0)
    leaves = [
        _leaf(leaf if k % 2 else other, dice.between(0.55, 0.78), dice.between(0.26, 0.5)).turn(
            "y", start + 360 * k / count
        )
        for k in range(count)
    ]
    heart = _leaf(other, 0.8, 0.08).turn("y", start)
    return join(wall, rim, earth, *leaves, heart)


def _leaf(colour: Colour, high: float, reach: float) -> Mesh:
    """Bend a pointed blade out from the pot's middle."""
    rows = []
    for k in range(9):
        t = k / 8
        half = 0.115 * sine(180 * min(0.12 + 0.88 * t, 1.0))
        x, y = 0.06 + reach * (1 - cosine(90 * t)) + 0.1 * t, 0.45 + high * sine(90 * t)
        rows.append([(x - 0.25 * half, y + 0.2 * half, -half), (x, y, 0.0), (x - 0.25 * half, y + 0.2 * half, half)])
    return patch(np.array(rows), colour).polish(0.2)


PROP = Prop("plant", build, size=0.48)

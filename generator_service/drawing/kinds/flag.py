"""A flag on a pole: cloth that waves, in stripes with a corner of its own, a knob on top, a foot."""

import numpy as np

from generator_service.drawing.exact import Dice, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, lathe, patch, tube

# stripes in turn, corner, pole, knob and foot
PALETTES: tuple[tuple[tuple[Colour, ...], Colour, Colour, Colour], ...] = (
    (((222, 98, 88), (250, 240, 222)), (92, 130, 176), (168, 118, 80), (240, 200, 104)),
    (((92, 150, 176), (246, 226, 160)), (222, 120, 92), (150, 154, 164), (222, 120, 92)),
    (((240, 188, 88), (250, 240, 214), (122, 164, 120)), (176, 92, 80), (132, 92, 70), (206, 160, 96)),
    (((120, 166, 130), (246, 238, 206)), (236, 170, 84), (176, 180, 186), (110, 116, 128)),
    (((150, 126, 176), (244, 222, 232), (226, 140, 150)), (246, 206, 110), (120, 96, 84), (236, 190, 104)),
    (((90, 98, 118), (226, 140, 92)), (250, 236, 206), (196, 150, 100), (90, 98, 118)),
)
_ROWS, _COLUMNS = 12, 24


def build(dice: Dice) -> Mesh:
    stripes, corner, pole, knob = dice.pick(PALETTES)
    wide, tall = dice.between(1.9, 2.3), dice.between(1.15, 1.4)
    top = 1.6
    cloth = _cloth(stripes, corner, (wide, tall), dice).move(0.06, top - 0.1, 0)
    rod = tube([(0, -1.7, 0), (0, top + 0.1, 0)], 0.075, pole)
    foot = lathe([(0.0, -1.86), (0.5, -1.86), (0.54, -1.8), (0.46, -1.68), (0.12, -1.62), (0.1, -1.5)], knob)
    return join(cloth, rod, foot, ellipsoid(0.15, 0.15, 0.15, knob).move(y=top + 0.16)).polish(0.3)


def _cloth(stripes: tuple[Colour, ...], corner: Colour, size: tuple[float, float], dice: Dice) -> Mesh:
    """Hang the cloth from the pole; it waves more the farther it is from it, and sags a little."""
    wide, tall = size
    wave, phase = dice.between(0.1, 0.2), dice.between(0, 180)
    points = np.empty((_ROWS + 1, _COLUMNS + 1, 3))
    for column in range(_COLUMNS + 1):
        share = column / _COLUMNS
        bulge = sine(phase + 400 * share)
        for row in range(_ROWS + 1):
            sag = 0.14 * share * share + 0.5 * wave * share * bulge
            points[row, column] = (wide * share, -tall * row / _ROWS - sag, 1.6 * wave * share * bulge)
    bands = 6 // len(stripes) * len(stripes)
    colours = np.empty((_ROWS, _COLUMNS, 3))
    for row in range(_ROWS):
        colours[row] = stripes[row * bands // _ROWS % len(stripes)]
    colours[: _ROWS // 2, : 2 * _COLUMNS // 5] = corner
    return patch(points, colours)


KIND = Kind("flag", build, View(yaw=-12, pitch=8))

"""A snail: a coiled shell on a long foot, a raised head with eyes on stalks."""

import numpy as np

from generator_service.drawing.exact import Dice, Floats, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, smooth, tube

# shell, shell's bands, flesh
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((206, 132, 84), (150, 86, 60), (236, 206, 158)),
    ((226, 124, 116), (246, 208, 160), (206, 186, 150)),
    ((122, 156, 188), (84, 112, 150), (238, 214, 170)),
    ((160, 132, 182), (232, 196, 204), (188, 198, 150)),
    ((240, 196, 96), (206, 138, 72), (170, 182, 168)),
    ((128, 172, 148), (236, 226, 180), (230, 186, 160)),
)
_SIDES = 20
_LINE = 6
_EYE: Colour = (48, 44, 50)
_WHITE: Colour = (250, 250, 248)


def build(dice: Dice) -> Mesh:
    shell, band, flesh = dice.pick(PALETTES)
    size = dice.between(0.92, 1.12)
    coil = (
        _shell(shell, band, dice.between(2.3, 3.0), dice.pick((0, 5, 8, 12)))
        .scale(size)
        .turn("z", dice.between(-14, 14))
    )
    return join(
        coil.move(-0.15, 0.78 * size - 0.05, 0), _foot(flesh, dice.between(1.3, 1.6)), _head(flesh, dice)
    ).polish(0.55)


def _shell(colour: Colour, band: Colour, turns: float, stripes: int) -> Mesh:
    """Wind a tube that grows with every turn, from the middle out; the mouth points forward and down."""
    count = 110
    path, radii = [], []
    for k in range(count + 1):
        grown = k / count
        radius = 0.05 + 0.62 * grown * (0.45 + 0.55 * grown)
        angle = -70 - 360 * turns * (1 - grown)
        path.append((radius * cosine(angle), radius * sine(angle), 0.34 * (1 - grown)))
        radii.append(0.06 + 0.37 * grown * (0.5 + 0.5 * grown))
    return tube(path, radii, _pattern(colour, band, count, stripes), sides=_SIDES)


def _pattern(colour: Colour, band: Colour, count: int, stripes: int) -> Floats:
    """Colour the shell's quads: bands across it or, for no stripes, one line along it."""
    row, column = np.arange(count + 2)[:, None], np.arange(_SIDES)[None, :]
    banded = (
        (row * stripes // count + row * stripes * 2 // count) % 3 == 1 if stripes else (column >= 1) & (column <= _LINE)
    )
    banded = np.broadcast_to(banded, (count + 2, _SIDES))
    return np.where(banded[..., None], np.array(band, np.float64), np.array(colour, np.float64))


def _foot(colour: Colour, tail: float) -> Mesh:
    path = smooth(
        [(-tail - 0.1, -0.42, 0), (-0.8, -0.34, 0), (0.2, -0.3, 0), (0.85, -0.26, 0), (1.2, 0.05, 0), (1.38, 0.5, 0)]
    )
    count = len(path) - 1
    radii = [0.05 + 0.28 * min(1.0, k / count * 2.4) - 0.05 * (k / count) for k in range(count + 1)]
    return tube(path, radii, colour).scale(1, 1, 1.25)


def _head(colour: Colour, dice: Dice) -> Mesh:
    head = ellipsoid(0.34, 0.3, 0.34, colour).move(1.42, 0.55, 0)
    high = dice.between(0.5, 0.75)
    parts = [head]
    for side in (-1, 1):
        tip = (1.62, 0.62 + high, 0.26 * side)
        parts.append(tube(smooth([(1.46, 0.66, 0.14 * side), (1.5, 0.7 + high / 2, 0.18 * side), tip]), 0.07, colour))
        parts.append(ellipsoid(0.16, 0.16, 0.16, _WHITE).move(*tip))
        parts.append(ellipsoid(0.09, 0.1, 0.09, _EYE).move(tip[0] + 0.09, tip[1], tip[2] + 0.06))
        parts.append(tube([(1.66, 0.48, 0.12 * side), (1.92, 0.42, 0.18 * side)], [0.06, 0.045], colour))
    return join(*parts)


KIND = Kind("snail", build, View(yaw=-24, pitch=14))

"""A sailing boat: a hull with a deck, a mast, a mainsail and a jib, a pennant."""

import numpy as np

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, extrude, patch, tube

# hull, stripe, mainsail, jib, pennant
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour, Colour], ...] = (
    ((196, 118, 78), (246, 232, 206), (250, 244, 230), (226, 112, 96), (92, 136, 168)),
    ((92, 138, 172), (248, 240, 222), (246, 206, 108), (250, 242, 224), (224, 116, 96)),
    ((238, 234, 226), (214, 108, 98), (118, 164, 186), (238, 234, 226), (240, 184, 92)),
    ((112, 84, 70), (222, 178, 118), (232, 146, 92), (248, 226, 176), (108, 152, 128)),
    ((120, 164, 134), (246, 240, 216), (248, 238, 216), (240, 188, 104), (150, 122, 174)),
    ((86, 92, 118), (236, 170, 156), (238, 178, 166), (246, 232, 222), (242, 200, 112)),
)
_WOOD: Colour = (182, 130, 84)
_PLANKS = 32
_DECK: Colour = (218, 176, 122)


def build(dice: Dice) -> Mesh:
    hull, stripe, main, jib, flag = dice.pick(PALETTES)
    long, deep, high = dice.between(1.25, 1.6), dice.between(0.5, 0.72), dice.between(2.1, 2.8)
    boom = dice.between(0.95, 1.25)
    mast = tube([(0.1, -0.2, 0), (0.1, high + 0.28, 0)], 0.055, _WOOD)
    spar = tube([(0.1, 0.3, 0), (-boom, 0.34, 0.12)], 0.045, _WOOD)
    sails = [
        _sail([(0.04, high), (0.04, 0.4), (-boom + 0.06, 0.42)], 0.3, main),
        _sail([(0.18, high * 0.86), (0.18, 0.3), (long * 0.92, 0.2)], 0.26, jib),
    ]
    pennant = extrude([(0.1, high + 0.26), (-0.34, high + 0.14), (0.1, high + 0.02)], 0.04, flag)
    house = [box(0.62, 0.3, 0.4, stripe, bevel=0.08).move(-0.7, 0.2)] if dice.chance(50) else []
    return join(_hull(hull, stripe, long, deep), mast, spar, *sails, pennant, *house)


def _hull(colour: Colour, stripe: Colour, long: float, deep: float) -> Mesh:
    """Loft the sections from a broad stern to a raked bow."""
    rows = []
    for k in range(25):
        share = k / 24
        half = 0.5 * (1 - share * share * share) * (0.72 + 0.5 * share * (1 - share) * 2)
        rise = 0.2 * share * share
        keel = -deep * (1 - 0.75 * share * share * share) + 0.12
        x = -long + (2 * long) * share
        section = []
        for j in range(_PLANKS + 1):
            across = 2 * j / _PLANKS - 1
            drop = 1 - across * across * across * across
            rake = 0.22 * share * (1 - drop)
            section.append((x + rake, keel * drop + (0.12 + rise) * (1 - drop), half * across * 1.1))
        rows.append(section)
    planks = np.array([stripe if j in (0, _PLANKS - 1) else colour for j in range(_PLANKS)], np.float64)
    shell = patch(np.array(rows), planks[None]).polish(0.6)
    stern = patch(np.array([rows[0], [(-long, 0.05, 0.0)] * (_PLANKS + 1)]), colour)
    deck = patch(
        np.array([[(s[0][0], s[0][1] - 0.04, s[0][2]), (s[-1][0], s[-1][1] - 0.04, s[-1][2])] for s in rows]), _DECK
    )
    return join(shell, stern, deck)


def _sail(corners: list[tuple[float, float]], belly: float, colour: Colour) -> Mesh:
    """Fill a triangle (top, tack, clew) with cloth that bulges towards the viewer."""
    top, tack, clew = corners
    rows = []
    for j in range(13):
        down = j / 12
        row = []
        for i in range(13):
            along = i / 12 * down
            x = top[0] * (1 - down) + tack[0] * (down - along) + clew[0] * along
            y = top[1] * (1 - down) + tack[1] * (down - along) + clew[1] * along
            row.append((x, y, 0.04 + belly * 4 * (i / 12) * (1 - i / 12) * down * (1.1 - 0.7 * down) + 0.1 * along))
        rows.append(row)
    return patch(np.array(rows), colour).polish(0.1)


KIND = Kind("sailboat", build, View(yaw=-24, pitch=14))

"""A pair of scissors, open, standing on its points like an X with two loops on top."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.solids import disc, extrude, ring
from generator_service.drawing.wares.ware import Ware

HANDLES: tuple[Colour, ...] = ((244, 184, 40), (60, 160, 84), (70, 70, 78), (140, 200, 90))
_STEEL: Colour = (206, 212, 218)
_SCREW: Colour = (90, 94, 100)


def build(dice: Dice) -> Mesh:
    handle, opening = dice.pick(HANDLES), dice.between(20.0, 26.0)
    half = _half(handle)
    left = half.turned("z", opening)
    right = half.scaled(-1.0, 1.0, 1.0).turned("z", -opening).moved(z=-0.06)
    screw = disc(0.07, 0.2, _SCREW)
    return join(left, right, screw)


def _half(handle: Colour) -> Mesh:
    """Make one blade, pointing down from the screw, and its loop above, a little to the left."""
    outline = [(-0.1, 0.1), (-0.085, -0.5), (0.02, -1.1), (0.075, -0.5), (0.1, 0.1)]
    blade = extrude(outline, 0.05, _STEEL, bevel=0.01).polished(0.9)
    shank = extrude([(-0.1, 0.05), (0.1, 0.05), (0.09, 0.42), (-0.09, 0.42)], 0.07, handle, bevel=0.02)
    loop = ring(0.2, 0.085, handle).turned("x", 90).scaled(1.0, 1.25, 1.0).moved(0.0, 0.64, 0.0)
    return join(blade, shank, loop)


WARE = Ware("scissors", build, sway=12.0)

"""A pair of scissors, lying, open like an X with two loops."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import disc, extrude, ring

HANDLES: tuple[Colour, ...] = ((244, 184, 40), (60, 160, 84), (70, 70, 78), (140, 200, 90))
_STEEL: Colour = (112, 118, 128)  # darker than real steel, because a bright blade can't be seen on a grey floor
_SCREW: Colour = (226, 228, 232)


def build(dice: Dice) -> Mesh:
    handle, opening = dice.pick(HANDLES), dice.between(22.0, 27.0)
    half = _half(handle)
    left = half.turn("z", opening)
    right = half.scale(-1.0, 1.0, 1.0).turn("z", -opening).move(z=-0.08)
    screw = disc(0.07, 0.24, _SCREW)
    return join(left, right, screw).turn("x", -90).turn("y", 40)


def _half(handle: Colour) -> Mesh:
    """Make one blade, pointing down from the screw, and its loop above, a little to the left."""
    outline = [(-0.12, 0.1), (-0.13, -0.5), (0.02, -1.05), (0.1, -0.5), (0.12, 0.1)]
    blade = extrude(outline, 0.07, _STEEL, bevel=0.015).polish(0.3)
    shank = extrude([(-0.11, 0.05), (0.11, 0.05), (0.1, 0.4), (-0.1, 0.4)], 0.09, handle, bevel=0.02)
    loop = ring(0.2, 0.09, handle).turn("x", 90).scale(1.0, 1.2, 1.0).move(0.0, 0.62, 0.0)
    return join(blade, shank, loop)


PROP = Prop("scissors", build, size=0.48, sway=15.0)

"""A mug: an open cup and a handle at its side."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe, smooth, tube

# outside, inside, stripe
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((248, 244, 232), (226, 220, 204), (90, 170, 110)),
    ((244, 206, 84), (252, 244, 216), (250, 250, 244)),
    ((112, 176, 116), (236, 240, 226), (248, 246, 230)),
    ((88, 90, 98), (214, 214, 216), (246, 212, 96)),
)


def build(dice: Dice) -> Mesh:
    outside, inside, stripe = dice.pick(PALETTES)
    tall, wide = dice.between(0.92, 1.05), dice.between(0.42, 0.47)
    shell = lathe([(0.0, 0.0), (wide - 0.05, 0.0), (wide, 0.06), (wide, tall), (wide - 0.06, tall)], outside, sides=48)
    lining = lathe([(wide - 0.06, tall), (wide - 0.06, 0.2), (0.0, 0.2)], inside, sides=48).polish(0.1)
    band = lathe([(wide + 0.008, 0.2 * tall), (wide + 0.008, 0.38 * tall)], stripe, sides=48)
    knots = [(wide - 0.03, 0.8, 0.0), (wide + 0.3, 0.78, 0.0), (wide + 0.34, 0.42, 0.0), (wide - 0.03, 0.26, 0.0)]
    handle = tube([(x, y * tall, z) for x, y, z in smooth(knots)], 0.075, outside)
    return join(shell.polish(0.6), lining, band, handle.polish(0.6)).turn("y", 180 * dice.whole(0, 1))


PROP = Prop("mug", build, size=0.27, sway=24.0)

"""A burning candle on a dish with a ring to hold it by."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe, ring, smooth, tube

# wax, dish
PALETTES: tuple[tuple[Colour, Colour], ...] = (
    ((250, 244, 220), (222, 182, 70)),
    ((150, 204, 140), (96, 98, 104)),
    ((250, 226, 120), (110, 178, 120)),
    ((246, 246, 242), (84, 86, 92)),
)
_WICK: Colour = (60, 56, 54)
_FLAME: Colour = (255, 186, 40)
_HEART: Colour = (255, 240, 140)


def build(dice: Dice) -> Mesh:
    wax, metal = dice.pick(PALETTES)
    tall, thick = dice.between(0.86, 1.0), dice.between(0.16, 0.19)
    dish = lathe([(0.0, 0.0), (0.36, 0.0), (0.46, 0.1), (0.43, 0.12), (0.34, 0.05), (0.0, 0.05)], metal).polish(0.7)
    cup = lathe([(thick + 0.06, 0.04), (thick + 0.06, 0.2), (thick, 0.22)], metal).polish(0.7)
    grip = ring(0.12, 0.03, metal).turn("x", 90).move(0.54, 0.14)
    stick = lathe([(thick, 0.05), (thick, tall), (thick * 0.8, tall + 0.02), (0.0, tall - 0.01)], wax).polish(0.2)
    drip = tube(smooth([(0.0, tall, thick), (0.02, tall - 0.1, thick + 0.01), (0.02, tall - 0.26, thick)]), 0.035, wax)
    wick = tube([(0.0, tall - 0.02, 0.0), (0.0, tall + 0.09, 0.0)], 0.018, _WICK)
    return join(dish, cup, grip, stick, drip, wick, *_flame(tall + 0.06))


def _flame(foot: float) -> list[Mesh]:
    shape = [(0.0, 0.0), (0.07, 0.05), (0.1, 0.14), (0.07, 0.26), (0.02, 0.38), (0.0, 0.42)]
    outer = lathe(shape, _FLAME).move(y=foot)
    inner = lathe([(0.55 * r, 0.6 * y) for r, y in shape], _HEART).move(y=foot, z=0.06)
    return [outer.polish(0.0), inner.polish(0.0)]


PROP = Prop("candle", build, size=0.46, sway=30.0)

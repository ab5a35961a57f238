"""A bowl: a wide open shell on a foot."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe, smooth

# outside, inside, rim
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((246, 242, 230), (232, 226, 210), (108, 178, 118)),
    ((240, 200, 80), (252, 246, 222), (252, 246, 222)),
    ((120, 182, 126), (240, 244, 228), (248, 246, 232)),
    ((150, 152, 156), (240, 240, 238), (246, 210, 90)),
)


def build(dice: Dice) -> Mesh:
    outside, inside, rim = dice.pick(PALETTES)
    high = dice.between(0.56, 0.64)
    outer = smooth([(0.26, 0.08, 0.0), (0.52, 0.16, 0.0), (0.72, high * 0.6, 0.0), (0.8, high, 0.0)], 5)
    inner = smooth([(0.75, high, 0.0), (0.66, high * 0.62, 0.0), (0.44, 0.2, 0.0), (0.0, 0.13, 0.0)], 5)
    foot = lathe([(0.0, 0.0), (0.3, 0.0), (0.26, 0.1)], outside, sides=48)
    shell = lathe([(r, y) for r, y, _ in outer], outside, sides=56).polish(0.6)
    lining = lathe([(r, y) for r, y, _ in inner], inside, sides=56).polish(0.3)
    lip = lathe([(0.8, high), (0.8, high + 0.035), (0.75, high + 0.035), (0.75, high)], rim, sides=56)
    return join(foot, shell, lining, lip)


PROP = Prop("bowl", build, size=0.4)

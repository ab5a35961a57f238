"""A claw hammer: a grip, a shaft, a steel head with a face on one side and a split claw on the other."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, lathe, smooth, tube

# shaft, grip, head
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((206, 158, 104), (206, 158, 104), (122, 128, 140)),
    ((236, 186, 84), (70, 74, 86), (146, 152, 162)),
    ((88, 140, 168), (64, 72, 84), (160, 166, 174)),
    ((224, 118, 84), (74, 70, 76), (132, 138, 148)),
    ((182, 126, 84), (104, 142, 108), (112, 116, 128)),
    ((160, 166, 176), (206, 104, 116), (130, 136, 146)),
)


def build(dice: Dice) -> Mesh:
    shaft, grip, steel = dice.pick(PALETTES)
    long, thick = dice.between(2.5, 3.3), dice.between(0.17, 0.22)
    head = _head(steel, dice.between(0.85, 1.2), dice.between(0.28, 0.38), dice.between(0.25, 0.5))
    return join(_handle(shaft, grip, long, thick, dice.between(0.38, 0.5)), head.move(y=long / 2))


def _handle(shaft: Colour, grip: Colour, long: float, thick: float, share: float) -> Mesh:
    """Swell the stick where the hand closes, and flare its end."""
    knots = [(0.0, 1.16), (0.04, 1.02), (0.22, 1.14), (0.5, 0.94), (0.75, 0.84), (1.0, 0.84)]
    line = smooth([(t, width, 0.0) for t, width in knots], 6)
    swell = [thick * width for _, width, _ in line]
    places = [t for t, _, _ in line]
    stick = tube([(0.0, -long / 2 + t * long, 0.0) for t in places], swell, shaft, flat=0.8)
    return stick.paint(grip, lambda p: p[:, 1] < -long / 2 + share * long).polish(0.3)


def _head(steel: Colour, size: float, bulk: float, droop: float) -> Mesh:
    middle = box(0.52, 0.56, 0.5, steel, bevel=0.1)
    neck = [(0.0, -0.2), (bulk * 0.7, -0.2), (bulk * 0.62, 0.18), (bulk * 0.8, 0.34)]
    face = [(bulk, 0.38), (bulk, 0.64), (bulk - 0.05, 0.7), (0.0, 0.72)]
    striker = lathe([*neck, *face], steel).turn("z", 90).move(x=-0.2)
    prongs = [_prong(steel, side, droop) for side in (-1, 1)]
    return join(middle, striker, *prongs).scale(size).polish(0.9)


def _prong(steel: Colour, side: int, droop: float) -> Mesh:
    knots = [
        (0.1, 0.06, 0.1 * side),
        (0.5, 0.1, 0.13 * side),
        (0.82, 0.02, 0.17 * side),
        (1.08, -0.02 - droop, 0.2 * side),
    ]
    path = smooth(knots)
    count = len(path) - 1
    return tube(path, [0.19 - 0.13 * k / count for k in range(count + 1)], steel, flat=0.75)


KIND = Kind("hammer", build, View(yaw=-32, pitch=18, roll=-34))

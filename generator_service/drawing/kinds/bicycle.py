"""A bicycle from its side: two wheels with spokes, a frame of tubes, a saddle, handlebars, pedals, a bell or basket."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, Point, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, ring, smooth, tube

# frame, tyres, saddle and grips, mudguards and basket
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((222, 92, 82), (66, 64, 70), (140, 92, 66), (246, 214, 140)),
    ((88, 150, 180), (72, 70, 78), (206, 140, 92), (240, 232, 214)),
    ((116, 164, 116), (84, 72, 66), (96, 70, 60), (226, 186, 110)),
    ((242, 186, 80), (70, 72, 82), (70, 72, 82), (206, 96, 80)),
    ((156, 126, 180), (76, 68, 84), (236, 206, 170), (246, 196, 110)),
    ((232, 136, 156), (90, 80, 84), (246, 236, 220), (120, 170, 176)),
)
_METAL: Colour = (190, 194, 202)
_REAR: Point = (-1.25, 0.0, 0.0)
_FRONT: Point = (1.3, 0.0, 0.0)
_CRANK: Point = (-0.15, -0.05, 0.0)


def build(dice: Dice) -> Mesh:
    frame, tyre, leather, trim = dice.pick(PALETTES)
    radius = dice.between(0.72, 0.84)
    saddle, head = (-0.5, dice.between(1.05, 1.25), 0.0), (0.92, dice.between(1.1, 1.25), 0.0)
    bars = [_REAR, _CRANK], [_CRANK, saddle], [_REAR, (-0.42, 0.8, 0)], [(-0.42, 0.84, 0), (0.86, 0.9, 0)]
    parts = [tube(list(bar), 0.075, frame) for bar in (*bars, [_CRANK, (0.9, 0.78, 0)], [head, _FRONT])]
    parts += [part for hub in (_REAR, _FRONT) for part in _wheel(tyre, trim, radius, hub)]
    parts += [ellipsoid(0.36, 0.11, 0.2, leather).move(saddle[0] - 0.05, saddle[1] + 0.08, 0)]
    parts += [*_handlebars(leather, head), *_pedals(leather)]
    if dice.chance(50):
        parts.append(box(0.5, 0.42, 0.6, trim, bevel=0.08).move(1.4, 1.05, 0))
    return join(*parts).polish(0.6)


def _wheel(tyre: Colour, trim: Colour, radius: float, hub: Point) -> list[Mesh]:
    parts = [ring(radius, 0.09, tyre).turn("x", 90), ring(radius - 0.1, 0.04, trim).turn("x", 90)]
    parts += [
        tube([(0, 0, 0), (radius * cosine(30 * k), radius * sine(30 * k), 0)], 0.018, _METAL, sides=6)
        for k in range(12)
    ]
    return [part.move(*hub) for part in (*parts, disc(0.12, 0.16, _METAL))]


def _handlebars(grip: Colour, head: Point) -> list[Mesh]:
    x, y, _ = head
    parts = []
    for side in (-1, 1):
        bend = smooth([(x, y, 0), (x + 0.06, y + 0.18, 0.22 * side), (x - 0.3, y + 0.22, 0.44 * side)], 5)
        parts += [tube(bend, 0.05, _METAL), ellipsoid(0.2, 0.08, 0.08, grip).move(x - 0.36, y + 0.22, 0.46 * side)]
    return parts


def _pedals(colour: Colour) -> list[Mesh]:
    x, y, _ = _CRANK
    parts = [disc(0.24, 0.08, _METAL).move(x, y, 0.12)]
    for side in (-1, 1):
        parts.append(tube([(x, y, 0.14 * side), (x + 0.3 * side, y - 0.26 * side, 0.16 * side)], 0.04, _METAL, sides=8))
        parts.append(box(0.3, 0.08, 0.2, colour).move(x + 0.3 * side, y - 0.26 * side, 0.26 * side))
    return parts


KIND = Kind("bicycle", build, View(yaw=-22, pitch=10))

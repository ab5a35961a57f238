"""A house: walls under a gable roof, a door on one side of the front, windows, a chimney."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, ellipsoid, extrude

# walls, roof, door, chimney
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((246, 230, 196), (206, 96, 78), (92, 140, 170), (176, 112, 92)),
    ((226, 168, 128), (96, 108, 134), (246, 236, 212), (132, 92, 84)),
    ((168, 198, 206), (132, 88, 72), (226, 130, 84), (206, 150, 110)),
    ((240, 208, 116), (110, 140, 104), (150, 78, 66), (150, 116, 96)),
    ((222, 206, 222), (122, 98, 142), (240, 190, 96), (180, 130, 130)),
    ((206, 216, 176), (186, 122, 70), (110, 84, 70), (146, 148, 150)),
)
_GLASS: Colour = (196, 226, 238)
_FRAME: Colour = (250, 248, 242)
_DEPTH = 1.5


def build(dice: Dice) -> Mesh:
    wall, roof, door, chimney = dice.pick(PALETTES)
    wide, tall, peak = dice.between(1.05, 1.3), dice.between(1.2, 1.55), dice.between(0.8, 1.15)
    gable = [(-wide, 0.0), (wide, 0.0), (wide, tall), (0.0, tall + peak), (-wide, tall)]
    front = _DEPTH / 2
    parts = [extrude(gable, _DEPTH, wall), _roof(roof, wide, tall, peak)]
    parts += _door(door, -0.48 * wide, tall, front)
    parts += _window(0.45 * wide, 0.55 * tall, 0.46, front)
    if dice.chance(60):
        parts += _window(0.0, tall + 0.2 * peak, 0.34, front)
    stack = box(0.34, 1.0, 0.34, chimney, bevel=0.04).move(0.55 * wide, tall + 0.62 * peak, -0.2)
    cap = box(0.44, 0.14, 0.44, chimney, bevel=0.04).move(0.55 * wide, tall + 0.62 * peak + 0.5, -0.2)
    return join(*parts, stack, cap)


def _roof(colour: Colour, wide: float, tall: float, peak: float) -> Mesh:
    """Lay two slopes over the gable, with eaves on every side."""
    over, thick = 1.18, 0.16
    edge = tall - (over - 1) * peak
    outer = [(-over * wide, edge), (0.0, tall + peak), (over * wide, edge)]
    profile = [*((x, y + thick) for x, y in reversed(outer)), *outer]
    return extrude(profile, _DEPTH + 0.4, colour)


def _door(colour: Colour, x: float, tall: float, front: float) -> list[Mesh]:
    leaf = box(0.5, 0.62 * tall, 0.08, colour, bevel=0.03).move(x, 0.31 * tall, front)
    frame = box(0.62, 0.68 * tall, 0.05, _FRAME, bevel=0.02).move(x, 0.34 * tall, front)
    knob = ellipsoid(0.05, 0.05, 0.05, (240, 206, 110)).move(x + 0.16, 0.3 * tall, front + 0.07)
    return [frame, leaf, knob]


def _window(x: float, y: float, side: float, front: float) -> list[Mesh]:
    frame = box(side + 0.14, side + 0.14, 0.06, _FRAME, bevel=0.02).move(x, y, front)
    pane = box(side, side, 0.08, _GLASS, bevel=0.02).move(x, y, front)
    bars = [box(w, h, 0.1, _FRAME, bevel=0.01).move(x, y, front) for w, h in ((side, 0.05), (0.05, side))]
    return [frame, pane, *bars]


KIND = Kind("house", build, View(yaw=-24, pitch=14))

"""An acoustic guitar with a cutaway: waisted body, sound hole, bridge, neck, head with pegs, strings."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.outlines import curve
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, extrude, tube

# top, sides, neck, rosette and guard
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((232, 178, 104), (146, 88, 56), (112, 72, 52), (96, 56, 44)),
    ((198, 110, 78), (116, 62, 54), (196, 150, 104), (60, 48, 48)),
    ((108, 158, 176), (74, 104, 130), (206, 160, 112), (238, 226, 196)),
    ((242, 218, 160), (206, 150, 92), (136, 92, 66), (176, 100, 76)),
    ((118, 96, 104), (80, 64, 76), (214, 170, 118), (226, 172, 92)),
    ((132, 166, 122), (92, 118, 92), (198, 148, 100), (244, 230, 190)),
)
_FRONT = 0.25
_DARK: Colour = (52, 44, 46)
_STRING: Colour = (226, 222, 210)


def build(dice: Dice) -> Mesh:
    top, side, neck, trim = dice.pick(PALETTES)
    long = dice.between(1.7, 2.2)
    body = _body(top, side, dice.between(0.92, 1.1), dice.between(0.4, 0.62), dice.between(0.66, 0.8))
    front = 0.29
    hole = join(disc(0.36, 0.04, trim), disc(0.28, 0.06, _DARK)).move(0, 0.16, front)
    guard = ellipsoid(0.2, 0.42, 0.03, trim).turn("z", -28).move(0.42, -0.22, front)
    bridge = box(0.74, 0.16, 0.1, _DARK, bevel=0.04).move(0, -0.58, front + 0.03)
    return join(body, hole, guard, bridge, _neck(neck, long, front), _head(neck, trim, 0.55 + long, front))


def _body(top: Colour, side: Colour, wide: float, waist: float, horn: float) -> Mesh:
    left = [(-0.45, 0.95), (-0.78, 0.62), (-waist, 0.12), (-0.98, -0.5), (-0.72, -1.1)]
    right = [(0.72, -1.1), (0.98, -0.5), (waist, 0.12), (0.72, 0.46), (0.66, horn), (0.4, 0.58), (0.2, 0.88)]
    shape = curve([(x * wide, y) for x, y in [(0.0, 0.98), *left, (0.0, -1.25), *right]], 5)
    return extrude(shape, 0.56, side, bevel=0.06).paint(top, lambda p: p[:, 2] > _FRONT).polish(0.5)


def _neck(colour: Colour, long: float, front: float) -> Mesh:
    end = 0.55 + long
    board = box(0.28, long, 0.16, colour, bevel=0.05).move(0, 0.55 + long / 2, front)
    frets = [
        box(0.28, 0.03, 0.04, _STRING, bevel=0.01).move(0, 0.75 + k * (long - 0.3) / 7, front + 0.08) for k in range(8)
    ]
    strings = [
        tube([(x, -0.58, front + 0.11), (x, end, front + 0.11)], 0.014, _STRING, sides=6)
        for x in (-0.09, -0.03, 0.03, 0.09)
    ]
    return join(board, *frets, *strings)


def _head(colour: Colour, trim: Colour, start: float, front: float) -> Mesh:
    plate = extrude(
        [(-0.16, 0.0), (0.16, 0.0), (0.25, 0.16), (0.25, 0.62), (-0.25, 0.72), (-0.25, 0.16)], 0.14, colour, bevel=0.03
    )
    pegs = [
        ellipsoid(0.1, 0.06, 0.05, trim).move(0.33 * side, 0.22 + 0.17 * k, 0) for side in (-1, 1) for k in range(3)
    ]
    return join(plate, *pegs).move(0, start, front - 0.04)


KIND = Kind("guitar", build, View(yaw=-26, pitch=12, roll=-36))

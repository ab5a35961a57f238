"""An alarm clock: a round case on two feet, a dial with marks and hands, two bells with a hammer, a handle."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, ring, smooth, tube

# case, dial, bells and feet, hands
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((222, 104, 92), (250, 244, 226), (232, 188, 96), (70, 62, 70)),
    ((92, 148, 180), (252, 248, 236), (196, 200, 208), (60, 70, 90)),
    ((122, 168, 126), (246, 240, 214), (206, 150, 92), (74, 64, 58)),
    ((240, 192, 88), (90, 94, 108), (176, 180, 188), (250, 240, 210)),
    ((150, 124, 174), (250, 240, 240), (236, 200, 120), (84, 66, 104)),
    ((84, 92, 110), (244, 226, 186), (222, 140, 96), (196, 84, 72)),
)


def build(dice: Dice) -> Mesh:
    case, dial, metal, hands = dice.pick(PALETTES)
    rim = ring(1.0, dice.between(0.11, 0.17), case).turn("x", 90)
    body = disc(1.0, 0.6, case).move(z=-0.25)
    face = disc(0.93, 0.06, dial).move(z=0.08)
    parts = [body, rim, face, *_marks(hands), *_hands(hands, dice)]
    for side in (-1, 1):
        foot = tube([(0.6 * side, -0.8, -0.2), (0.86 * side, -1.26, -0.2)], [0.1, 0.15], metal)
        bell = ellipsoid(0.4, 0.26, 0.34, metal).turn("z", -32 * side).move(0.56 * side, 1.04, -0.2)
        parts += [foot, bell]
    parts += _top(metal, case, dice.between(0.34, 0.6))
    return join(*parts).polish(0.6)


def _marks(colour: Colour) -> list[Mesh]:
    """Put twelve marks around the dial, the quarters longer."""
    marks = []
    for k in range(12):
        long = 0.2 if k % 3 == 0 else 0.1
        mark = box(0.06, long, 0.04, colour, bevel=0.01).move(y=0.82 - long / 2, z=0.13).turn("z", 30 * k)
        marks.append(mark)
    return marks


def _hands(colour: Colour, dice: Dice) -> list[Mesh]:
    """Set a time at which the two hands stand well apart."""
    hour = 30 * dice.whole(1, 4) + 10
    minute = hour + dice.between(80, 150)
    short = box(0.12, 0.5, 0.05, colour, bevel=0.02).move(y=0.22, z=0.16).turn("z", -hour)
    long = box(0.09, 0.76, 0.05, colour, bevel=0.02).move(y=0.34, z=0.2).turn("z", -minute)
    return [short, long, disc(0.09, 0.1, colour).move(z=0.2)]


def _top(metal: Colour, case: Colour, high: float) -> list[Mesh]:
    loop = [(0.5 * cosine(a), 1.1 + high * sine(a), -0.3) for a in (0, 30, 60, 90, 120, 150, 180)]
    hammer = tube([(0.08, 0.95, -0.2), (0.14, 1.24, -0.2)], 0.04, metal)
    return [tube(smooth(loop, 4), 0.05, metal), hammer, ellipsoid(0.1, 0.1, 0.1, case).move(0.15, 1.28, -0.2)]


KIND = Kind("clock", build, View(yaw=-14, pitch=8))

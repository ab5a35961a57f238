"""A cactus in a pot: a ribbed trunk, a low arm on one side, a high one on the other, a flower."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, Point, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, lathe, ring, smooth, tube

# flesh, pot, band, flower
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((110, 160, 96), (206, 120, 84), (236, 190, 130), (236, 120, 150)),
    ((88, 146, 120), (236, 220, 186), (206, 110, 92), (250, 206, 96)),
    ((140, 176, 100), (104, 136, 168), (238, 226, 190), (226, 96, 84)),
    ((96, 140, 88), (240, 190, 90), (150, 96, 70), (250, 240, 226)),
    ((120, 164, 136), (168, 134, 180), (244, 220, 150), (250, 160, 110)),
    ((150, 168, 92), (100, 96, 108), (226, 150, 90), (206, 130, 190)),
)
_EARTH: Colour = (94, 70, 58)
_RIBS = 8
_SPINE: Colour = (250, 244, 214)


def build(dice: Dice) -> Mesh:
    flesh, pot, band, flower = dice.pick(PALETTES)
    tall = dice.between(1.6, 2.1)
    low, high = dice.between(0.35, 0.55), dice.between(0.95, 1.25)
    side = 1
    trunk = _limb([(0, 0, 0), (0, 0.5 * tall, 0), (0, tall, 0)], 0.36, flesh)
    arms = [_arm(flesh, side, low, dice.between(0.85, 1.1)), _arm(flesh, -side, high, dice.between(0.35, 0.55))]
    bloom = [
        ellipsoid(0.13, 0.07, 0.08, flower).move(x=0.14).turn("z", 40).turn("y", 72 * k).move(y=tall + 0.32)
        for k in range(5)
    ]
    heart = ellipsoid(0.08, 0.08, 0.08, (250, 220, 120)).move(y=tall + 0.38)
    return join(trunk, *arms, *bloom, heart, _pot(pot, band, dice.between(0.7, 0.85))).polish(0.35)


def _limb(path: list[Point], radius: float, colour: Colour) -> Mesh:
    """Sweep a ribbed tube with a round end, pale spines along its ribs."""
    line = smooth(path, 8)
    end = line[-1]
    before = line[-2]
    step = [a - b for a, b in zip(end, before, strict=True)]
    length = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) ** 0.5
    cap = [
        (end[0] + step[0] / length * radius * sine(a), end[1] + step[1] / length * radius * sine(a), end[2])
        for a in (30, 60, 85)
    ]
    radii = [radius] * len(line) + [radius * cosine(a) for a in (30, 60, 85)]
    skin = tube([*line, *cap], radii, colour, sides=24)
    spines = [
        ellipsoid(0.025, 0.06, 0.025, _SPINE, sides=6).move(
            x + radius * cosine(45 * k + 20), y, z + radius * sine(45 * k + 20)
        )
        for x, y, z in line[2::4]
        for k in range(_RIBS)
    ]
    return join(skin, *spines)


def _arm(colour: Colour, side: int, height: float, long: float) -> Mesh:
    bend = [(0.2 * side, height, 0.0), (0.62 * side, height, 0.0), (0.86 * side, height + 0.25, 0.0)]
    return _limb([*bend, (0.88 * side, height + 0.25 + long, 0.0)], 0.2, colour)


def _pot(colour: Colour, band: Colour, wide: float) -> Mesh:
    profile = [(0.0, -1.1), (0.62 * wide, -1.1), (0.7 * wide, -1.0), (wide, -0.1), (wide, 0.0), (0.8 * wide, 0.0)]
    earth = lathe([(0.85 * wide, -0.02), (0.0, 0.06)], _EARTH)
    return join(lathe(profile, colour), ring(wide, 0.1, band).move(y=-0.04), earth)


KIND = Kind("cactus", build, View(yaw=-12, pitch=14))

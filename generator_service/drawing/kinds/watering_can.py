"""A watering can: a bucket, a long spout with its rose, a handle over the top and one behind."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import extrude, lathe, ring, smooth, tube

# body, handles, rose and rims
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((112, 170, 150), (244, 198, 92), (244, 198, 92)),
    ((150, 162, 176), (176, 112, 76), (196, 204, 212)),
    ((236, 150, 110), (92, 112, 140), (248, 226, 178)),
    ((240, 206, 108), (104, 148, 110), (104, 148, 110)),
    ((118, 146, 196), (240, 232, 216), (236, 172, 96)),
    ((206, 128, 158), (250, 230, 220), (118, 108, 136)),
)
_INSIDE: Colour = (104, 100, 98)
_WATER: Colour = (120, 170, 196)


def build(dice: Dice) -> Mesh:
    body, handle, rim = dice.pick(PALETTES)
    tall, belly = dice.between(0.75, 1.05), dice.between(0.86, 1.04)
    reach, rise = dice.between(1.5, 1.95), dice.between(0.55, 1.0)
    parts = [_bucket(body, rim, tall, belly), _spout(body, rim, belly, reach, rise * tall)]
    parts += [_back(handle, tall, belly, dice.between(0.5, 0.75))]
    if dice.chance(65):
        parts.append(_arch(handle, tall, belly, dice.between(0.45, 0.75)))
    return join(*parts).polish(0.5)


def _bucket(body: Colour, rim: Colour, tall: float, belly: float) -> Mesh:
    wall = lathe([(0.0, -tall), (belly, -tall), (belly + 0.02, -tall + 0.04), (belly * 0.84, tall)], body, sides=48)
    lining = lathe([(belly * 0.83, tall), (belly * 0.86, tall * 0.7)], _INSIDE, sides=48)
    hoops = [ring(belly + 0.01, 0.05, rim).move(y=-tall + 0.05), ring(belly * 0.84, 0.05, rim).move(y=tall)]
    water = lathe([(0.0, tall * 0.7), (belly * 0.86, tall * 0.7)], _WATER).polish(1.0)
    hood = extrude([(belly * 0.84 * cosine(a), belly * 0.84 * sine(a)) for a in range(92, 269, 8)], 0.06, body)
    lid = join(water, hood.turn("x", -90).move(y=tall))
    return join(wall, lining, *hoops, lid)


def _spout(body: Colour, rim: Colour, belly: float, reach: float, rise: float) -> Mesh:
    path = smooth([(belly * 0.7, -0.5, 0), (belly + 0.35, -0.25, 0), (reach + 0.3, rise, 0)])
    count = len(path)
    pipe = tube(path, [0.26 - 0.13 * k / count for k in range(count)], body)
    rose = lathe([(0.0, -0.02), (0.12, -0.02), (0.36, 0.34), (0.36, 0.42), (0.32, 0.44), (0.0, 0.5)], rim)
    end = path[-1]
    return join(pipe, rose.turn("z", -48).move(end[0] - 0.05, end[1] - 0.05, 0))


def _back(colour: Colour, tall: float, belly: float, reach: float) -> Mesh:
    knots = [
        (-belly * 0.8, tall * 0.8, 0.0),
        (-belly - reach, tall * 0.75, 0.0),
        (-belly - reach * 0.9, -tall * 0.2, 0.0),
        (-belly * 0.9, -tall * 0.6, 0.0),
    ]
    return tube(smooth(knots), 0.1, colour)


def _arch(colour: Colour, tall: float, belly: float, height: float) -> Mesh:
    knots = [
        (-belly * 0.8, tall, 0.0),
        (-belly * 0.5, tall + height, 0.0),
        (belly * 0.5, tall + height, 0.0),
        (belly * 0.8, tall, 0.0),
    ]
    return tube(smooth(knots), 0.09, colour)


KIND = Kind("watering-can", build, View(yaw=-24, pitch=20))

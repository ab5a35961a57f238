"""A steam engine: boiler, chimney and dome, cab under a roof, spoked wheels with a rod, cow-catcher."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.kinds.wheels import make_spoked_wheel
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, extrude, lathe, ring

# boiler, cab, roof and chimney, wheels, frame
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour, Colour], ...] = (
    ((98, 150, 178), (226, 118, 96), (84, 84, 100), (226, 118, 96), (244, 202, 98)),
    ((120, 166, 126), (240, 202, 110), (124, 86, 66), (214, 112, 90), (92, 92, 98)),
    ((228, 116, 94), (92, 132, 164), (246, 206, 104), (92, 132, 164), (92, 84, 90)),
    ((244, 198, 92), (112, 162, 140), (206, 104, 92), (112, 162, 140), (112, 84, 72)),
    ((150, 126, 174), (240, 222, 196), (96, 82, 118), (236, 176, 100), (236, 176, 100)),
    ((90, 96, 108), (206, 122, 92), (206, 122, 92), (178, 182, 188), (196, 160, 100)),
)
_GLASS: Colour = (236, 240, 232)
_LAMP: Colour = (254, 240, 180)


def build(dice: Dice) -> Mesh:
    boiler, cab, roof, wheel, frame = dice.pick(PALETTES)
    long, fat, high = dice.between(1.5, 1.9), dice.between(0.5, 0.62), dice.between(1.15, 1.5)
    parts = [_boiler(boiler, frame, roof, long, fat), _cab(cab, roof, high), _frame(frame, long)]
    parts.append(
        _chimney(roof, frame, dice.between(0.45, 0.85), dice.between(0.06, 0.22)).move(long - 0.32, fat + 0.1, 0)
    )
    parts += _wheels(wheel, frame, long, dice.between(0.38, 0.46), dice.whole(2, 3))
    return join(*parts).polish(0.55)


def _boiler(colour: Colour, band: Colour, front: Colour, long: float, fat: float) -> Mesh:
    barrel = lathe([(0.0, 0.0), (fat, 0.0), (fat, long), (fat - 0.05, long + 0.04), (0.0, long + 0.06)], colour).turn(
        "z", -90
    )
    hoops = [ring(fat, 0.05, band).turn("z", 90).move(x=x) for x in (long * 0.36, long * 0.7, long - 0.02)]
    plate = disc(fat * 0.72, 0.08, front).turn("y", 90).move(x=long + 0.05)
    lamp = join(disc(0.17, 0.24, band), disc(0.13, 0.28, _LAMP)).turn("y", 90).move(long + 0.14, fat * 0.55, 0)
    dome = ellipsoid(0.24, 0.3, 0.24, band).move(long * 0.42, fat)
    return join(barrel, *hoops, plate, lamp, dome).move(y=0.12)


def _cab(colour: Colour, roof: Colour, high: float) -> Mesh:
    house = box(0.95, high, 1.24, colour, bevel=0.06).move(-0.42, high / 2 - 0.5, 0)
    panes = [box(0.5, 0.42, 0.04, _GLASS, bevel=0.02).move(-0.42, high - 0.88, 0.62 * side) for side in (-1, 1)]
    fronts = [box(0.04, 0.3, 0.28, _GLASS, bevel=0.02).move(0.06, high - 0.74, 0.38 * side) for side in (-1, 1)]
    arch = [(-0.72, 0.0), (0.72, 0.0), (0.66, 0.12), (0.3, 0.24), (-0.3, 0.24), (-0.66, 0.12)]
    cover = extrude(arch, 1.25, roof, bevel=0.04).turn("y", 90).move(-0.42, high - 0.52, 0)
    return join(house, *panes, *fronts, cover)


def _chimney(colour: Colour, trim: Colour, high: float, flare: float) -> Mesh:
    pipe = lathe(
        [
            (0.17, -0.3),
            (0.17, 0.05),
            (0.16 + flare, high),
            (0.2 + flare, high + 0.04),
            (0.12 + flare, high + 0.08),
            (0.0, high),
        ],
        colour,
    )
    return join(pipe, ring(0.17 + flare, 0.05, trim).move(y=high))


def _frame(colour: Colour, long: float) -> Mesh:
    beam = box(long + 1.15, 0.2, 1.06, colour, bevel=0.05).move((long - 0.8) / 2, -0.5, 0)
    bars = [
        box(0.5, 0.07, 0.07, colour, bevel=0.02).turn("z", -38).move(long + 0.28, -0.72, 0.16 * k) for k in range(-3, 4)
    ]
    toe = box(0.1, 0.1, 1.06, colour, bevel=0.03).move(long + 0.46, -0.88, 0)
    return join(beam, *bars, toe)


def _wheels(colour: Colour, rod: Colour, long: float, radius: float, count: int) -> list[Mesh]:
    places = [-0.42 + (long - 0.1) * k / (count - 1) for k in range(count)]
    wheels = [
        make_spoked_wheel(radius, 0.14, colour, rod).move(x, -0.62, 0.56 * side) for x in places for side in (-1, 1)
    ]
    link = box(places[-1] - places[0] + 0.16, 0.09, 0.07, rod, bevel=0.02)
    return [*wheels, *(link.move((places[0] + places[-1]) / 2, -0.72, 0.68 * side) for side in (-1, 1))]


KIND = Kind("train", build, View(yaw=-36, pitch=18))

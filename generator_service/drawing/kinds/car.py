"""A toy car: a bevelled body, a cabin of glass under a roof, wheels, lamps, bumpers."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.kinds.wheels import make_tyred_wheel
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.outlines import round_corners
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, extrude

# body, roof, hubs
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((226, 112, 88), (250, 236, 214), (232, 232, 236)),
    ((244, 200, 88), (244, 200, 88), (226, 228, 232)),
    ((104, 160, 190), (240, 240, 236), (240, 206, 120)),
    ((128, 176, 132), (246, 238, 214), (214, 220, 224)),
    ((170, 134, 178), (236, 222, 232), (240, 210, 140)),
    ((240, 156, 96), (84, 92, 112), (240, 236, 226)),
    ((236, 232, 224), (98, 134, 160), (224, 130, 104)),
)
_GLASS: Colour = (72, 92, 112)
_CHROME: Colour = (190, 196, 204)
_LAMP: Colour = (252, 240, 190)
_TAIL: Colour = (198, 84, 76)


def build(dice: Dice) -> Mesh:
    body, roof, hub = dice.pick(PALETTES)
    nose, tail, high = dice.between(0.75, 1.0), dice.between(0.35, 0.9), dice.between(0.62, 0.85)
    front, back = 1.0 + nose, -1.0 - tail
    radius = dice.between(0.38, 0.46)
    wheels = [
        make_tyred_wheel(radius, 0.3, hub).move(x, -0.38, 0.78 * side)
        for x in (front - 0.6, back + 0.58)
        for side in (-1, 1)
    ]
    extras = [_rack(dice)] if dice.chance(35) else []
    shift = [part.move(y=0.35 + high) for part in extras]
    return join(
        _body(body, front, back), _cabin(roof, high, dice.between(0.2, 0.55)), _trim(front, back), *wheels, *shift
    )


def _body(colour: Colour, front: float, back: float) -> Mesh:
    side = [
        (back, -0.38),
        (front, -0.38),
        (front + 0.04, 0.1),
        (front - 0.15, 0.26),
        (0.9, 0.4),
        (back + 0.1, 0.4),
        (back - 0.02, 0.1),
    ]
    stripe = box(front - back, 0.07, 1.66, _CHROME, bevel=0.03).move((front + back) / 2, -0.14)
    return join(extrude(round_corners(side, 0.09), 1.6, colour, bevel=0.16).polish(0.8), stripe)


def _cabin(roof: Colour, high: float, slant: float) -> Mesh:
    low = 0.34
    glass = [(-1.15, low), (1.05, low), (0.95 - slant, low + high), (-1.0 + slant * 0.4, low + high)]
    windows = extrude(round_corners(glass, 0.08), 1.34, _GLASS, bevel=0.12).polish(1.0)
    top = box(1.85 - slant * 1.2, 0.14, 1.32, roof, bevel=0.07).move((-0.05 - slant * 0.6) / 2, low + high)
    pillar = box(0.13, high + 0.1, 1.37, roof, bevel=0.04).move(-0.18, low + high / 2)
    return join(windows, top, pillar)


def _trim(front: float, back: float) -> Mesh:
    lamps = [disc(0.15, 0.1, _LAMP).turn("y", 90).move(front + 0.03, 0.06, 0.5 * side) for side in (-1, 1)]
    tails = [box(0.08, 0.2, 0.26, _TAIL, bevel=0.03).move(back - 0.02, 0.12, 0.5 * side) for side in (-1, 1)]
    bumpers = [box(0.14, 0.16, 1.5, _CHROME, bevel=0.06).move(x, -0.3) for x in (front + 0.06, back - 0.06)]
    return join(*lamps, *tails, *bumpers).polish(0.8)


def _rack(dice: Dice) -> Mesh:
    """Tie a suitcase or a surfboard to the roof."""
    if dice.chance(50):
        return box(0.8, 0.34, 0.7, (158, 104, 72), bevel=0.08).move(-0.2, 0.22)
    return disc(0.28, 0.09, (244, 224, 170)).turn("x", 90).scale(4.2, 1, 1).move(-0.1, 0.16)


KIND = Kind("car", build, View(yaw=-34, pitch=22))

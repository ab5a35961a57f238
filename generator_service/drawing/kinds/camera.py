"""A camera: a body with a grip, a lens of rings, a flash, a finder and a release on one side."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import box, disc, ellipsoid, ring

# body, top and lens rings, leather, release
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((92, 98, 112), (206, 208, 212), (66, 68, 78), (222, 104, 84)),
    ((206, 118, 96), (246, 232, 206), (140, 76, 64), (250, 214, 120)),
    ((110, 160, 172), (236, 234, 226), (72, 108, 122), (240, 176, 90)),
    ((240, 200, 104), (252, 244, 222), (176, 124, 64), (196, 88, 76)),
    ((140, 168, 124), (226, 214, 180), (92, 116, 84), (226, 130, 84)),
    ((172, 140, 186), (240, 228, 240), (112, 84, 128), (246, 204, 120)),
)
_GLASS: Colour = (54, 62, 84)
_GLINT: Colour = (150, 190, 220)
_LIGHT: Colour = (252, 250, 236)


def build(dice: Dice) -> Mesh:
    body, metal, leather, button = dice.pick(PALETTES)
    wide, tall = dice.between(1.35, 1.6), dice.between(0.86, 1.0)
    centre = dice.between(-0.05, 0.2)
    parts = [
        box(2 * wide, 2 * tall, 0.8, body, bevel=0.16),
        box(2 * wide + 0.02, 0.9 * tall, 0.84, leather, bevel=0.14).move(y=-0.16),
        box(2 * wide - 0.1, 0.34, 0.74, metal, bevel=0.1).move(y=tall),
        box(0.42, 1.5 * tall, 0.5, leather, bevel=0.16).move(-wide + 0.2, -0.1, 0.34),
    ]
    parts += _lens(metal, body, centre, dice.between(0.66, 0.78), dice.between(0.3, 0.6))
    parts.append(box(0.56, 0.3, 0.1, _LIGHT, bevel=0.06).move(wide - 0.42, tall - 0.16, 0.42))
    parts.append(box(0.36, 0.22, 0.1, _GLASS, bevel=0.05).move(centre - 0.1, tall - 0.04, 0.42))
    parts.append(disc(0.2, 0.2, button).turn("x", 90).move(-wide + 0.42, tall + 0.24, 0.1))
    parts.append(disc(0.28, 0.18, body).turn("x", 90).move(wide - 0.5, tall + 0.22, 0.0))
    return join(*parts).polish(0.6)


def _lens(metal: Colour, body: Colour, x: float, radius: float, long: float) -> list[Mesh]:
    """Stack the lens's rings from the body outwards, glass in the last."""
    front = 0.4 + long
    return [
        disc(radius, long, metal).move(x, -0.1, 0.4 + long / 2),
        ring(radius - 0.06, 0.08, body).turn("x", 90).move(x, -0.1, front),
        disc(radius - 0.12, 0.08, (40, 42, 50)).move(x, -0.1, front),
        ellipsoid(radius - 0.24, radius - 0.24, 0.14, _GLASS).move(x, -0.1, front).polish(1.0),
        ellipsoid(0.14, 0.1, 0.06, _GLINT).move(x - 0.2, 0.12, front + 0.12),
    ]


KIND = Kind("camera", build, View(yaw=-22, pitch=14))

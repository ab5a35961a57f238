"""A desk lamp: a heavy foot, two arms with joints, a shade with its bulb."""

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, lathe, tube

# shade, arms, foot, joints
PALETTES: tuple[tuple[Colour, Colour, Colour, Colour], ...] = (
    ((224, 110, 92), (172, 176, 184), (224, 110, 92), (92, 92, 102)),
    ((104, 156, 176), (226, 222, 212), (104, 156, 176), (224, 156, 92)),
    ((244, 198, 90), (92, 94, 106), (92, 94, 106), (244, 198, 90)),
    ((126, 166, 128), (196, 150, 98), (196, 150, 98), (92, 112, 96)),
    ((238, 232, 220), (206, 146, 92), (238, 232, 220), (112, 92, 80)),
    ((158, 130, 176), (222, 214, 226), (110, 90, 130), (110, 90, 130)),
    ((86, 96, 116), (206, 166, 104), (86, 96, 116), (206, 166, 104)),
)
_BULB: Colour = (255, 244, 190)
_INSIDE: Colour = (250, 246, 232)


def build(dice: Dice) -> Mesh:
    shade, arm, foot, joint = dice.pick(PALETTES)
    lower, upper = dice.between(1.1, 1.45), dice.between(1.0, 1.35)
    lean, reach = dice.between(104, 122), dice.between(18, 44)
    elbow = (lower * cosine(lean), lower * sine(lean))
    wrist = (elbow[0] + upper * cosine(reach), elbow[1] + upper * sine(reach))
    parts = [_foot(foot, dice.between(0.56, 0.74)), *_arm(arm, (0.0, 0.0), elbow), *_arm(arm, elbow, wrist)]
    parts += [ellipsoid(0.15, 0.15, 0.17, joint).move(x, y) for x, y in ((0.0, 0.0), elbow, wrist)]
    head = _head(shade, joint, dice.between(0.52, 0.68), dice.between(0.75, 1.0))
    parts.append(head.turn("z", dice.between(20, 48)).move(*wrist))
    return join(*parts).polish(0.65)


def _foot(colour: Colour, radius: float) -> Mesh:
    profile = [
        (0.0, -0.36),
        (radius, -0.36),
        (radius + 0.03, -0.32),
        (radius, -0.22),
        (radius * 0.6, -0.14),
        (0.13, -0.1),
        (0.1, 0.02),
    ]
    return lathe(profile, colour)


def _arm(colour: Colour, start: tuple[float, float], end: tuple[float, float]) -> list[Mesh]:
    return [tube([(*start, z), (*end, z)], 0.055, colour, sides=14) for z in (-0.09, 0.09)]


def _head(colour: Colour, joint: Colour, radius: float, long: float) -> Mesh:
    """Hang the shade from the origin, open downwards."""
    bell = [
        (0.0, 0.16),
        (0.16, 0.16),
        (0.2, 0.1),
        (0.2, -0.12),
        (0.3, -0.22),
        (radius, -long),
        (radius + 0.03, -long - 0.02),
    ]
    lining = [(radius + 0.03, -long - 0.02), (radius - 0.03, -long), (0.2, -0.24), (0.0, -0.2)]
    bulb = ellipsoid(0.23, 0.27, 0.23, _BULB).move(y=-long + 0.06).polish(0.9)
    knob = lathe([(0.0, 0.28), (0.06, 0.26), (0.06, 0.14)], joint)
    return join(lathe(bell, colour), lathe(lining, _INSIDE), bulb, knob)


KIND = Kind("lamp", build, View(yaw=-26, pitch=8))

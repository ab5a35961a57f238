"""An open umbrella: eight panels of cloth between ribs, a shaft, a crook."""

import numpy as np

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.kinds.kind import Kind
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.portrait import View
from generator_service.drawing.solids import ellipsoid, lathe, patch, tube

# panels in turn, handle, shaft
PALETTES: tuple[tuple[tuple[Colour, ...], Colour, Colour], ...] = (
    (((226, 110, 94), (250, 238, 218)), (140, 92, 64), (120, 120, 128)),
    (((98, 152, 186), (246, 208, 108)), (96, 74, 66), (150, 150, 156)),
    (((238, 166, 92), (244, 220, 170), (118, 160, 140), (244, 220, 170)), (112, 80, 62), (130, 130, 136)),
    (((150, 126, 178), (234, 184, 198)), (84, 74, 104), (170, 164, 176)),
    (((110, 164, 130), (242, 236, 210)), (176, 118, 78), (112, 112, 116)),
    (((236, 140, 150), (248, 214, 140), (128, 178, 196), (170, 150, 196)), (92, 84, 96), (150, 150, 150)),
    (((92, 100, 122), (92, 100, 122), (224, 140, 96), (92, 100, 122)), (224, 140, 96), (160, 164, 172)),
)
_PANELS = 8
_STEPS = 6


def build(dice: Dice) -> Mesh:
    cloth, handle, metal = dice.pick(PALETTES)
    high, long = dice.between(0.6, 0.95), dice.between(1.25, 1.6)
    scallop = dice.between(0.1, 0.24)
    canopy = [_panel(cloth[k % len(cloth)], k, high, scallop) for k in range(_PANELS)]
    shaft = tube([(0, high, 0), (0, -long, 0)], 0.045, metal).polish(0.8)
    tip = lathe([(0.07, -0.02), (0.05, 0.12), (0.0, 0.3)], metal).move(y=high)
    return join(*canopy, *_ribs(metal, high), shaft, tip, _crook(handle, long, dice.between(0.2, 0.32)))


def _profile(share: float, high: float) -> tuple[float, float]:
    """Return radius and height of the dome at a share of the way from the top to the rim."""
    return 1.45 * sine(90 * share * 0.98), high * (cosine(90 * share) * 1.0)


def _panel(colour: Colour, number: int, high: float, scallop: float) -> Mesh:
    """Span one panel between two ribs; towards the rim its middle is taut, hence flatter and cut shorter."""
    rows = []
    for j in range(9):
        share = j / 8
        r, y = _profile(share, high)
        row = []
        for i in range(_STEPS + 1):
            slack = 1 - (2 * i / _STEPS - 1) * (2 * i / _STEPS - 1)
            angle = 360 / _PANELS * (number + i / _STEPS)
            pull = 1 - 0.09 * slack * share
            row.append((r * pull * cosine(angle), y + scallop * slack * share * share * share, r * pull * sine(angle)))
        rows.append(row)
    return patch(np.array(rows), colour)


def _ribs(colour: Colour, high: float) -> list[Mesh]:
    ribs = []
    for k in range(_PANELS):
        angle = 360 / _PANELS * k
        r, y = _profile(1.0, high)
        ribs.append(ellipsoid(0.05, 0.05, 0.05, colour, sides=10).move(r * cosine(angle), y, r * sine(angle)))
        half = _profile(0.55, high)
        ribs.append(
            tube(
                [(0, 0.0, 0), (half[0] * cosine(angle), half[1] - 0.03, half[0] * sine(angle))], 0.018, colour, sides=6
            )
        )
    return ribs


def _crook(colour: Colour, long: float, radius: float) -> Mesh:
    bend = [(radius - radius * cosine(15 * k), -long - 0.42 - radius * sine(15 * k), 0.0) for k in range(13)]
    return tube([(0.0, -long + 0.1, 0.0), *bend, (2 * radius, -long - 0.3, 0.0)], 0.085, colour).polish(0.6)


KIND = Kind("umbrella", build, View(yaw=10, pitch=12, roll=24))

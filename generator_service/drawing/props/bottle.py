"""A bottle: glass turned from a profile, a label round its belly, a cap."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe

# glass, label, cap
PALETTES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((58, 140, 84), (246, 240, 220), (238, 196, 72)),
    ((236, 190, 60), (250, 250, 246), (70, 70, 78)),
    ((92, 168, 120), (250, 220, 110), (244, 244, 240)),
    ((244, 244, 238), (116, 186, 106), (60, 130, 84)),
)


def build(dice: Dice) -> Mesh:
    glass, label, cap = dice.pick(PALETTES)
    waist, neck = dice.between(0.3, 0.36), dice.between(0.1, 0.12)
    shoulder = dice.between(1.0, 1.15)
    body = [(0.0, 0.0), (waist - 0.04, 0.0), (waist, 0.05), (waist, shoulder)]
    top = [(waist * 0.9, shoulder + 0.12), (neck * 1.3, shoulder + 0.32), (neck, shoulder + 0.42), (neck, 1.72)]
    band = lathe([(waist + 0.012, 0.28), (waist + 0.012, 0.82)], label).polish(0.1)
    lid = lathe([(neck + 0.03, 1.66), (neck + 0.03, 1.84), (0.0, 1.84)], cap)
    return join(lathe([*body, *top], glass).polish(0.9), band, lid)


PROP = Prop("bottle", build, size=0.54)

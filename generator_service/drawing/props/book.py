"""A closed book, lying on its back cover, so that cover, pages and title are seen."""

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import box

# cover, title
PALETTES: tuple[tuple[Colour, Colour], ...] = (
    ((62, 138, 84), (250, 232, 150)),
    ((240, 196, 70), (70, 72, 78)),
    ((84, 86, 94), (246, 210, 96)),
    ((142, 196, 112), (250, 250, 240)),
)
_PAGES: Colour = (252, 248, 234)
_EDGES: Colour = (222, 214, 192)


def build(dice: Dice) -> Mesh:
    cover, title = dice.pick(PALETTES)
    wide, tall = dice.between(0.72, 0.82), dice.between(1.06, 1.18)
    thick = 0.26
    front = box(wide, tall, 0.045, cover, bevel=0.015).move(0.0, tall / 2, thick / 2)
    back = box(wide, tall, 0.045, cover, bevel=0.015).move(0.0, tall / 2, -thick / 2)
    spine = box(0.05, tall, thick + 0.04, cover, bevel=0.015).move(-wide / 2, tall / 2)
    block = box(wide - 0.08, tall - 0.1, thick - 0.03, _PAGES, bevel=0.01).move(0.0, tall / 2).polish(0.0)
    leaves = [box(0.012, tall - 0.1, 0.012, _EDGES).move(wide / 2 - 0.036, tall / 2, z) for z in (-0.06, 0.0, 0.06)]
    lines = [
        box(wide * share, 0.07, 0.02, title, bevel=0.005).move(0.02, tall * height, thick / 2 + 0.025)
        for share, height in ((0.62, 0.76), (0.44, 0.64))
    ]
    badge = box(wide * 0.3, wide * 0.3, 0.02, title, bevel=0.005).move(0.02, tall * 0.3, thick / 2 + 0.025)
    return join(front, back, spine, block, *leaves, *lines, badge).turn("x", -90)


PROP = Prop("book", build, size=0.47, sway=5.0)

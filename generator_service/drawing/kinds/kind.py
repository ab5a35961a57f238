"""Define a kind of thing: a name, a function that builds one, and the side it is seen from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.portrait import View, portray

if TYPE_CHECKING:
    from generator_service.drawing.canvas import Picture

_SWAY = 6.0  # degrees by which the variants' viewpoints differ
_TONE = 0.07  # the share by which their colours are lighter, darker, warmer or colder than the palette


@dataclass(frozen=True)
class Kind:
    """`build` makes one variant from its dice; `chiral`: the picture clearly differs from its mirror image."""

    name: str
    build: Callable[[Dice], Mesh]
    view: View
    chiral: bool = True

    def draw(self, dice: Dice) -> "Picture":
        """Draw one variant, seen from about the kind's own viewpoint."""
        warmth, depth = dice.between(-_TONE, _TONE), dice.between(-_TONE, _TONE)
        mesh = self.build(dice).tone(1.0 + depth + warmth, 1.0 + depth, 1.0 + depth - warmth)
        yaw, pitch, roll = (dice.between(-_SWAY, _SWAY) for _ in range(3))
        return portray(mesh, View(self.view.yaw + yaw, self.view.pitch + pitch / 2, self.view.roll + roll / 2))

"""Define a prop: a name, a function that builds one, and its size on a stage."""

from collections.abc import Callable
from dataclasses import dataclass

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Mesh


@dataclass(frozen=True)
class Prop:
    """`build` makes one variant from its dice. `sway`: degrees by which it may be turned and stay recognisable.

    Its colours are neither red nor blue nor brown, which are for furniture. size: its longest side in half metres; a
    little more than in life, so that it can be told in a picture.
    """

    name: str
    build: Callable[[Dice], Mesh]
    size: float
    sway: float = 180.0

    def build_at_scale(self, dice: Dice) -> Mesh:
        """Build one, turned, on the middle of y = 0, at the scale of the furniture."""
        mesh = self.build(dice)
        sides = mesh.vertices.max(axis=0) - mesh.vertices.min(axis=0)
        turned = mesh.turn("y", dice.between(-self.sway, self.sway))
        return _set_down(turned, self.size / float(sides.max()) * dice.between(0.95, 1.05))


def _set_down(mesh: Mesh, size: float) -> Mesh:
    """Move the mesh onto the middle of y = 0, and scale it."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    middle = (low + high) / 2
    return mesh.move(-float(middle[0]), -float(low[1]), -float(middle[2])).scale(size)

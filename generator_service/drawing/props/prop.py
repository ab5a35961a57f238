"""Define a prop: a name, a function that builds one, and the space that it may take on a stage."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Mesh

WIDEST = 0.405  # across, deep and high, in units of a table's height: two stand side by side on a chair
HIGHEST = 0.56


@dataclass(frozen=True)
class Prop:
    """`build` makes one variant from its dice. `sway`: degrees by which it may be turned and stay recognisable.

    Its colours are neither red nor blue nor brown, which are for furniture. size: its longest side in half metres; a
    little more than in life, so that it can be told in a picture. lying: how it is laid down where it stands by `build`
    (stage 1), with the degrees by which it may then be turned.
    """

    name: str
    build: Callable[[Dice], Mesh]
    sway: float = 180.0
    size: float = WIDEST
    lying: tuple[Callable[[Dice], Mesh], float] | None = None

    def made(self, dice: Dice) -> Mesh:
        """Build one, turned, standing on the middle of y = 0 and as large as its space allows."""
        mesh = self.build(dice).turned("y", dice.between(-self.sway, self.sway))
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        wide, tall, deep = (float(side) for side in high - low)
        return _set_down(mesh, min(WIDEST / max(wide, deep), HIGHEST / tall) * dice.between(0.92, 1.0))

    def at_scale(self, dice: Dice) -> Mesh:
        """Build one as it stands or lies, turned, on the middle of y = 0, at the scale of the furniture."""
        build, sway = (self.build, self.sway) if self.lying is None else self.lying
        mesh = build(dice)
        sides = mesh.vertices.max(axis=0) - mesh.vertices.min(axis=0)
        turned = mesh.turned("y", dice.between(-sway, sway))
        return _set_down(turned, self.size / float(sides.max()) * dice.between(0.95, 1.05))


def _set_down(mesh: Mesh, size: float) -> Mesh:
    """Move the mesh onto the middle of y = 0, and scale it."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    middle = (low + high) / 2
    return mesh.moved(-float(middle[0]), -float(low[1]), -float(middle[2])).scaled(size)


def footprint(mesh: Mesh) -> tuple[float, float]:
    """Return half the width and half the depth of the mesh's lower part, for its shadow."""
    low = mesh.vertices[mesh.vertices[:, 1] < 0.5 * mesh.vertices[:, 1].max()]
    half = np.abs(low).max(axis=0)
    return float(half[0]), float(half[2])

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

    Its colours are neither red nor blue nor brown, which are for furniture.
    """

    name: str
    build: Callable[[Dice], Mesh]
    sway: float = 180.0

    def made(self, dice: Dice) -> Mesh:
        """Build one, turned, standing on the middle of y = 0 and as large as its space allows."""
        mesh = self.build(dice).turned("y", dice.between(-self.sway, self.sway))
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        wide, tall, deep = (float(side) for side in high - low)
        size = min(WIDEST / max(wide, deep), HIGHEST / tall) * dice.between(0.92, 1.0)
        middle = (low + high) / 2
        return mesh.moved(-float(middle[0]), -float(low[1]), -float(middle[2])).scaled(size)


def footprint(mesh: Mesh) -> tuple[float, float]:
    """Return half the width and half the depth of the mesh's lower part, for its shadow."""
    low = mesh.vertices[mesh.vertices[:, 1] < 0.5 * mesh.vertices[:, 1].max()]
    half = np.abs(low).max(axis=0)
    return float(half[0]), float(half[2])

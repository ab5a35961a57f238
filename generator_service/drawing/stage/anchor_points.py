"""Name the anchor points of props for every relation. `views.py` places them.

On the floor to the left or right there are two places, beside each other. On the furniture and under it there is a
middle place for one prop, and two places for two props.
"""

from dataclasses import dataclass
from itertools import product

from generator_service.drawing.exact import Dice

RELATIONS = ("on", "under", "left", "right")


@dataclass(frozen=True)
class Anchor:
    """A place (x, z) on a support: the floor, or the top of a table or chair. `stray`: the most that x may be off."""

    name: str
    support: str
    x: float
    z: float
    stray: float

    def place(self, dice: Dice) -> tuple[float, float]:
        return self.x + dice.between(-self.stray, self.stray), self.z + dice.between(-0.05, 0.05)


def anchors_of(furniture: str, relation: str, number: int) -> tuple[tuple[str, ...], ...]:
    """Return the ways in which so many props stand in the relation. Each way names one anchor point a prop."""
    if relation in ("left", "right"):
        near, far = f"{relation}-near", f"{relation}-far"
        return ((near,), (far,)) if number == 1 else ((near, far),)
    at = furniture if relation == "on" else "under"
    return ((f"{at}-middle",),) if number == 1 else ((f"{at}-left", f"{at}-right"),)


def states() -> list[tuple[str, str, int]]:
    """List every (furniture, relation, number)."""
    return list(product(("table", "chair"), RELATIONS, (1, 2)))

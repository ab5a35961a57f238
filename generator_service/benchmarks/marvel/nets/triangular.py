"""Tetrahedra and octahedra as solids of reassembling puzzles: their faces, nets, rotations and views.

A solid is its faces, each three corners clockwise as seen from outside. Corners are numbers; nothing else is needed to
fold: rolled over an edge, a solid lies on the other face of that edge. A printed mark points with its top to a corner.

A net lies on rows of triangles that point up and down in turn, its print towards the viewer, and is folded away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TypeAlias

from tetrad.streams import Stream

Cell: TypeAlias = tuple[int, int]
"""Column and row of a triangle. It points up if their sum is even."""
Spot: TypeAlias = tuple[int, int]
"""A corner of triangles on the page: x in half edges to the right, y in rows downwards."""
Corners: TypeAlias = tuple[int, int, int]
Printed: TypeAlias = Mapping[frozenset[int], tuple[int, int]]
"""Of each face, by its corners: the mark, and the corner that its top points to."""
View: TypeAlias = tuple[int, ...]

SIDES = 3


@dataclass(frozen=True)
class TriangularSolid:
    """all_faces: those that a view shows come first; a mark with turn 0 points to the first corner of its face.

    nets: cells of each net, as (column, row), row down.
    """

    name: str
    all_faces: tuple[Corners, ...]
    seen: int
    nets: tuple[tuple[Cell, ...], ...]
    marks: int = 8
    turns: int = SIDES

    @property
    def faces(self) -> int:
        return len(self.all_faces)

    @cached_property
    def beyond(self) -> Mapping[tuple[int, int], int]:
        """The third corner of the face along whose border one goes from the first corner to the second, clockwise."""
        return {(f[at], f[(at + 1) % 3]): f[(at + 2) % 3] for f in self.all_faces for at in range(SIDES)}

    @cached_property
    def rotations(self) -> tuple[tuple[int, ...], ...]:
        """The ways to turn the solid into itself: where each corner goes."""
        corners = len({corner for face in self.all_faces for corner in face})
        return tuple(
            to
            for to in permutations(range(corners))
            if all(self.beyond.get((to[a], to[b])) == to[c] for a, b, c in self.all_faces)
        )

    def fold(self, cells: Sequence[Cell]) -> dict[Cell, Corners]:
        """Roll the solid over the net. Return the corners of the face that each cell becomes, from `spots_of`."""
        folded = {cells[0]: self.all_faces[0]}
        waiting = [cells[0]]
        while waiting:
            cell = waiting.pop()
            at = dict(zip(spots_of(cell), folded[cell], strict=True))
            spots = spots_of(cell)
            for place in range(SIDES):
                a, b = spots[place], spots[(place + 1) % SIDES]
                other = _across(cell, a, b)
                if other in cells and other not in folded:
                    known = {a: at[a], b: at[b]}
                    third = self.beyond[at[b], at[a]]
                    x, y, z = (known.get(spot, third) for spot in spots_of(other))
                    folded[other] = (x, y, z)
                    waiting.append(other)
        return folded

    def is_possible(self, printed: Printed, view: View, likeness: int) -> bool:
        """Tell whether some turn of the solid shows this view."""
        return any(self._shows(printed, view, likeness, to) for to in self.rotations)

    def _shows(self, printed: Printed, view: View, likeness: int, to: Sequence[int]) -> bool:
        for place, corners in enumerate(self.all_faces[: self.seen]):
            mark, top = printed[frozenset(to[corner] for corner in corners)]
            if mark != view[2 * place] or (likeness > 1 and top != to[corners[view[2 * place + 1]]]):
                return False
        return True

    def same(self, view: View, likeness: int) -> frozenset[tuple[int, ...]]:
        """Return the view, and what it becomes by turns that leave the same places in sight."""
        shown = self.all_faces[: self.seen]
        places = {frozenset(corners): place for place, corners in enumerate(shown)}
        found = set()
        for to in self.rotations:
            moved = [tuple(to[corner] for corner in corners) for corners in shown]
            if {frozenset(corners) for corners in moved} == places.keys():
                turned = [0] * len(view)
                for at, corners in enumerate(moved):
                    place = places[frozenset(corners)]
                    top = shown[place].index(corners[view[2 * at + 1]])
                    turned[2 * place : 2 * place + 2] = [view[2 * at], top if likeness > 1 else 0]
                found.add(tuple(turned))
        return frozenset(found)

    def net(
        self, view: View, wrong: Sequence[View], likeness: int, marks: Sequence[int], stream: Stream
    ) -> tuple[int, ...] | None:
        """Draw a solid that shows the view. Return its net, or None if it shows one of the wrong ones, too."""
        printed = self._showing(view, marks, stream)
        if any(self.is_possible(printed, other, likeness) for other in wrong):
            return None
        net, to = stream.below(len(self.nets)), stream.choice(self.rotations)
        cells = lay_net(self.nets[net], stream.below(6), mirrored=bool(stream.below(2)))
        values = [net]
        for cell, corners in sorted(self.fold(cells).items()):
            moved = [to[corner] for corner in corners]
            mark, top = printed[frozenset(moved)]
            values += [*cell, mark, moved.index(top)]
        return tuple(values)

    def _showing(self, view: View, marks: Sequence[int], stream: Stream) -> Printed:
        """Complete a view to a solid: the other marks lie behind in a drawn order, each with a drawn turn."""
        hidden = stream.shuffle([mark for mark in marks if mark not in view[::2]])
        behind = [value for mark in hidden for value in (mark, stream.below(SIDES))]
        values = (*view, *behind)
        return {
            frozenset(corners): (values[2 * at], corners[values[2 * at + 1]])
            for at, corners in enumerate(self.all_faces)
        }


def spots_of(cell: Cell) -> tuple[Spot, Spot, Spot]:
    """Return the corners of a triangle clockwise, the one that it points to first."""
    x, y = cell
    if (x + y) % 2 == 0:
        return (x + 1, y), (x + 2, y + 1), (x, y + 1)
    return (x + 1, y + 1), (x, y), (x + 2, y)


def _across(cell: Cell, a: Spot, b: Spot) -> Cell:
    """Return the triangle on the other side of the edge from a to b."""
    x, y = cell
    if a[1] == b[1]:
        return (x, y + 1) if (x + y) % 2 == 0 else (x, y - 1)
    return (x + 1, y) if a[0] + b[0] > 2 * x + 2 else (x - 1, y)


def lay_net(cells: Sequence[Cell], sixth: int, *, mirrored: bool) -> tuple[Cell, ...]:
    """Return a net's cells turned by sixths of a turn and flipped on the page, as far up and left as they go."""
    found = []
    for cell in cells:
        spots = [_turn_spot((-x, y) if mirrored else (x, y), sixth) for x, y in spots_of(cell)]
        found.append((min(x for x, _ in spots), min(y for _, y in spots)))
    top = min(y for _, y in found)
    left = min(x for x, _ in found)
    left -= (left + top) % 2  # by an even distance: triangles go on pointing where they did
    return tuple((x - left, y - top) for x, y in found)


def _turn_spot(spot: Spot, sixth: int) -> Spot:
    """Turn a corner about the corner (0, 1)."""
    along, down = (spot[0] - (spot[1] - 1)) // 2, spot[1] - 1
    for _ in range(sixth % 6):
        along, down = -down, along + down
    return 2 * along + down, down + 1


TETRAHEDRON = TriangularSolid(
    name="tetrahedron",
    # Corners: 0 the tip, 1 in front, 2 on the left, 3 on the right.
    all_faces=((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)),
    seen=2,
    nets=(((0, 0), (0, 1), (1, 1), (1, 2)), ((1, 0), (2, 0), (2, 1), (3, 0))),
)
OCTAHEDRON = TriangularSolid(
    name="octahedron",
    # Corners: 0 in front, 1 on the left, 2 at the top, 3 on the right, 4 at the bottom, 5 behind.
    all_faces=((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (5, 2, 1), (5, 3, 2), (5, 4, 3), (5, 1, 4)),
    seen=4,
    nets=(
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)),
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 2)),
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (1, 4)),
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 2)),
        ((0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (3, 1)),
        ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 2), (2, 3)),
        ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3)),
        ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 3), (3, 2)),
        ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3)),
        ((0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 2)),
        ((0, 1), (1, 1), (1, 2), (2, 1), (3, 1), (4, 0), (4, 1), (5, 1)),
    ),
)

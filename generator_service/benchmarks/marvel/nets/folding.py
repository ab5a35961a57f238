"""Fold nets to cubes, in whole-number vectors.

A net is seen from its printed side and folded away from the viewer, so that the print is outside. A face has an
outward normal and an up; its right is up x normal. A mark turned by r quarter turns clockwise points up, right, down
or left of its face.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple, TypeAlias

from generator_service.cache_budget import cache_within_budget

Vector: TypeAlias = tuple[int, int, int]
Cell: TypeAlias = tuple[int, int]

# The eleven nets, as (column, row), row down.
NETS: tuple[tuple[Cell, ...], ...] = (
    ((0, 1), (1, 1), (2, 1), (3, 1), (0, 0), (0, 2)),
    ((0, 1), (1, 1), (2, 1), (3, 1), (0, 0), (1, 2)),
    ((0, 1), (1, 1), (2, 1), (3, 1), (0, 0), (2, 2)),
    ((0, 1), (1, 1), (2, 1), (3, 1), (0, 0), (3, 2)),
    ((0, 1), (1, 1), (2, 1), (3, 1), (1, 0), (1, 2)),
    ((0, 1), (1, 1), (2, 1), (3, 1), (1, 0), (2, 2)),
    ((0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (1, 2)),
    ((0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (2, 2)),
    ((0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (3, 2)),
    ((0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (4, 1)),
    ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)),
)


class Frame(NamedTuple):
    """The position of a face in space."""

    normal: Vector
    up: Vector

    @property
    def right(self) -> Vector:
        return cross(self.up, self.normal)

    def pointing(self, turn: int) -> Vector:
        """Return the direction of a mark that is turned clockwise by `turn` quarter turns."""
        return _around_face(self.normal, self.up)[turn % 4]

    def turn_of(self, direction: Vector) -> int:
        return _around_face(self.normal, self.up).index(direction)


class Face(NamedTuple):
    """One printed face of a cube: outward normal, mark, and the mark's direction."""

    normal: Vector
    mark: int
    direction: Vector


# The three faces that a picture of a cube shows, and what is up on each.
VISIBLE = (
    Frame((1, 0, 0), (0, 0, 1)),
    Frame((0, 1, 0), (0, 0, 1)),
    Frame((0, 0, 1), (-1, 0, 0)),
)
View: TypeAlias = tuple[int, ...]
"""Mark and turn of each visible face: (mark, turn) for +x, +y, +z."""


@cache_within_budget(64)
def _around_face(normal: Vector, up: Vector) -> tuple[Vector, ...]:
    """Return up, right, down and left of a face."""
    right = cross(up, normal)
    return up, right, negative(up), negative(right)


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def negative(vector: Vector) -> Vector:
    return -vector[0], -vector[1], -vector[2]


def fold(cells: Sequence[Cell]) -> Mapping[Cell, Frame]:
    """Roll a cube over the net: the frame of the face that each cell becomes."""
    frames = {cells[0]: Frame((0, 0, 1), (0, 1, 0))}
    waiting = [cells[0]]
    while waiting:
        column, row = waiting.pop()
        for cell, frame in _around((column, row), frames[column, row]):
            if cell in cells and cell not in frames:
                frames[cell] = frame
                waiting.append(cell)
    return frames


def _around(at: Cell, frame: Frame) -> Iterator[tuple[Cell, Frame]]:
    (column, row), (normal, up), right = at, frame, frame.right
    yield (column + 1, row), Frame(right, up)
    yield (column - 1, row), Frame(negative(right), up)
    yield (column, row - 1), Frame(up, negative(normal))
    yield (column, row + 1), Frame(negative(up), normal)


def lay_net(net: int, quarter: int, *, mirrored: bool) -> tuple[Cell, ...]:
    """Return a net's cells turned and flipped on the page, its corner at (0, 0)."""
    cells = [(-x, y) if mirrored else (x, y) for x, y in NETS[net]]
    for _ in range(quarter % 4):
        cells = [(-y, x) for x, y in cells]
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return tuple((x - left, y - top) for x, y in cells)


Rotation: TypeAlias = tuple[Vector, Vector, Vector]
"""The rows of a rotation matrix."""


@cache_within_budget(1)
def rotations() -> tuple[Rotation, ...]:
    """Return the 24 ways to turn a cube."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            rows = [tuple(sign * (place == at) for place in range(3)) for at, sign in zip(order, signs, strict=True)]
            x, y, z = ((row[0], row[1], row[2]) for row in rows)
            if cross(x, y) == z:
                found.append((x, y, z))
    return tuple(found)


def rotate(rotation: Rotation, vector: Vector) -> Vector:
    x, y, z = (row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] for row in rotation)
    return x, y, z


def is_possible(cube: Sequence[Face], view: View, likeness: int) -> bool:
    """Tell whether some turn of the cube shows this view. A mark looks alike after every `likeness` quarter turns."""
    wanted = {frame.normal: (view[2 * at], view[2 * at + 1]) for at, frame in enumerate(VISIBLE)}
    frames = {frame.normal: frame for frame in VISIBLE}
    for rotation in rotations():
        seen = 0
        for face in cube:
            normal = rotate(rotation, face.normal)
            if normal in wanted:
                mark, turn = wanted[normal]
                same = frames[normal].turn_of(rotate(rotation, face.direction)) - turn
                seen += face.mark == mark and same % likeness == 0
        if seen == len(VISIBLE):
            return True
    return False

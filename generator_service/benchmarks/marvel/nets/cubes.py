"""Cubes as solids of reassembling puzzles: views of a corner, and the nets that fold to a cube."""

from collections.abc import Sequence

from generator_service.benchmarks.marvel.nets.folding import (
    NETS,
    VISIBLE,
    Face,
    View,
    fold,
    is_possible,
    lay_net,
    negative,
    rotate,
    rotations,
)
from tetrad.streams import Stream


class Cube:
    """A cube, of which a view shows the three faces at a corner."""

    name = "cube"
    faces, seen, turns, marks = 6, 3, 4, 6

    def same(self, view: View, likeness: int) -> frozenset[tuple[tuple[int, int], ...]]:
        return corner_of(view, likeness)

    def net(
        self, view: View, wrong: Sequence[View], likeness: int, marks: Sequence[int], stream: Stream
    ) -> tuple[int, ...] | None:
        """Draw a cube that shows the view. Return its net, or None if it shows one of the wrong ones, too."""
        cube = _cube_showing(view, marks, stream)
        return None if any(is_possible(cube, other, likeness) for other in wrong) else _net_of(cube, stream)


def corner_of(view: View, likeness: int) -> frozenset[tuple[tuple[int, int], ...]]:
    """Return the view and its two turns about the corner. Turns of a mark that look alike count as one."""
    return frozenset(tuple((mark, turn % likeness) for mark, turn in _about_corner(view, times)) for times in range(3))


def _about_corner(view: View, times: int) -> list[tuple[int, int]]:
    """Turn a view about its corner: x goes to y, y to z, z to x."""
    faces = [(at, view[2 * at], VISIBLE[at].pointing(view[2 * at + 1])) for at in range(3)]
    for _ in range(times):
        faces = [((at + 1) % 3, mark, (d[2], d[0], d[1])) for at, mark, d in faces]
    return [(mark, VISIBLE[at].turn_of(direction)) for at, mark, direction in sorted(faces)]


def _cube_showing(view: View, marks: Sequence[int], stream: Stream) -> tuple[Face, ...]:
    """Complete a view to a cube. The other three marks lie behind in a drawn order, each with a drawn turn."""
    front = [Face(frame.normal, view[2 * at], frame.pointing(view[2 * at + 1])) for at, frame in enumerate(VISIBLE)]
    rest = stream.shuffle([mark for mark in marks if mark not in view[::2]])
    behind = [
        Face(negative(frame.normal), mark, frame.pointing(stream.below(4)))
        for frame, mark in zip(VISIBLE, rest, strict=True)
    ]
    return (*front, *behind)


def _net_of(cube: tuple[Face, ...], stream: Stream) -> tuple[int, ...]:
    """Unfold the cube along one of the eleven nets: (net, then column, row, mark, turn of each cell)."""
    net = stream.below(len(NETS))
    cells = lay_net(net, stream.below(4), mirrored=bool(stream.below(2)))
    rotation = stream.choice(rotations())
    turned = {rotate(rotation, face.normal): face for face in cube}
    values = [net]
    for cell, frame in sorted(fold(cells).items()):
        face = turned[frame.normal]
        values += [*cell, face.mark, frame.turn_of(rotate(rotation, face.direction))]
    return tuple(values)

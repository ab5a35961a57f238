"""Draw figures of a given symmetry, made of strokes or of tiles.

All live on small lattices, so that "has this symmetry and no other" is a fact about whole numbers.
"""

from collections import Counter
from typing import NamedTuple

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.vector import MIDDLE, Point
from tetrad.streams import Stream

Cell = tuple[int, int]

# The symmetries of a square, y down: where (x, y) goes.
_TURN = ((0, -1), (1, 0))
ELEMENTS: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "same": ((1, 0), (0, 1)),
    "quarter": _TURN,
    "half": ((-1, 0), (0, -1)),
    "three quarters": ((0, 1), (-1, 0)),
    "vertical": ((-1, 0), (0, 1)),
    "horizontal": ((1, 0), (0, -1)),
    "rising": ((0, -1), (-1, 0)),
    "falling": ((0, 1), (1, 0)),
}
GROUPS: dict[str, tuple[str, ...]] = {
    "none": ("same",),
    "vertical": ("same", "vertical"),
    "rising": ("same", "rising"),
    "horizontal": ("same", "horizontal"),
    "falling": ("same", "falling"),
    "half turn": ("same", "half"),
    "two axes": ("same", "half", "vertical", "horizontal"),
}
Stroke = frozenset[Cell]


def _image(element: str, point: Cell) -> Cell:
    (a, b), (c, d) = ELEMENTS[element]
    return a * point[0] + b * point[1], c * point[0] + d * point[1]


def symmetry_of(strokes: frozenset[Stroke]) -> frozenset[str]:
    """Return the elements of the square's symmetries that leave the figure as it is, about its own middle."""
    points = [point for stroke in strokes for point in stroke]
    across, down = ((min(part) + max(part)) for part in zip(*points, strict=True))
    middled = frozenset(frozenset((2 * x - across, 2 * y - down) for x, y in stroke) for stroke in strokes)
    # An image has as many strokes as the figure, so it equals the figure if all its strokes are in it.
    return frozenset(
        name
        for name in ELEMENTS
        if all(frozenset(_image(name, point) for point in stroke) in middled for stroke in middled)
    )


_STEPS: tuple[Cell, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
STROKES, TILES = 12, 8  # of every such figure: a number that varied by chance might follow a rule by accident
_WALK = 60


@cache_within_budget(8192)
def strokes_with(group: str, seed: int, number: int = STROKES) -> frozenset[Stroke]:
    """Draw strokes on a five by five lattice, all joined and none crossing, whose symmetries are just this group's."""
    stream = Stream("tetrad/marvel/strokes", 1, group, seed)
    wanted, fixed = frozenset(GROUPS[group]), _fixed_points(group)
    while True:
        found = _walk_lattice(group, stream.choice(fixed), number, stream)
        if len(found) == number and _is_large(found) and symmetry_of(found) == wanted:
            counted = tally(found)
            if counted.pieces == 1 and counted.crossings == 0:
                return found


def _walk_lattice(group: str, at: Cell, number: int, stream: Stream) -> frozenset[Stroke]:
    """Walk from lattice point to lattice point, each stroke with its images."""
    strokes: set[Stroke] = set()
    for _ in range(_WALK):
        dx, dy = stream.choice(_STEPS)
        to = (at[0] + dx, at[1] + dy)
        if max(abs(to[0]), abs(to[1])) > 2:  # noqa: PLR2004 - the lattice's edge
            continue
        strokes |= _images(group, at, to)
        at = to
        if len(strokes) >= number:
            break
    return frozenset(strokes)


@cache_within_budget(4096)
def _images(group: str, start: Cell, end: Cell) -> frozenset[Stroke]:
    return frozenset(frozenset((_image(name, start), _image(name, end))) for name in GROUPS[group])


@cache_within_budget(16)
def _fixed_points(group: str) -> tuple[Cell, ...]:
    """Return the lattice points that are their own images. A walk that starts there is joined to its images."""
    lattice = ((x, y) for x in range(-2, 3) for y in range(-2, 3))
    return tuple(at for at in lattice if all(_image(name, at) == at for name in GROUPS[group]))


class Tally(NamedTuple):
    """The counts of a figure of strokes; regions are those that strokes enclose."""

    pieces: int
    crossings: int
    regions: int


@cache_within_budget(8192)
def tally(strokes: frozenset[Stroke]) -> Tally:
    """Count by Euler's formula; two strokes cross in the middle of a cell only."""
    middles = Counter(_middle(stroke) for stroke in strokes)
    crossings = sum(number > 1 for number in middles.values())
    joined: list[frozenset[tuple[object, ...]]] = []
    for stroke in strokes:
        touched = frozenset((*stroke, ("middle", *_middle(stroke))))
        joined = [piece for piece in joined if not piece & touched] + [
            touched.union(*(piece for piece in joined if piece & touched))
        ]
    points = {point for stroke in strokes for point in stroke}
    regions = len(strokes) + crossings - len(points) + len(joined)
    return Tally(len(joined), crossings, regions)


def _middle(stroke: Stroke) -> Cell:
    """Return twice the middle of a stroke, whole numbers."""
    (a, b), (c, d) = stroke
    return a + c, b + d


def _is_large(strokes: frozenset[Stroke]) -> bool:
    """Tell whether the figure spans the lattice, or all but one step, both ways. Small figures hide asymmetries."""
    points = [point for stroke in strokes for point in stroke]
    return all(max(part) - min(part) >= 3 for part in zip(*points, strict=True))  # noqa: PLR2004 - of four steps


@cache_within_budget(8192)
def tiles_with(group: str, seed: int) -> frozenset[Cell]:
    """Draw cells of a five by five board whose symmetries are this group's, and no more."""
    stream = Stream("tetrad/marvel/tiles", 1, group, seed)
    wanted = frozenset(GROUPS[group])
    while True:
        cells: set[Cell] = set()
        while len(cells) < TILES:
            cell = (stream.below(5) - 2, stream.below(5) - 2)
            cells |= {_image(name, cell) for name in GROUPS[group]}
        alone = frozenset(frozenset((cell,)) for cell in cells)
        if len(cells) == TILES and _is_large(alone) and symmetry_of(alone) == wanted:
            return frozenset(cells)


def lattice_point(cell: Cell, spacing: float) -> Point:
    return MIDDLE[0] + spacing * cell[0], MIDDLE[1] + spacing * cell[1]

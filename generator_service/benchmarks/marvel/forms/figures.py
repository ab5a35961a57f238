"""Figures drawn for one puzzle alone: lopsided ones that show every turn and mirroring, and ones of a given symmetry.

All live on small lattices, so that "has this symmetry and no other" is a fact about whole numbers.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from generator_service.benchmarks.marvel.forms.form import colored, outline_of, shade_of
from generator_service.benchmarks.marvel.forms.words import listed
from generator_service.benchmarks.marvel.spec import GEOMETRIC, Look
from generator_service.drawing.vector import BLACK, GREY, MIDDLE, Pen, Point, moved
from tetrad.streams import Stream

Cell = tuple[int, int]
Cells = frozenset[Cell]
_CELLS = 6
_ARROW = (
    (0.0, -400.0),
    (150.0, -190.0),
    (52.0, -190.0),
    (52.0, 400.0),
    (-52.0, 400.0),
    (-52.0, -190.0),
    (-150.0, -190.0),
)


@dataclass(frozen=True)
class Lopsided:
    """A figure without any symmetry: `draw` it turned by so many degrees; `words` say what it is, upright."""

    draw: Callable[[Pen, float], None]
    words: str


def four_figures(look: Look) -> tuple[Lopsided, ...]:
    """Return two figures, each followed by its mirror image."""
    make = _arrow_with if look.shape == GEOMETRIC else _block_figure
    return tuple(make(look, number) for number in range(4))


def _arrow_with(look: Look, number: int) -> Lopsided:
    """Draw an arrow with a small figure beside it: near the head or the tail, on its left or right."""
    side = 1 if number % 2 else -1
    along, where = ((-60.0, "the head"), (300.0, "the tail"))[number // 2]

    def draw(pen: Pen, degrees: float) -> None:
        pen.outline(moved(_ARROW, MIDDLE, 1.0, degrees), shade=shade_of(look, 0), width=14)
        [at] = moved([(side * 215.0, along)], MIDDLE, 1.0, degrees)
        figure = outline_of(look, 1)
        pen.outline(moved(figure.points, at, 120, degrees), shade=shade_of(look, 1), width=14, smooth=figure.smooth)

    hand = "right" if side > 0 else "left"
    arrow = f"An arrow, {'black' if look.fills[0] else 'white'}"
    words = f"{arrow}, with a {colored(look, 1, 1)} on its {hand} side near {where}."
    return Lopsided(draw, words)


def _block_figure(look: Look, number: int) -> Lopsided:
    cells = block_figures(look.seed)[number // 2]
    shown = mirrored(cells) if number % 2 else normal(cells)
    across, down = max(x for x, _ in shown) + 1, max(y for _, y in shown) + 1
    placed = sorted((y, x) for x, y in shown)
    shade = BLACK if look.fills[0] else GREY

    def draw(pen: Pen, degrees: float) -> None:
        side = 175.0
        for row, column in placed:
            x, y = (column - across / 2) * side, (row - down / 2) * side
            square = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
            pen.outline(moved(square, MIDDLE, 1.0, degrees), shade=shade, width=12)

    rows = {row: [str(c + 1) for r, c in placed if r == row] for row, _ in placed}
    where = "; ".join(f"row {row + 1}: {listed(columns)}" for row, columns in rows.items())
    return Lopsided(
        draw,
        f"A block figure of {_CELLS} squares; upright, its squares stand in columns as follows. {where.capitalize()}.",
    )


def _turned(cells: Cells) -> Cells:
    return frozenset((-y, x) for x, y in cells)


def normal(cells: Cells) -> Cells:
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - top) for x, y in cells)


def turns(cells: Cells) -> list[Cells]:
    """Return the figure in its four quarter turns, each moved to the corner."""
    found = [cells]
    for _ in range(3):
        found.append(_turned(found[-1]))
    return [normal(one) for one in found]


def mirrored(cells: Cells) -> Cells:
    return normal(frozenset((-x, y) for x, y in cells))


def _is_lopsided(cells: Cells) -> bool:
    return len({*turns(cells), *turns(mirrored(cells))}) == 8  # noqa: PLR2004 - four turns of two images


@lru_cache(maxsize=4096)
def block_figures(seed: int, number: int = 2, box: Cell = (2, 3)) -> tuple[Cells, ...]:
    """Return polyominoes of six cells, lopsided, no wider than the box, none an image of another."""
    stream = Stream("tetrad/marvel/blocks", 1, seed)
    found: list[Cells] = []
    images: set[Cells] = set()
    while len(found) < number:
        figure = _blocks(stream, box)
        if figure not in images:
            found.append(figure)
            images |= {*turns(figure), *turns(mirrored(figure))}
    return tuple(found)


def _blocks(stream: Stream, box: Cell) -> Cells:
    while True:
        cells = {(0, 0)}
        while len(cells) < _CELLS:
            x, y = stream.choice(sorted(cells))
            dx, dy = stream.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            cells.add((x + dx, y + dy))
        found = normal(frozenset(cells))
        reach = sorted((max(x for x, _ in found), max(y for _, y in found)))
        if reach[0] <= box[0] and reach[1] <= box[1] and _is_lopsided(found):
            return found


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
    "two slanted axes": ("same", "half", "rising", "falling"),
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
    return frozenset(
        name
        for name in ELEMENTS
        if frozenset(frozenset(_image(name, point) for point in stroke) for stroke in middled) == middled
    )


@lru_cache(maxsize=8192)
def strokes_with(group: str, seed: int) -> frozenset[Stroke]:
    """Draw strokes on a five by five lattice whose symmetries are this group's, and no more."""
    stream = Stream("tetrad/marvel/strokes", 1, group, seed)
    wanted, least = frozenset(GROUPS[group]), 8
    while True:
        strokes: set[Stroke] = set()
        at = (stream.below(5) - 2, stream.below(5) - 2)
        for _ in range(40):
            dx, dy = stream.choice(((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)))
            to = (at[0] + dx, at[1] + dy)
            if max(abs(to[0]), abs(to[1])) > 2:  # noqa: PLR2004 - the lattice's edge
                continue
            strokes |= {frozenset((_image(name, at), _image(name, to))) for name in GROUPS[group]}
            at = to
            if len(strokes) >= least:
                break
        found = frozenset(strokes)
        if found and symmetry_of(found) == wanted and len(found) <= least + 3 and _is_large(found):
            return found


class Tally(NamedTuple):
    """What can be counted in a figure of strokes; regions are those that strokes enclose."""

    parts: int
    pieces: int
    crossings: int
    regions: int


@lru_cache(maxsize=8192)
def tally(strokes: frozenset[Stroke]) -> Tally:
    """Count by Euler's formula; two strokes cross in the middle of a cell only."""
    middles = Counter(_middle(stroke) for stroke in strokes)
    crossings = sum(number > 1 for number in middles.values())
    joined: list[frozenset[tuple[object, ...]]] = []
    for stroke in strokes:
        touched = frozenset((*stroke, ("middle", *_middle(stroke))))
        joined = [one for one in joined if not one & touched] + [
            touched.union(*(one for one in joined if one & touched))
        ]
    points = {point for stroke in strokes for point in stroke}
    regions = len(strokes) + crossings - len(points) + len(joined)
    return Tally(len(strokes), len(joined), crossings, regions)


def _middle(stroke: Stroke) -> Cell:
    """Return twice the middle of a stroke, whole numbers."""
    (a, b), (c, d) = stroke
    return a + c, b + d


def _is_large(strokes: frozenset[Stroke]) -> bool:
    """Does it span the lattice but for one step both ways: small figures hide what is lopsided about them."""
    points = [point for stroke in strokes for point in stroke]
    return all(max(part) - min(part) >= 3 for part in zip(*points, strict=True))  # noqa: PLR2004 - of four steps


@lru_cache(maxsize=8192)
def tiles_with(group: str, seed: int) -> frozenset[Cell]:
    """Draw cells of a five by five board whose symmetries are this group's, and no more."""
    stream = Stream("tetrad/marvel/tiles", 1, group, seed)
    wanted = frozenset(GROUPS[group])
    while True:
        cells: set[Cell] = set()
        while len(cells) < 8:  # noqa: PLR2004 - a third of the board
            cell = (stream.below(5) - 2, stream.below(5) - 2)
            cells |= {_image(name, cell) for name in GROUPS[group]}
        alone = frozenset(frozenset((cell,)) for cell in cells)
        if symmetry_of(alone) == wanted and len(cells) <= 11 and _is_large(alone):  # noqa: PLR2004 - under half the board
            return frozenset(cells)


def lattice_point(cell: Cell, spacing: float) -> Point:
    return MIDDLE[0] + spacing * cell[0], MIDDLE[1] + spacing * cell[1]

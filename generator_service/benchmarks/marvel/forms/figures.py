"""Draw figures for one puzzle alone, without any symmetry, so that they show every turn and mirroring."""

from collections.abc import Callable
from dataclasses import dataclass

from generator_service.benchmarks.marvel.forms.form import name_colored, outline_of, shade_of
from generator_service.benchmarks.marvel.forms.words import list_words
from generator_service.benchmarks.marvel.spec import GEOMETRIC, Look
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.vector import BLACK, GREY, MIDDLE, Pen, move_path
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
    """A figure without any symmetry. `draw` draws it turned by some degrees; `words` describe it upright."""

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
        pen.outline(move_path(_ARROW, MIDDLE, 1.0, degrees), shade=shade_of(look, 0), width=14)
        [at] = move_path([(side * 215.0, along)], MIDDLE, 1.0, degrees)
        figure = outline_of(look, 1)
        pen.outline(move_path(figure.points, at, 120, degrees), shade=shade_of(look, 1), width=14, smooth=figure.smooth)

    hand = "right" if side > 0 else "left"
    arrow = f"An arrow, {'black' if look.fills[0] else 'white'}"
    words = f"{arrow}, with a {name_colored(look, 1, 1)} on its {hand} side near {where}."
    return Lopsided(draw, words)


def _block_figure(look: Look, number: int) -> Lopsided:
    cells = block_figures(look.seed)[number // 2]
    shown = mirror_cells(cells) if number % 2 else normal(cells)
    across, down = max(x for x, _ in shown) + 1, max(y for _, y in shown) + 1
    placed = sorted((y, x) for x, y in shown)
    shade = BLACK if look.fills[0] else GREY

    def draw(pen: Pen, degrees: float) -> None:
        side = 175.0
        for row, column in placed:
            x, y = (column - across / 2) * side, (row - down / 2) * side
            square = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
            pen.outline(move_path(square, MIDDLE, 1.0, degrees), shade=shade, width=12)

    rows = {row: [str(c + 1) for r, c in placed if r == row] for row, _ in placed}
    where = "; ".join(f"row {row + 1}: {list_words(columns)}" for row, columns in rows.items())
    what = f"A {'black' if look.fills[0] else 'grey'} block figure of {_CELLS} squares"
    standing = f"upright, its squares stand in columns as follows. {where.capitalize()}."
    return Lopsided(draw, f"{what}; {standing}")


def _turn_cells(cells: Cells) -> Cells:
    return frozenset((-y, x) for x, y in cells)


def normal(cells: Cells) -> Cells:
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - top) for x, y in cells)


def turns(cells: Cells) -> list[Cells]:
    """Return the figure in its four quarter turns, each moved to the corner."""
    found = [cells]
    for _ in range(3):
        found.append(_turn_cells(found[-1]))
    return [normal(figure) for figure in found]


def mirror_cells(cells: Cells) -> Cells:
    return normal(frozenset((-x, y) for x, y in cells))


def _is_lopsided(cells: Cells) -> bool:
    return len({*turns(cells), *turns(mirror_cells(cells))}) == 8  # noqa: PLR2004 - four turns of two images


@cache_within_budget(4096)
def block_figures(seed: int, number: int = 2, box: Cell = (2, 3)) -> tuple[Cells, ...]:
    """Return polyominoes of six cells, lopsided, no wider than the box, none an image of another."""
    stream = Stream("tetrad/marvel/blocks", 1, seed)
    found: list[Cells] = []
    images: set[Cells] = set()
    while len(found) < number:
        figure = _blocks(stream, box)
        if figure not in images:
            found.append(figure)
            images |= {*turns(figure), *turns(mirror_cells(figure))}
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

"""Describe panels in words: exactly enough to solve the puzzle, and nothing that can't be seen."""

from collections.abc import Mapping
from typing import NamedTuple

from generator_service.benchmarks.marvel import wording
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.form import with_article
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.nets.puzzles import is_net
from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import SOLID, Panel, Puzzle

_NET_WAYS = ("up", "right", "down", "left")
_UP_WAYS, _DOWN_WAYS = ("up", "lower right", "lower left"), ("down", "upper left", "upper right")


class Seen(NamedTuple):
    """The faces of a solid that a view shows, and for each the ways in which the top of a mark can point."""

    opening: str
    faces: tuple[str, ...]
    ways: tuple[tuple[str, ...], ...]


SEEN: Mapping[str, Seen] = {
    "cube": Seen(
        "A cube, its three faces meeting at the near corner",
        ("left", "right", "top"),
        (
            ("up", "right, towards the front edge", "down", "left, away from the front edge"),
            ("up", "right, away from the front edge", "down", "left, towards the front edge"),
            ("towards the back right edge", "towards the right face", "towards the left face",
             "towards the back left edge"),
        ),
    ),
    "tetrahedron": Seen(
        "A tetrahedron on its base, two faces meeting at the front edge",
        ("left", "right"),
        (
            ("towards the tip", "towards the front corner", "towards the left corner"),
            ("towards the tip", "towards the right corner", "towards the front corner"),
        ),
    ),
    "octahedron": Seen(
        "An octahedron, four faces meeting at the front corner",
        ("upper left", "upper right", "lower right", "lower left"),
        (
            ("towards the front corner", "towards the left corner", "towards the top corner"),
            ("towards the front corner", "towards the top corner", "towards the right corner"),
            ("towards the front corner", "towards the right corner", "towards the bottom corner"),
            ("towards the front corner", "towards the bottom corner", "towards the left corner"),
        ),
    ),
}  # fmt: skip


def panel_words(puzzle: Puzzle, panel: Panel) -> str:
    if puzzle.pattern != SOLID:
        return FORMS[puzzle.form].describe(puzzle.look, panel)
    return _net_words(puzzle, panel) if is_net(panel) else _view_words(puzzle, panel)


def puzzle_words(puzzle: Puzzle, variant: str) -> str:
    """List what every panel shows, one line each."""
    solid = puzzle.pattern == SOLID
    lines = [wording.DESCRIBED]
    for number, panel in enumerate(puzzle.context, start=1):
        template = wording.DESCRIBED_NET if solid else wording.DESCRIBED_CONTEXT
        lines.append(template.format(number=number, words=panel_words(puzzle, panel)))
    for label, panel in zip(labels_of(variant), puzzle.choices, strict=True):
        lines.append(wording.DESCRIBED_CHOICE.format(label=label, words=panel_words(puzzle, panel)))
    return "\n".join(lines)


def _mark_words(puzzle: Puzzle, mark: int, turn: int, ways: tuple[str, ...]) -> str:
    """Name a mark and the direction of its top. If several turns look alike, the first of them is named."""
    family = MARK_FAMILIES[puzzle.family]
    name = with_article(family.names[mark])
    return name if family.likeness == 1 else f"{name}, its top {ways[turn % family.likeness]}"


def _net_words(puzzle: Puzzle, panel: Panel) -> str:
    cells = [panel.values[at : at + 4] for at in range(1, len(panel.values), 4)]
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    return "; ".join(_cell_words(puzzle, *cell) for cell in ordered) + "."


def _cell_words(puzzle: Puzzle, column: int, row: int, mark: int, turn: int) -> str:
    at = f"row {row + 1} column {column + 1}"
    if MARK_FAMILIES[puzzle.family].turns == len(_NET_WAYS):
        return f"{at}, {_mark_words(puzzle, mark, turn, _NET_WAYS)}"
    points_up = (column + row) % 2 == 0
    words = _mark_words(puzzle, mark, turn, _UP_WAYS if points_up else _DOWN_WAYS)
    return f"{at}, a triangle that points {'up' if points_up else 'down'}, {words}"


def _view_words(puzzle: Puzzle, panel: Panel) -> str:
    seen = SEEN[puzzle.form]
    parts = [
        f"on the {face} face, {_mark_words(puzzle, panel.values[2 * at], panel.values[2 * at + 1], seen.ways[at])}"
        for at, face in enumerate(seen.faces)
    ]
    return f"{seen.opening}; {'; '.join(parts)}."

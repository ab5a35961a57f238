"""Describe panels in words: exactly enough to solve the puzzle, and nothing that can't be seen."""

from generator_service.benchmarks.marvel import wording
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.form import one
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import SOLID, Panel, Puzzle

_NET_WAYS = ("up", "right", "down", "left")
CUBE_WAYS = (
    ("up", "right, towards the front edge", "down", "left, away from the front edge"),
    ("up", "right, away from the front edge", "down", "left, towards the front edge"),
    ("towards the back right edge", "towards the right face", "towards the left face", "towards the back left edge"),
)  # fmt: skip
_CUBE_FACES = ("the left face", "the right face", "the top face")


def panel_words(puzzle: Puzzle, panel: Panel) -> str:
    if puzzle.pattern != SOLID:
        return FORMS[puzzle.form].describe(puzzle.look, panel)
    return _cube_words(puzzle, panel) if len(panel.values) == 6 else _net_words(puzzle, panel)  # noqa: PLR2004 - mark and turn of three faces


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
    name = one(family.names[mark])
    return name if family.likeness == 1 else f"{name}, its top {ways[turn % family.likeness]}"


def _net_words(puzzle: Puzzle, panel: Panel) -> str:
    cells = [panel.values[1 + 4 * at : 5 + 4 * at] for at in range(6)]
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    return "; ".join(
        f"row {row + 1} column {column + 1}, {_mark_words(puzzle, mark, turn, _NET_WAYS)}"
        for column, row, mark, turn in ordered
    ) + "."  # fmt: skip


def _cube_words(puzzle: Puzzle, panel: Panel) -> str:
    parts = [
        f"on {_CUBE_FACES[at]}, {_mark_words(puzzle, panel.values[2 * at], panel.values[2 * at + 1], CUBE_WAYS[at])}"
        for at in range(3)
    ]
    return f"A cube, its three faces meeting at the near corner; {'; '.join(parts)}."

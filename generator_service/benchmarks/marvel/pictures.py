"""List an item's pictures in order: the questions use their names, the renderer their content.

Names are positions, "1" first. Solved examples come first, one sheet each. Then comes the puzzle: a sheet with labelled
choices, or one picture for each panel. If panels are to be counted, a sheet without labels comes last.
"""

import msgspec

from generator_service.benchmarks.marvel.spec import CHOICES, FULL, PANELS, Panel, Puzzle, Scene
from generator_service.cache_budget import cache_within_budget


class Sheet(msgspec.Struct, frozen=True):
    """A whole puzzle; `labels` under the choices, or none; a question mark in the blank, or nothing."""

    puzzle: Puzzle
    labels: tuple[str, ...]
    marked: bool = False


class Single(msgspec.Struct, frozen=True):
    """One panel of a puzzle alone."""

    puzzle: Puzzle
    panel: Panel


NUMBERS, LETTERS = ("1", "2", "3", "4"), ("A", "B", "C", "D")


def labels_of(variant: str) -> tuple[str, ...]:
    return LETTERS if variant == "letters" else NUMBERS


def contents(scene: Scene) -> dict[str, Sheet | Single]:
    """Return every picture of the item by name, in order."""
    labels, marked = labels_of(scene.variant), scene.variant == "question-mark"
    held: list[Sheet | Single] = [Sheet(puzzle, labels, marked) for puzzle in scene.demonstrations]
    puzzle = scene.puzzle
    if scene.variant == PANELS:
        held += [Single(puzzle, panel) for panel in (*puzzle.context, *puzzle.choices)]
    else:
        held.append(Sheet(puzzle, labels, marked))
    if scene.setting == FULL:
        held.append(Sheet(puzzle, (), marked))
    return {str(place): holding for place, holding in enumerate(held, start=1)}


@cache_within_budget(256)
def names_of(demonstrations: int, context: int, variant: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the names of the pictures of the context, of those of the choices, and of the sheet without labels.

    Both are one sheet unless every panel is a picture of its own.
    """
    first = demonstrations + 1
    if variant != PANELS:
        return (str(first),), (), str(first + 1)
    choices = range(first + context, first + context + CHOICES)
    return (
        tuple(str(place) for place in range(first, first + context)),
        tuple(map(str, choices)),
        str(first + context + CHOICES),
    )


def content(scene: Scene, name: str) -> Sheet | Single:
    """Return the picture's content; KeyError for a name that the scene does not have."""
    holdings = contents(scene)
    if name not in holdings:
        raise KeyError(f"picture {name!r} is not among {', '.join(holdings)}")
    return holdings[name]

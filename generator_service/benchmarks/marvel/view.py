"""Describe each picture of an item in plain data, for the solver, which sees nothing else."""

from collections.abc import Mapping
from typing import Any

import msgspec

from generator_service.benchmarks.marvel.describing import panel_words
from generator_service.benchmarks.marvel.pictures import Sheet, Single, content
from generator_service.benchmarks.marvel.spec import SOLID, Panel, Puzzle, Scene

CONTEXT, CHOICES, EXAMPLES = "context", "choices", "examples"


def holds(scene: Scene, name: str) -> Mapping[str, Any]:
    """Return the panels of one picture by part. A blank or a question mark is null.

    context: panels in reading order. choices: panels, each with the label below it or null. examples: context and
    choices of a solved example.
    """
    held = content(scene, name)
    if isinstance(held, Single):
        place = int(name) - len(scene.demonstrations) - 1
        panel = show_panel(held.puzzle, held.panel)
        return {CONTEXT: [panel]} if place < len(held.puzzle.context) else {CHOICES: [[None, panel]]}
    parts = _sheet(held)
    return {EXAMPLES: parts} if int(name) <= len(scene.demonstrations) else parts


def _sheet(held: Sheet) -> dict[str, Any]:
    puzzle, labels = held.puzzle, held.labels or (None,) * len(held.puzzle.choices)
    blank = [] if puzzle.pattern == SOLID else [None]
    context = [show_panel(puzzle, panel) for panel in puzzle.context] + blank
    choices = [[label, show_panel(puzzle, panel)] for label, panel in zip(labels, puzzle.choices, strict=True)]
    return {CONTEXT: context, CHOICES: choices}


def show_panel(puzzle: Puzzle, panel: Panel) -> dict[str, Any]:
    """Return one panel: the data that it is drawn from, and its description in words."""
    drawn = {
        "form": puzzle.form,
        "look": msgspec.to_builtins(puzzle.look),
        "values": list(panel.values),
        "seed": panel.seed,
        "words": panel_words(puzzle, panel),
    }
    return drawn | ({"marks": puzzle.family} if puzzle.pattern == SOLID else {})

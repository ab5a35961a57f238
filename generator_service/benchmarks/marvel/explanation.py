"""Why the key is what it is: one sentence a puzzle, for solution pages and for solved examples."""

from typing import cast

import msgspec

from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import GROUP, SOLID, Puzzle, Scene

_LAWS = {
    "constant": "stays the same within a line",
    "same": "is the same in all panels",
    "step": "moves on by the same step each time",
    "progression": "goes up or down by the same amount each time",
    "growing steps round": "moves on by a step that grows by one each time",
    "growing steps": "changes by an amount that grows by one each time",
    "alternation": "goes back and forth between two values",
    "by threes": "repeats after every three panels",
    "bounce": "moves one place at a time and turns back at the ends",
    "arrangement": "takes the same three values in every line, in another order",
    "framed": "is in the last panel of a line what it is in the first",
    "sum": "is in the third panel the sum of the two before",
    "difference": "is in the third panel the first less the second",
    "distance": "is in the third panel how far the two before are apart",
    "sum and one": "is in the third panel one more than the sum of the two before",
    "union": "in the third panel holds all that the two before hold",
    "overlap": "in the third panel holds what both before hold",
    "either, not both": "in the third panel holds what just one of the two before holds",
    "taken away": "in the third panel is the first without what the second holds",
    "sum of the two before": "is always the sum of the two before",
    "distance of the two before": "is always how far the two before are apart",
    "sum less one of the two before": "is always one less than the sum of the two before",
}
_WAYS = {"row": "along each row", "column": "down each column"}


def reason(puzzle: Puzzle) -> str:
    """Say what completes the puzzle, without naming the choice."""
    if puzzle.pattern == SOLID:
        return "Folding the flat faces brings three of them together in just one of the ways shown."
    parts = [_rule_words(rule) for rule in puzzle.rules]
    shared = "In both panels" if puzzle.configuration == GROUP else "From panel to panel"
    return f"{shared}, {' and '.join(parts)}."


def _rule_words(rule: str) -> str:
    field, _, law = rule.partition(": ")
    law, _, way = law.rpartition(" by ") if law.endswith((" by row", " by column")) else (law, "", "")
    return f"the {field} {_LAWS[law]}{f' {_WAYS[way]}' if way else ''}"


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return why the key is right, and the scene in plain data."""
    label = labels_of(scene.variant)[scene.puzzle.key]
    sentence = f"{reason(scene.puzzle)[:-1]}: choice ({label})."
    return sentence, cast("dict[str, object]", msgspec.to_builtins(scene))

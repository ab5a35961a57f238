"""Explain the key in one sentence a puzzle, for solution pages and solved examples."""

from typing import cast

import msgspec

from generator_service.benchmarks.marvel.pictures import labels_of
from generator_service.benchmarks.marvel.spec import GROUP, SEQUENCE, SOLID, Puzzle, Scene

# What a rule governs, by form and field, as a viewer would call it.
SUBJECTS = {
    ("ring", "place"): "the place of the figure",
    ("rings", "outer"): "the place on the outer ring",
    ("rings", "inner"): "the place on the inner ring",
    ("walk", "place"): "the place of the figure",
    ("line", "station"): "the place of the figure",
    ("pointer", "turn"): "the direction of the figure",
    ("pointer", "figure"): "the figure, however turned,",
    ("beads", "turn"): "the turn of the ring",
    ("beads", "figure"): "the ring of beads, however turned,",
    ("hands", "long"): "the direction of the long hand",
    ("hands", "gap"): "the angle from the long hand to the short one",
    ("patch", "figure"): "the patch of cells, wherever it lies,",
    ("pair", "relation"): "the relation of the two figures",
    ("zone", "zone"): "the part that holds the dot",
    ("beside", "side"): "the side on which the small figure stands",
    ("nest", "order"): "the order from outside to inside",
    ("row", "order"): "the order of the three figures",
    ("layers", "order"): "the order in which the figures cover each other",
    ("scatter", "count"): "the number of figures",
    ("polygon", "corners"): "the number of corners, points or lobes",
    ("strokes", "count"): "the number of lines",
    ("regions", "count"): "the number of pieces",
    ("crossings", "count"): "the number of crossings",
    ("tiles", "count"): "the number of filled cells",
    ("two sorts", "white"): "the number of white figures",
    ("two sorts", "black"): "the number of black figures",
    ("mosaic", "mask"): "the set of filled cells",
    ("lattice", "mask"): "the set of strokes",
    ("spokes", "mask"): "the set of spokes",
    ("axis", "axis"): "the direction of the mirror axis",
    ("symmetry", "class"): "the kind of symmetry",
    ("curve", "open"): "the kind of outline, open or closed,",
    ("curve", "curved"): "the kind of line, straight or curved,",
    ("curved sides", "count"): "the number of curved sides",
    ("notches", "count"): "the number of notches",
    ("angle", "opening"): "the angle between the two lines",
    ("parallel", "count"): "the number of parallel lines",
}
LAWS = {
    "constant": "stays the same",
    "same": "stays the same",
    "step": "moves on by the same step each time",
    "walking step": "moves on by the same step each time, from the last cell to the first",
    "progression": "goes up or down by the same amount each time",
    "growing steps round": "moves on by a step that grows by one each time",
    "growing steps": "changes by an amount that grows by one each time",
    "alternation": "goes back and forth between two values",
    "by threes": "repeats after every three panels",
    "bounce": "moves by one at a time and turns back at the ends",
    "arrangement": "takes the same three values, in another order",
    "sum": "in the third panel is the sum of the two before",
    "difference": "in the third panel is the first less the second",
    "distance": "in the third panel is how far the two before are apart",
    "union": "in the third panel is all that the two before hold",
    "overlap": "in the third panel is what both before hold",
    "either, not both": "in the third panel is what just one of the two before holds",
    "taken away": "in the third panel is the first without what the second holds",
    "sum of the two before": "is always the sum of the two before",
    "distance of the two before": "is always how far the two before are apart",
}
_TOGETHER = {"cube": "three", "tetrahedron": "two", "octahedron": "four"}
_WAYS = {"row": "in every row", "column": "in every column"}


def reason(puzzle: Puzzle) -> str:
    """Say what completes the puzzle, without naming the choice."""
    if puzzle.pattern == SOLID:
        return f"Folding the flat faces brings {_TOGETHER[puzzle.form]} of them together in just one of the ways shown."
    said = [_rule_words(puzzle, rule) for rule in puzzle.rules]
    clauses = [lead + ", " * (lead != "") + clause for lead, clause in _without_repeats(said)]
    sentence = ", and ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _rule_words(puzzle: Puzzle, rule: str) -> tuple[str, str]:
    """Put a rule into words: the lines that it runs along, and what happens on them."""
    field, _, law = rule.partition(": ")
    law, _, way = law.rpartition(" by ") if law.endswith((" by row", " by column")) else (law, "", "row")
    subject = SUBJECTS[puzzle.form, field]
    if puzzle.configuration == GROUP:
        return "in both panels", f"{subject} is the same"
    return "from panel to panel" if puzzle.configuration == SEQUENCE else _WAYS[way], f"{subject} {LAWS[law]}"


def _without_repeats(said: list[tuple[str, str]]) -> list[tuple[str, str]]:
    leads = ["", *(lead for lead, _ in said)]
    return [(lead if lead != before else "", clause) for (lead, clause), before in zip(said, leads, strict=False)]


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return the reason for the key, and the scene in plain data."""
    label = labels_of(scene.variant)[scene.puzzle.key]
    sentence = f"{reason(scene.puzzle)[:-1]}: choice ({label})."
    return sentence, cast("dict[str, object]", msgspec.to_builtins(scene))

"""Define a MARVEL puzzle: patterns, configurations, kinds of shape, and the Scene, which is pure data.

Source: Jiang et al., MARVEL (2024), sections 3.1 to 3.3 and 4.
"""

import msgspec

NAME = "marvel"
VERSION = 1

TEMPORAL, SPATIAL = "temporal movement", "spatial relationship"
QUANTITIES, MATHEMATICAL = "quantities", "mathematical"
PLANE, SOLID = "2d-geometry", "3d-geometry"
PATTERNS = (TEMPORAL, SPATIAL, QUANTITIES, MATHEMATICAL, PLANE, SOLID)

SEQUENCE, TWO_ROW, MATRIX, GROUP, REASSEMBLING = "sequence", "two-row", "matrix", "group", "reassembling"
CONFIGURATIONS = (SEQUENCE, TWO_ROW, MATRIX, GROUP, REASSEMBLING)
GEOMETRIC, ABSTRACT = "geometric", "abstract"
SHAPES = (GEOMETRIC, ABSTRACT)

# 3d-geometry has the configuration reassembling, and no other pattern has it. A group has no order to compute along.
CELLS = tuple(
    (pattern, configuration)
    for pattern in PATTERNS
    for configuration in CONFIGURATIONS
    if (pattern == SOLID) == (configuration == REASSEMBLING) and (pattern, configuration) != (MATHEMATICAL, GROUP)
)
# Panels of a sequence, the blank included (section 3.1 says 4 to 7 before it). A recurrence needs five panels to show
# once. Values without an order, such as relations, can only alternate, which also needs five.
LENGTHS = dict.fromkeys(PATTERNS, (4, 5, 6, 7, 8)) | {SPATIAL: (5, 6, 7, 8), MATHEMATICAL: (5, 6)}
CHOICES = 4

FULL, AVR_ONLY, DESCRIBED, FEW_SHOT = "full", "avr-only", "described", "few-shot"
SETTINGS = (FULL, AVR_ONLY, DESCRIBED, FEW_SHOT)
PLAIN, QUESTION_MARK, LETTERS, PANELS = "plain", "question-mark", "letters", "panel-by-panel"
REWORDED = "reworded"
VARIANTS = (PLAIN, QUESTION_MARK, LETTERS, PANELS, REWORDED)
SAME_PATTERN, OTHER_PATTERN, MIXED = "same-pattern", "other-pattern", "mixed-configurations"
DEMONSTRATIONS = (SAME_PATTERN, OTHER_PATTERN, MIXED)
FINE_KINDS = ("location", "color", "shape", "quantity", "comparison")


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """The look that all panels of a puzzle share.

    sorts: four different names of outlines. seeds: one for each, which shapes an abstract outline. fills: shades of
    four parts (0 white, 1 black). ground: a small number whose meaning the form defines, such as the number of places
    of a ring. seed: the seed of figures that the form draws for this puzzle alone.
    """

    shape: str
    sorts: tuple[str, ...]
    seeds: tuple[int, ...]
    fills: tuple[int, ...]
    ground: int
    seed: int


class Panel(msgspec.Struct, frozen=True):
    """One panel: the values of its form's fields, and the seed of everything that no rule reads (such as places)."""

    values: tuple[int, ...]
    seed: int = 0


class Fine(msgspec.Struct, frozen=True, kw_only=True):
    """The detail asked of one choice: kind, words of the question, the two answers in order, the right place."""

    kind: str
    text: str
    answers: tuple[str, str]
    right: int


class Puzzle(msgspec.Struct, frozen=True, kw_only=True):
    """Context and choices; `key` is the place of the right choice, from 0.

    context: all panels but the blank, in reading order; one net for reassembling. rules: what completes it, in words.
    """

    pattern: str
    configuration: str
    family: str
    form: str
    look: Look
    context: tuple[Panel, ...]
    choices: tuple[Panel, ...]
    key: int
    rules: tuple[str, ...]
    tries: int


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One item: the puzzle, the way it is asked, and the public puzzles shown solved before it."""

    item: str
    setting: str
    variant: str
    puzzle: Puzzle
    fine: Fine | None = None
    demonstrations: tuple[Puzzle, ...] = ()


def panels_in_context(puzzle: Puzzle) -> int:
    """Count the panels of the context, the blank included; a net stands alone."""
    return len(puzzle.context) + (puzzle.configuration != REASSEMBLING)

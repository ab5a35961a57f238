"""Word the questions ourselves. No sentence is the paper's, which models may have read."""

from typing import NamedTuple

from generator_service.benchmarks.marvel.spec import GROUP, MATRIX, REASSEMBLING, SEQUENCE, TWO_ROW


class Gap(NamedTuple):
    """The words for a missing panel, as each sentence needs them."""

    stands: str
    one: str
    there: str
    counted: str


BLANK = Gap("is blank", "a blank one", "in the blank", ", the blank one counted")
MARKED = Gap(
    "holds a question mark",
    "one that holds a question mark",
    "in place of the question mark",
    ", the one with the question mark counted",
)
MISSING = BLANK._replace(there="in its place")  # panels shown one by one include no blank

ARRANGED = {
    SEQUENCE: "Above, panels stand in a row and follow each other; the last one {gap.stands}.",
    TWO_ROW: (
        "Above, panels stand in two rows of three; what holds for the first row holds for the second, whose last panel "
        "{gap.stands}."
    ),
    MATRIX: (
        "Above, panels stand in three rows of three; one rule holds along the rows or down the columns; the panel "
        "at the lower right {gap.stands}."
    ),
    GROUP: "Above stand two panels that have something in common, and {gap.one}.",
    REASSEMBLING: "Above, the {faces} faces of {solid} are laid out flat, their printed side towards you.",
}
WHICH = {
    SEQUENCE: "Which choice comes next?",
    TWO_ROW: "Which choice belongs {gap.there}?",
    MATRIX: "Which choice belongs {gap.there}?",
    GROUP: "Which choice has it in common with them?",
    REASSEMBLING: "Folded with the print outside, to which of the {plural} can it be turned?",
}
SOLIDS = {
    "cube": {"faces": "six", "solid": "a cube", "plural": "cubes"},
    "tetrahedron": {"faces": "four", "solid": "a regular tetrahedron", "plural": "tetrahedra"},
    "octahedron": {"faces": "eight", "solid": "a regular octahedron", "plural": "octahedra"},
}
"""The words for a solid, by the name of its form."""
CHOICES_BELOW = "Below are four choices, marked {labels}."
APART = {
    SEQUENCE: "The first pictures are panels of a row, in order; the panel after them is missing.",
    TWO_ROW: (
        "The first five pictures are two rows of three panels, in reading order; the sixth is missing. What holds for "
        "the first row holds for the second."
    ),
    MATRIX: (
        "The first eight pictures are three rows of three panels, in reading order; the ninth is missing. One rule "
        "holds along the rows or down the columns."
    ),
    GROUP: "The first two pictures have something in common.",
    REASSEMBLING: (
        "The first picture shows the {faces} faces of {solid} laid out flat, their printed side towards you."
    ),
}
CHOICES_APART = "The last four pictures are the choices {labels}."

OTHERWISE_ARRANGED = {
    SEQUENCE: "The top part is a series of panels that goes on by a rule; its last place {gap.stands}.",
    TWO_ROW: (
        "The top part is a table: two rows of three panels, which obey the same rule. Its last place {gap.stands}."
    ),
    MATRIX: (
        "The top part is a table: three rows of three panels. Either its rows or its columns obey one rule. Its last "
        "place {gap.stands}."
    ),
    GROUP: "The two panels of the top part belong together: they have something in common. A third place {gap.stands}.",
    REASSEMBLING: "The top part is the surface of {solid}, cut along edges and spread out; you look at its print.",
}
OTHERWISE_WHICH = {
    SEQUENCE: "Find the panel that carries the series on.",
    TWO_ROW: "Find the panel that completes the table.",
    MATRIX: "Find the panel that completes the table.",
    GROUP: "Find the panel that belongs with them.",
    REASSEMBLING: "Find the one of the {plural} that it can be folded up to, its print outside.",
}
OTHERWISE_CHOICES = "The bottom part offers four choices: {labels}."

COUNTED = "The picture shows a puzzle: a part above, whose last panel {gap.stands}, and a part below with the choices. "
COUNTED_NET = "The picture shows a puzzle in frames: a part above, with nothing left blank, and below it the choices. "
FRAMES = {
    "context-panels": "How many frames are in the part above?",
    "choice-panels": "How many frames are in the part below?",
    "all-panels": "How many frames are there in the whole picture?",
}
COUNTS = {
    "context-panels": "How many panels are in the part above{counted}?",
    "choice-panels": "How many panels are in the part below?",
    "all-panels": "How many panels are there in the whole picture{counted}?",
}
NUMBER_INSTRUCTION = "Answer with a whole number."
LABEL_INSTRUCTION = "Answer with the {noun} of one choice, in parentheses."
SIDE_INSTRUCTION = "Answer with the letter of one option, in parentheses."

CHOICE_TEXT = "The choice marked {label}."
SHEET_CAPTION = "The puzzle: context above, choices below"
PLAIN_CAPTION = "The puzzle, its choices without marks"
CONTEXT_CAPTION = "Context panel {number}"
NET_CAPTION = "The faces laid out flat"
CHOICE_CAPTION = "Choice ({label})"
EXAMPLE_CAPTION = "Solved example {number}"

DESCRIBED = "What the panels show, in words:"
DESCRIBED_CONTEXT = "Context panel {number}: {words}"
DESCRIBED_NET = "Laid out flat: {words}"
DESCRIBED_CHOICE = "Choice {label}: {words}"
EXAMPLE = "Example {number}. {arranged} {which} {reason} The answer is ({label})."
NOW = "Now the puzzle to solve."

# The names in reports of fields that rules govern, if the form's own name says too little.
FIELDS = {
    "mask": "parts",
    "class": "symmetry",
    "open": "open or closed",
    "curved": "curved or straight",
    "count": "number",
    "white": "number of white",
    "black": "number of black",
    "outer": "outer place",
    "inner": "inner place",
    "long": "long hand",
    "gap": "angle of the hands",
}

"""Our own words for what is asked. None is a sentence of the paper, which models may have read."""

from generator_service.benchmarks.marvel.spec import GROUP, MATRIX, REASSEMBLING, SEQUENCE, TWO_ROW

ARRANGED = {
    SEQUENCE: "Above, panels stand in a row and follow each other; the last one is blank.",
    TWO_ROW: (
        "Above, panels stand in two rows of three; what holds for the first row holds for the second, whose last panel "
        "is blank."
    ),
    MATRIX: (
        "Above, panels stand in three rows of three; one rule holds along the rows or down the columns; the panel "
        "at the lower right is blank."
    ),
    GROUP: "Above stand two panels that have something in common, and a blank one.",
    REASSEMBLING: "Above, the six faces of a cube are laid out flat, their printed side towards you.",
}
WHICH = {
    SEQUENCE: "Which choice comes next?",
    TWO_ROW: "Which choice belongs in the blank?",
    MATRIX: "Which choice belongs in the blank?",
    GROUP: "Which choice shares it, and belongs in the blank?",
    REASSEMBLING: "Folded with the print outside, to which of the cubes can it be turned?",
}
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
    REASSEMBLING: "The first picture shows the six faces of a cube laid out flat, their printed side towards you.",
}
CHOICES_APART = "The last four pictures are the choices {labels}."

COUNTED = (
    "The picture shows a puzzle: a part above, in which one panel may be blank, and a part below with the choices. "
)
COUNTS = {
    "context-panels": "How many panels are in the part above, a blank one counted?",
    "choice-panels": "How many panels are in the part below?",
    "all-panels": "How many panels are there in the whole picture, a blank one counted?",
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

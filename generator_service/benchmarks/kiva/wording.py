"""Our own words for what is asked and offered. None is a sentence of the paper, which models may have read."""

ASPECT_TEXT = {
    "number": "The number of objects changed.",
    "size": "The size of the object changed.",
    "orientation": "The orientation changed: the object was turned or flipped.",
    "color": "The color of the object changed.",
}
VALUE_TEXT = {
    "red": "It took on a red color.",
    "green": "It took on a green color.",
    "blue": "It took on a blue color.",
    "2x": "It grew to twice its width and height.",
    "1/2x": "It shrank to half its width and height.",
    "+1": "One more object was added.",
    "+2": "Two more objects were added.",
    "-1": "One object was taken away.",
    "-2": "Two objects were taken away.",
    "+90": "It made a quarter turn clockwise (90 degrees).",
    "-90": "It made a quarter turn counterclockwise (90 degrees).",
    "180": "It made a half turn (180 degrees).",
    "x": "It was flipped upside down: top and bottom are swapped, left and right are not.",
    "y": "It was flipped sideways: left and right are swapped, top and bottom are not.",
}
NO_CHANGE_TEXT = "Nothing changed: left and right are the same."
OTHER_TEXT = "None of these descriptions fits."
NONE_SHOWN_TEXT = "None of the three."
MARKED_TEXT = "The pair marked ({label})."

WHAT_TEXT = (
    "The picture is an example pair: on the left something is seen before, on the right after. "
    "What is different on the right?"
)
HOW_TEXT = (
    "The picture is an example pair: on the left something is seen before, on the right after. "
    "How exactly did it get from left to right?"
)
WHICH_TEXT = {
    "separate": (
        "The first picture is an example pair: on the left something is seen before, on the right after. "
        "The other three pictures, (A), (B) and (C), each pair something new before and after. "
        "In which of them does the new thing change just as in the example?"
    ),
    "composite": (
        "The pair at the top is an example: on the left something is seen before, on the right after. "
        "The pairs (A), (B) and (C) below it each show something new before and after. "
        "In which of them does the new thing change just as in the example?"
    ),
}
NUMBER_INSTRUCTION = "Answer with the number of one option, in parentheses."
LETTER_INSTRUCTION = "Answer with the letter of one option, in parentheses; choose (D) if none of the three fits."

GIVEN_CAPTION = "Example pair"
OPTION_CAPTION = "Pair ({label})"
SHEET_CAPTION = "Example pair above, pairs (A), (B) and (C) below"

"""Word the questions on the published trials ourselves. A changed word is a new version of the layout."""

ASPECT_TEXT = {
    "number": "How many there are changed.",
    "size": "How big it is changed.",
    "orientation": "How it is turned changed: it was rotated or flipped.",
    "color": "What color it has changed.",
}
VALUE_TEXT = {
    "red": "It became red.",
    "green": "It became green.",
    "blue": "It became blue.",
    "yellow": "It became yellow.",
    "grey": "It became grey.",
    "2x": "It became twice as wide and twice as high.",
    "1/2x": "It became half as wide and half as high.",
    "wider": "It became twice as wide and no higher.",
    "narrower": "It became half as wide and no lower.",
    "taller": "It became twice as high and no wider.",
    "shorter": "It became half as high and no narrower.",
    "+1": "There is one more.",
    "+2": "There are two more.",
    "-1": "There is one fewer.",
    "-2": "There are two fewer.",
    "x2": "There are two times as many.",
    "x3": "There are three times as many.",
    "/2": "There are half as many.",
    "/3": "There is a third as many.",
    "+90": "It was turned a quarter clockwise (90 degrees).",
    "-90": "It was turned a quarter counterclockwise (90 degrees).",
    "180": "It was turned halfway round (180 degrees).",
    "+45": "It was turned an eighth clockwise (45 degrees).",
    "-45": "It was turned an eighth counterclockwise (45 degrees).",
    "+135": "It was turned three eighths clockwise (135 degrees).",
    "-135": "It was turned three eighths counterclockwise (135 degrees).",
    "x": "It was flipped upside down: top and bottom changed places.",
    "y": "It was flipped sideways: left and right changed places.",
    "both": "It was flipped both ways: top and bottom changed places, left and right as well.",
}
NO_CHANGE_TEXT = "Nothing changed between left and right."
OTHER_TEXT = "No description here fits."
NONE_SHOWN_TEXT = "None of the three."

_PAIR = "The picture shows a pair: on the left how something was, on the right how it is afterwards."
WHAT_TEXT = f"{_PAIR} What has changed?"
HOW_TEXT = f"{_PAIR} In which way has it changed?"
_FIND = "Which of them shows the same change as the first?"
WHICH_TEXT = {
    "separate": (
        "The first picture shows a pair: on the left how something was, on the right how it is afterwards. Pictures "
        f"(A), (B) and (C) are pairs of something else. {_FIND}"
    ),
    "composite": (
        "The pair at the top shows on the left how something was and on the right how it is afterwards. Below it, (A), "
        f"(B) and (C) are pairs of something else. {_FIND}"
    ),
}
TOLD_TEXT = {"what": "What has changed is known. {words}\n", "how": "How it has changed is known. {words}\n"}
MARKED_TEXT = "The pair marked ({label})."
NUMBER_INSTRUCTION = "Answer with the number of one option, in parentheses."
LETTER_INSTRUCTION = "Answer with the letter of one option, in parentheses; choose (D) if none of the three fits."
GIVEN_CAPTION = "First pair"
OPTION_CAPTION = "Pair ({label})"
SHEET_CAPTION = "First pair above, pairs (A), (B) and (C) below"

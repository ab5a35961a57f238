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
    "2x": "It became twice as wide and twice as high.",
    "1/2x": "It became half as wide and half as high.",
    "+1": "There is one more.",
    "+2": "There are two more.",
    "-1": "There is one fewer.",
    "-2": "There are two fewer.",
    "+90": "It was turned a quarter clockwise (90 degrees).",
    "-90": "It was turned a quarter counterclockwise (90 degrees).",
    "180": "It was turned halfway round (180 degrees).",
    "x": "It was flipped upside down: top and bottom changed places.",
    "y": "It was flipped sideways: left and right changed places.",
}
NO_CHANGE_TEXT = "Nothing changed between left and right."
OTHER_TEXT = "No description here fits."
NONE_SHOWN_TEXT = "None of the three."

_PAIR = "The picture shows a pair: on the left how something was, on the right how it is afterwards."
WHAT_TEXT = f"{_PAIR} What has changed?"
HOW_TEXT = f"{_PAIR} In which way has it changed?"
WHICH_TEXT = (
    "The first picture shows a pair: on the left how something was, on the right how it is afterwards. Pictures (A), "
    "(B) and (C) are pairs of something else. Which of them shows the same change as the first?"
)
NUMBER_INSTRUCTION = "Answer with the number of one option, in parentheses."
LETTER_INSTRUCTION = "Answer with the letter of one option, in parentheses; choose (D) if none of the three fits."
GIVEN_CAPTION = "First pair"
OPTION_CAPTION = "Pair ({label})"

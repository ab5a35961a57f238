"""Word questions and options ourselves. No sentence is the paper's, which models may have read."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """One wording of all questions.

    In `values`, {It} stands for one object or for each of several. `aspects` use neither, because the choice would tell
    whether the number of objects changed. {count} is the number of pictures to choose from, {labels} are their labels,
    {last} is the label after them. {words} are what is told.
    """

    what: str
    how: str
    which: Mapping[str, str]
    told: Mapping[str, str]
    aspects: Mapping[str, str]
    values: Mapping[str, str]
    no_change: str
    other: str
    none_shown: str
    marked: str
    by_number: str
    by_letter: str


_PAIR = "on the left something is seen before, on the right after"
_NEW = "In which of them does the new thing change just as in the example?"
_CLOCK, _COUNTER = "like the hands of a clock", "against the hands of a clock"

STANDARD = Phrases(
    what=f"The picture is an example pair: {_PAIR}. What is different on the right?",
    how=f"The picture is an example pair: {_PAIR}. How exactly did it get from left to right?",
    which={
        "separate": (
            f"The first picture is an example pair: {_PAIR}. The other {{count}} pictures, {{labels}}, each pair "
            f"something new before and after. {_NEW}"
        ),
        "composite": (
            f"The pair at the top is an example: {_PAIR}. The pairs {{labels}} below it each show something new "
            f"before and after. {_NEW}"
        ),
        "sentence": (
            "The first picture is a sheet. Each of its rows shows the same change, before on the left and after on "
            "the right; in the last row the right picture is missing. Which of the other {count} pictures, {labels}, "
            "belongs there?"
        ),
    },
    told={
        "classification": "It is known what changed. {words}",
        "specification": "It is known how the example changed. {words}",
    },
    aspects={
        "number": "The number of objects changed.",
        "size": "The size of the object changed.",
        "orientation": "The orientation changed: the object was turned or flipped.",
        "color": "The color of the object changed.",
    },
    values={
        "red": "{It} took on a red color.",
        "green": "{It} took on a green color.",
        "blue": "{It} took on a blue color.",
        "yellow": "{It} took on a yellow color.",
        "grey": "{It} took on a grey color.",
        "2x": "{It} grew to twice its width and height.",
        "1/2x": "{It} shrank to half its width and height.",
        "wider": "{It} became twice as wide and kept its height.",
        "narrower": "{It} became half as wide and kept its height.",
        "taller": "{It} became twice as tall and kept its width.",
        "shorter": "{It} became half as tall and kept its width.",
        "+1": "One more object was added.",
        "+2": "Two more objects were added.",
        "-1": "One object was taken away.",
        "-2": "Two objects were taken away.",
        "x2": "The number of objects was multiplied by two.",
        "x3": "The number of objects was multiplied by three.",
        "/2": "The number of objects was divided by two.",
        "/3": "The number of objects was divided by three.",
        "+90": "{It} made a quarter turn clockwise (90 degrees).",
        "-90": "{It} made a quarter turn counterclockwise (90 degrees).",
        "180": "{It} made a half turn (180 degrees).",
        "+45": "{It} made an eighth of a turn clockwise (45 degrees).",
        "-45": "{It} made an eighth of a turn counterclockwise (45 degrees).",
        "+135": "{It} made three eighths of a turn clockwise (135 degrees).",
        "-135": "{It} made three eighths of a turn counterclockwise (135 degrees).",
        "x": "{It} was flipped upside down: top and bottom are swapped, left and right are not.",
        "y": "{It} was flipped sideways: left and right are swapped, top and bottom are not.",
        "both": "{It} was flipped both ways: top and bottom are swapped, left and right as well.",
    },
    no_change="Nothing changed: left and right are the same.",
    other="None of these descriptions fits.",
    none_shown="None of the {count}.",
    marked="The pair marked ({label}).",
    by_number="Answer with the number of one option, in parentheses.",
    by_letter="Answer with the letter of one option, in parentheses; choose ({last}) if none of the {count} fits.",
)

CHILD = Phrases(
    what="Look at the picture. The left side turns into the right side. What is different now?",
    how="Look at the picture. The left side turns into the right side. Can you say just what happened?",
    which={
        "separate": (
            "Look at the first picture: the left side turns into the right side. Now here is something new in the "
            "{count} pictures {labels}. In which picture does the very same thing happen to it?"
        ),
        "composite": (
            "Look at the two pictures at the top: the left one turns into the right one. Now look at something new "
            "in the boxes {labels}. In which box does the very same thing happen to it?"
        ),
        "sentence": (
            "In every row of the first picture the same thing happens, from left to right. In the last row one "
            "picture is missing. Which of the {count} pictures {labels} goes there?"
        ),
    },
    told={
        "classification": "Here is a hint about what is different. {words}",
        "specification": "Here is a hint about what happened at first. {words}",
    },
    aspects={
        "number": "There are more things or fewer things.",
        "size": "The size is different.",
        "orientation": "It faces another way.",
        "color": "The color is different.",
    },
    values={
        "red": "{It} turned red.",
        "green": "{It} turned green.",
        "blue": "{It} turned blue.",
        "yellow": "{It} turned yellow.",
        "grey": "{It} turned grey.",
        "2x": "{It} got bigger, two times as big.",
        "1/2x": "{It} got smaller, half as big.",
        "wider": "{It} got wider, but not taller.",
        "narrower": "{It} got thinner, but not shorter.",
        "taller": "{It} got taller, but not wider.",
        "shorter": "{It} got shorter, but not thinner.",
        "+1": "One more came.",
        "+2": "Two more came.",
        "-1": "One went away.",
        "-2": "Two went away.",
        "x2": "Now there are two for every one.",
        "x3": "Now there are three for every one.",
        "/2": "Now there is one for every two.",
        "/3": "Now there is one for every three.",
        "+90": f"{{It}} turned a quarter of the way round, {_CLOCK}.",
        "-90": f"{{It}} turned a quarter of the way round, {_COUNTER}.",
        "180": "{It} turned half of the way round.",
        "+45": f"{{It}} turned an eighth of the way round, {_CLOCK}.",
        "-45": f"{{It}} turned an eighth of the way round, {_COUNTER}.",
        "+135": f"{{It}} turned three eighths of the way round, {_CLOCK}.",
        "-135": f"{{It}} turned three eighths of the way round, {_COUNTER}.",
        "x": "{It} flipped upside down: the top went to the bottom.",
        "y": "{It} flipped sideways: the left side went to the right.",
        "both": "{It} flipped both ways: the top went to the bottom and the left side to the right.",
    },
    no_change="Nothing is different.",
    other="None of these is true.",
    none_shown="None of the {count}.",
    marked="The box marked ({label}).",
    by_number="Say the number of your choice, in parentheses.",
    by_letter="Say the letter of your choice, in parentheses; say ({last}) if it is none of the {count}.",
)

ONE, EACH = "It", "Each object"
PHRASES: Mapping[str, Phrases] = {"standard": STANDARD, "child": CHILD}
COUNTS = {3: "three", 4: "four", 8: "eight"}

GIVEN_CAPTION = "Example pair"
OPTION_CAPTION = {"separate": "Pair ({label})", "sentence": "Candidate ({label})"}
SHEET_CAPTION = "Example pair above, pairs {labels} below"
SENTENCE_CAPTION = "Sheet of three rows, the last picture missing"
SOLVED_CAPTION = "Solved example {number}: {caption}"

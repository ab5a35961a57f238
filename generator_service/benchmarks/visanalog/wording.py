"""Hold all words that are put to a model."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator_service.benchmarks.visanalog.facts import ORDERS
from generator_service.benchmarks.visanalog.programs import TILES, Program
from generator_service.benchmarks.visanalog.spec import (
    ARROW_LOOK,
    COLOUR,
    COLOURS,
    CORNER,
    CUT,
    FACING,
    HANDS,
    LEVEL,
    NAMING,
    ORACLE,
    ORDER,
    PROGRAM,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
    WRONG_IMAGE,
    Fact,
    Stander,
    Thing,
)

INSTRUCTION = (
    r"Work it out step by step. Then give your answer as one capital letter in a LaTeX box, for example \boxed{B}."
)
CAPTIONS: Mapping[str, str] = MappingProxyType(
    {"before": "Image A.", "after": "Image B.", "query": "Image C.", "target": "The image.", "instead": "The image."}
)
_ANALOGY = (
    "An edit of one or more steps made image B from image A. The same edit makes image D from image C; image D is not "
    "shown. Find the edit, imagine what it makes of image C, and answer the question about image D."
)
_SPACE = (
    "An edit has up to {most} of these steps, each at most once, always in this order: zooming in on the middle (80% "
    "of each side is kept, and brought back to full size); exchanging two of the four quarters; a counter-clockwise "
    "rotation by 90, 180 or 270 degrees; a flip, horizontal (left and right exchanged) or vertical (top and bottom "
    "exchanged); a rotation of all hues by 90, 180 or 270 degrees."
)
_TOLD = (
    "These steps, in this order, make image D from image C: {steps}. Image D is not shown. Imagine it, and answer the "
    "question about image D."
)
_LOOK = "Look at the image, and answer the question about it."
_QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        CORNER: "what lies nearest to the {place} corner",
        QUARTER: "what lies on a round mat in the {place} quarter",
        CUT: "which thing in the {place} quarter is cut off",
        READING: "how are the letters of the sign written",
        HANDS: "where do the hands of the clock point",
        FACING: "where does the arrow point",
        COLOUR: "what color is the mat under the {0}",
        SIDE_OF: "on which side of the {1} is the {0}",
        LEVEL: "is the {0} higher or lower than the {1}",
        ORDER: "in which order, from left to right, do the {0}, the {1} and the {2} lie",
        SIGN_LOOK: "what do the letters and the mat of the sign look like",
        ARROW_LOOK: "what are the arrow's direction and its mat's color",
    }
)
"""By kind of fact: what is asked. The things that a fact names stand for the numbers."""
_WITHOUT_ARTICLE = frozenset({"bread", "butter", "knives", "playing cards", "scissors", "shelves", "slippers"})
_TOPS = ("up", "left", "down", "right")
POINTS = ("right", "up", "left", "down")
_SHORT_HANDS = ("right", "up", "left", "down")
_WORDS: Mapping[str, Sequence[str]] = MappingProxyType(
    {FACING: POINTS, SIDE_OF: ("left", "right"), LEVEL: ("higher", "lower")}
)


def preamble(rung: str, steps: Sequence[str], most: int, *, described: bool) -> str:
    """Return what stands before the question: how the pictures belong together. The oracle's tells nothing of it.

    steps: those of the program in words, which only the rung that tells it shows.
    """
    if rung in {ORACLE, WRONG_IMAGE}:
        return _LOOK
    first = _TOLD.format(steps="; ".join(steps)) if rung == PROGRAM else _ANALOGY
    return f"{first}\n{_SPACE.format(most=most)}" if described else first


def step_words(program: Program) -> list[str]:
    """Return a program's steps in words, in order."""
    found = []
    if program.zoom:
        found.append("zoom in on the middle, 80% of each side")
    if program.swap is not None:
        one, other = (TILES[tile] for tile in program.swap)
        found.append(f"exchange the {one} and the {other} quarter")
    if program.rotation:
        found.append(f"rotate by {90 * program.rotation} degrees counter-clockwise")
    if program.flip:
        found.append(f"flip {program.flip}ly")
    if program.hue:
        found.append(f"rotate all hues by {90 * program.hue} degrees")
    return found


def word_question(facts: Sequence[Fact], things: Sequence[Thing]) -> str:
    """Return the question in one sentence."""
    parts = [_asks(fact, facts[:place], things) for place, fact in enumerate(facts)]
    sentence = ", and ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}?"


def word_option(facts: Sequence[Fact], values: Sequence[int], things: Sequence[Thing]) -> str:
    """Return an option: what it says of each fact."""
    return "; ".join(
        _value(fact, value, things, alone=len(facts) == 1) for fact, value in zip(facts, values, strict=True)
    )


def name_thing(thing: Thing | Stander) -> str:
    return thing.name.replace("-", " ")


def a_or_an(noun: str) -> str:
    """Return a noun with its article, if it takes one."""
    if noun in _WITHOUT_ARTICLE:
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _asks(fact: Fact, before: Sequence[Fact], things: Sequence[Thing]) -> str:
    if fact.kind == COLOUR and before and before[0].kind in NAMING:
        return "what color is its mat"
    named = [name_thing(things[place]) for place in fact.things]
    return _QUESTIONS[fact.kind].format(*named, place=TILES[fact.place])


def _value(fact: Fact, value: int, things: Sequence[Thing], *, alone: bool) -> str:
    """Return what an option says of one fact."""
    kind = fact.kind
    if kind in NAMING:
        return a_or_an(name_thing(things[value]))
    if kind == ORDER:
        return ", ".join(name_thing(things[fact.things[place]]) for place in ORDERS[value])
    if kind in {SIGN_LOOK, ARROW_LOOK}:
        return word_look(kind, value, "mat")
    if kind == COLOUR:
        return COLOURS[value] if alone else f"{COLOURS[value]} mat"
    return letters(value) if kind == READING else _of_poses(kind, value)


def _of_poses(kind: str, value: int) -> str:
    return hands(value) if kind == HANDS else _WORDS[kind][value]


def word_look(kind: str, value: int, colored: str) -> str:
    """Return how a sign's letters stand or where something points, and the color of what is `colored`, as one value."""
    colour, pose = divmod(value, 8)
    if kind == SIGN_LOOK:
        return f"{letters(pose)}, on a {COLOURS[colour]} {colored}"
    return f"{POINTS[pose]}, {COLOURS[colour]} {colored}"


def letters(pose: int) -> str:
    """Return how the letters of a sign stand in a pose."""
    mirrored = "mirrored" if pose > 3 else "not mirrored"  # noqa: PLR2004 - mirrored symmetries
    return f"the tops of the letters point {_TOPS[pose % 4]}, {mirrored}"


def hands(pose: int) -> str:
    """Return where the hands of the clock point in a pose."""
    return f"long hand {_TOPS[pose % 4]}, short hand {_short_hand(pose)}"


def _short_hand(pose: int) -> str:
    """Return where the short hand points, which points right while the long one points up."""
    turned = (pose % 4 + (2 if pose > 3 else 0)) % 4  # noqa: PLR2004 - a mirrored clock's points left
    return _SHORT_HANDS[turned]

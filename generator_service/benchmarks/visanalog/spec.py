"""Define a VISANALOG item: the things of a composed picture, what is asked of the hidden one, the Scene. Pure data.

Source: Li et al., VisAnalog (2026), section 3 and appendix A.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

NAME = "visanalog"
VERSION = 1
COMPOSED, PHOTOGRAPHS = "composed", "photographs"

END_TO_END, ORACLE, WRONG_IMAGE, PROGRAM, LADDER = "end-to-end", "oracle", "wrong-image", "program", "ladder"
RUNGS = (WRONG_IMAGE, END_TO_END, PROGRAM, ORACLE)
"""The kinds of question, in the order in which the ladder asks them."""
SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        END_TO_END: (END_TO_END,),
        ORACLE: (ORACLE,),
        WRONG_IMAGE: (WRONG_IMAGE,),
        PROGRAM: (PROGRAM,),
        LADDER: RUNGS,
    }
)
OF_THE_PAPER, MOST_STEPS = 0, 5
"""Values of the parameter `steps`: 1 to 4 steps, each as often, and the most."""
SEARCH_SPACE, LABELS = ("described", "left-out"), ("A", "B", "C", "D")

# Two rings of four hues, each a quarter of the circle apart, so that a hue rotation turns a name into a name.
COLOURS = ("red", "lime", "cyan", "purple", "gold", "green", "blue", "pink")
HUES = (0, 64, 128, 192, 32, 96, 160, 224)  # PIL's H of each, 0 to 255
SIGN, CLOCK, ARROW = "sign", "clock", "arrow"
SPECIAL = (SIGN, CLOCK, ARROW)
WORDS = ("FAR", "LEG", "JAR", "FERN", "PEAR", "LEAF", "GALE", "NEAR", "PARK", "SNAP", "BELL", "GRAPE")

# Kinds of facts about a picture. Those of `ATTRIBUTES` say something of a thing that another fact names.
CORNER, QUARTER, CUT = "corner", "quarter", "cut"
READING, HANDS, FACING, COLOUR = "reading", "hands", "facing", "colour"
SIDE_OF, LEVEL, ORDER = "side", "level", "order"
SIGN_LOOK, ARROW_LOOK = "sign look", "arrow look"
FACTS = (CORNER, QUARTER, CUT, READING, HANDS, FACING, COLOUR, SIDE_OF, LEVEL, ORDER, SIGN_LOOK, ARROW_LOOK)
OF_SPECIAL: Mapping[str, str] = MappingProxyType(
    {READING: SIGN, HANDS: CLOCK, FACING: ARROW, SIGN_LOOK: SIGN, ARROW_LOOK: ARROW}
)
NAMING = (CORNER, QUARTER, CUT)
"""Facts whose value is a thing, by its number."""

AMBIGUOUS, ABSENT = -1, -2
"""Values of a fact: nobody can tell, and there is nothing of the kind."""


class Thing(msgspec.Struct, frozen=True):
    """One thing on its mat.

    name: what it is called. look: the object's id, or the sign's word. at: its centre, in pixels from the picture's
    centre, y downwards. side: of its mat, in pixels. round: the mat is a disc. pose: a symmetry of the square, by its
    number in `programs`. colour: of the mat, by its number in COLOURS.
    """

    name: str
    look: str
    at: tuple[int, int]
    side: int
    round: bool
    pose: int
    colour: int


class Picture(msgspec.Struct, frozen=True):
    """A composed picture: its things, and the number that its ground is drawn from."""

    things: tuple[Thing, ...]
    ground: int


class Labelled(msgspec.Struct, frozen=True, array_like=True):
    """A thing in a photograph that its annotations name: centre and half sizes in pixels, as in `Thing`."""

    name: str
    at: tuple[float, float]
    half: tuple[float, float]


class Photograph(msgspec.Struct, frozen=True):
    """A photograph of a source, in a pose.

    look: its cells as they are in the source, see `photographs.cells`. things: what its annotations name, before the
    pose. pose: a symmetry of the square. hue: quarters of the circle that its hues are rotated by.
    """

    name: str
    look: bytes
    things: tuple[Labelled, ...] = ()
    pose: int = 0
    hue: int = 0


class Fact(msgspec.Struct, frozen=True):
    """One thing that is asked: its kind, the place that it is about, and the numbers of the things that it names."""

    kind: str
    place: int = 0
    things: tuple[int, ...] = ()


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One item: pictures A and C, a program, two facts (one, if the program has one step), and four options.

    program: its number in PROGRAMS. options: the values of the facts, in the order shown. right: the place of the right
    option. item: 16 hex digits that tell this item from any other.
    """

    item: str
    setting: str
    search_space: str
    source: Picture | Photograph
    query: Picture | Photograph
    program: int
    facts: tuple[Fact, ...]
    options: tuple[tuple[int, ...], ...]
    right: int

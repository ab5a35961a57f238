"""Define a VISANALOG item: the things of a composed picture, what is asked of the hidden one, the Scene. Pure data.

Source: Li et al., VisAnalog (2026), section 3 and appendix A.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

NAME = "visanalog"
VERSION = 1
SCENES, COMPOSED, PHOTOGRAPHS = "scenes", "composed", "photographs"

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

# Kinds of facts about a picture.
CORNER, QUARTER, CUT = "corner", "quarter", "cut"
READING, HANDS, FACING, FACES, COLOUR = "reading", "hands", "facing", "faces", "color"
SIDE_OF, LEVEL, ORDER = "side", "level", "order"
SIGN_LOOK, ARROW_LOOK, PERSON_LOOK = "sign look", "arrow look", "person look"
FACTS = (
    *(CORNER, QUARTER, CUT, READING, HANDS, FACING, FACES, COLOUR, SIDE_OF, LEVEL, ORDER),
    *(SIGN_LOOK, ARROW_LOOK, PERSON_LOOK),
)
OF_SPECIAL: Mapping[str, str] = MappingProxyType(
    {READING: SIGN, HANDS: CLOCK, FACING: ARROW, SIGN_LOOK: SIGN, ARROW_LOOK: ARROW}
)
LOOKS = (SIGN_LOOK, ARROW_LOOK, PERSON_LOOK)
"""Facts of two halves: how something is turned, and its colour."""
NAMING = (CORNER, QUARTER, CUT)
"""Facts whose value is a thing, by its number."""
TURNED = frozenset({READING, HANDS, FACING, FACES, SIGN_LOOK, ARROW_LOOK, PERSON_LOOK})
"""Facts whose value tells how something is turned."""

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

    @property
    def half(self) -> tuple[float, float]:
        """Return half of its width and of its height, in pixels."""
        return self.side / 2, self.side / 2

    @property
    def marked(self) -> bool:
        """Tell whether it is what a question about its quarter means: the thing on a round mat."""
        return self.round

    @property
    def kind(self) -> str:
        """Return the kind of things among which it may lie anywhere: all things may."""
        return ""


class Picture(msgspec.Struct, frozen=True):
    """A composed picture: its things, and the number that its ground is drawn from."""

    things: tuple[Thing, ...]
    ground: int


class Stander(msgspec.Struct, frozen=True):
    """Somebody or something that stands in a scene of people.

    name: what it is called. look: the person and pose; the sign's word; the thing's own name. at: the centre of its
    box, as in `Thing`. size: width and height of the box, in pixels. kind: "person", "thing" or "board", the kinds
    within which names are drawn for places. pose: as in `Thing`; who and what looks somewhere looks right in pose 0.
    colour: of the clothes, the thing, or the board. tone: complexion and hair of a person, by number.
    """

    name: str
    look: str
    at: tuple[int, int]
    size: tuple[int, int]
    kind: str
    pose: int
    colour: int
    tone: int = 0

    @property
    def half(self) -> tuple[float, float]:
        """Return half of its box's width and height, in pixels."""
        return self.size[0] / 2, self.size[1] / 2

    @property
    def marked(self) -> bool:
        """Tell whether it is what a question about its quarter means: the person there."""
        return self.kind == PERSON


class Gathering(msgspec.Struct, frozen=True):
    """A scene of people: who and what stands where, and the number that its ground is drawn from.

    pose: the symmetry of the square in which all of it is shown. Places and poses of `things` are those shown.
    """

    things: tuple[Stander, ...]
    ground: int
    pose: int


PERSON, THING, BOARD = "person", "thing", "board"
"""Kinds of what stands in a scene of people."""


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


Shown = Picture | Gathering | Photograph
"""What picture A or C is of."""


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
    source: Shown
    query: Shown
    program: int
    facts: tuple[Fact, ...]
    options: tuple[tuple[int, ...], ...]
    right: int

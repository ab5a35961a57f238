"""Define a form: a kind of panel. A panel is a few whole numbers, which can be drawn, described and asked about.

For example, a panel of the form "walk" is a figure in a cell of a board of nine or sixteen. Its one field is the cell,
counted row by row: `Panel((5,))` is row 2, column 3 of a board of nine. Rules go by fields. A viewer may go by other
things, too: by the row alone (a `Reading`), or by what each panel draws by chance (a `Drawn`). A puzzle is refused
where those lead to another choice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.outlines2d import Outline, abstract, geometric
from generator_service.drawing.vector import BLACK, LINE, WHITE, Pen, Point, move_path

ROUNDED = ("circle", "square", "pentagon", "hexagon")
MARKERS = ("circle", "square", "triangle", "diamond", "star", "cross", "heart", "trapezoid", "half disc", "arrow")
PLAIN_OUTLINES = ("circle", "square", "triangle", "pentagon", "hexagon", "diamond", "ellipse", "trapezoid", "house")
BLOBS = ("three-lobed blob", "four-lobed blob", "five-lobed blob", "jagged shape", "block shape", "bean")
ROUND_BLOBS = ("three-lobed blob", "four-lobed blob", "five-lobed blob", "jagged shape")
_STAMPED = 150.0  # radius, in units: for larger figures stamping is no faster than drawing
Sorts: TypeAlias = Mapping[str, tuple[str, ...]]
"""Names of outlines to choose from, by kind of shape."""
ANY_SORTS: Sorts = {GEOMETRIC: MARKERS, ABSTRACT: BLOBS}
PLAIN_SORTS: Sorts = {GEOMETRIC: PLAIN_OUTLINES, ABSTRACT: ROUND_BLOBS}
ROUND_SORTS: Sorts = {GEOMETRIC: ROUNDED, ABSTRACT: ROUND_BLOBS}
SOLID_SORTS: Sorts = {GEOMETRIC: (*ROUNDED, "star", "triangle", "diamond", "cross", "heart", "house"), ABSTRACT: BLOBS}
COUNT_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
)


@dataclass(frozen=True)
class Field:
    """One number of a panel: its kind of value for rules, and its possible values under a look.

    `Field("count", NUMBER, 1, 9)` takes 1 to 9. `Field("place", CYCLE, 0, 0, by_ground=True)` is a place on a ring: on
    a look whose ground is 8 it takes 0 to 7, and its size is 8.

    kind: NUMBER, CYCLE, TRACK, SORT or SET of `rules/laws.py`. low, high: the first and the last value.
    """

    name: str
    kind: str
    low: int
    high: int
    by_ground: bool = False  # the look's ground says how many values there are, from 0

    def values(self, look: Look) -> tuple[int, ...]:
        return tuple(range(look.ground if self.by_ground else self.high + 1))[self.low :]

    def size(self, look: Look) -> int:
        """Return the length of the ring or track; 0 for other kinds."""
        return len(self.values(look)) if self.kind in {"cycle", "track"} else 0


NOWHERE = -1
"""What a reading says of a panel on which it can't be read."""


@dataclass(frozen=True)
class Reading:
    """Something that a viewer can read off a panel besides its fields.

    The field of a walk is a cell, and a viewer may go by its row: `Reading("row", CYCLE, row_of, side_of)`. `row_of`
    returns 1 for cell 5 of nine, and `side_of` returns 3: the rows go round after three.

    of: (look, the panel's values) -> what is read; NOWHERE where it can't be read, such as a place on the border for a
    cell inside.
    """

    name: str
    kind: str
    of: Callable[[Look, tuple[int, ...]], int]
    size: Callable[[Look], int] = lambda _: 0  # places of a cycle, or stations of a track


@dataclass(frozen=True)
class Drawn:
    """Something that a viewer can read off a panel and that depends on the panel's own chance, not its values alone.

    The field of an angle is its opening. Which way it opens is drawn from the panel's seed, in 24 directions, and a
    viewer may take that for the rule: `Drawn("turn", CYCLE, turn_of, 24)`.
    """

    name: str
    kind: str
    of: Callable[[Look, Panel], int]
    ring: int = 0  # places of a cycle


@dataclass(frozen=True, kw_only=True)
class Detail:
    """A question on one choice panel, with two answers.

    Of two angles with openings 2 and 3, `ask` gives "Do the two lines in choice {choice} meet at {a} or at {b}
    degrees?", `of` gives 2 and 3, and `answer` words these "60" and "90". The one is right for this choice, and the
    other for another one.

    kind: one of FINE_KINDS. of: (look, panel) -> the value that is asked about. {choice}, {a} and {b} stay open; a
    comparison may name another choice, {other}.
    """

    kind: str
    ask: Callable[[Look], str]
    answer: Callable[[Look, int], str]
    of: Callable[[Look, Panel], int]


@dataclass(frozen=True, kw_only=True)
class Trait:
    """A question on what all panels of a puzzle share. The wrong answer is right in another, equally likely puzzle.

    "Is the star in choice {choice} {a} or {b}?" is answered by the look: `true` gives "black" and `others` ("white",).
    """

    kind: str
    ask: Callable[[Look], str]
    true: Callable[[Look], str]
    others: Callable[[Look], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Form:
    """The functions of one kind of panel. sorts: outlines to choose from, by kind of shape; grounds: of looks.

    scattered: the panel's own chance changes the picture, but nothing that a rule reads (for that there is `drawn`).
    """

    name: str
    fields: tuple[Field, ...]
    draw: Callable[[Pen, Look, Panel], None]
    describe: Callable[[Look, Panel], str]
    readings: tuple[Reading, ...] = ()
    drawn: tuple[Drawn, ...] = ()
    details: tuple[Detail, ...] = ()
    traits: tuple[Trait, ...] = ()
    sorts: Sorts = field(default_factory=lambda: ANY_SORTS)
    grounds: tuple[int, ...] = (0,)
    slots: int = 1  # different outlines that a panel may show
    scattered: bool = False

    @property
    def varies(self) -> bool:
        """Tell whether two panels of the same values may look different."""
        return self.scattered or bool(self.drawn)

    def place(self, name: str) -> int:
        return next(at for at, field in enumerate(self.fields) if field.name == name)


def outline_of(look: Look, slot: int) -> Outline:
    name = look.sorts[slot]
    return geometric(name) if look.shape == GEOMETRIC else abstract(name, look.seeds[slot])


def draw_figure(
    pen: Pen,
    look: Look,
    slot: int,
    at: Point,
    radius: float,
    *,
    shade: int | None = WHITE,
    turn: float = 0.0,
    width: int = LINE,
) -> None:
    """Draw the look's outline of that slot, filled with the shade and bordered black."""
    figure = outline_of(look, slot)
    if radius <= _STAMPED:
        pen.stamp(figure.points, at, radius, turn=turn, shade=shade, width=width, smooth=figure.smooth)
    else:
        pen.outline(move_path(figure.points, at, radius, turn), shade=shade, width=width, smooth=figure.smooth)


def shade_of(look: Look, part: int) -> int:
    return BLACK if look.fills[part] else WHITE


def shade_word(fill: int) -> str:
    return "black" if fill else "white"


def name_colored(look: Look, slot: int, part: int) -> str:
    """Name a figure with its color: "black star"."""
    return f"{shade_word(look.fills[part])} {look.sorts[slot]}"


def with_article(noun: str) -> str:
    """Word a noun alone: "a star", "an ellipse"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def count_of(number: int, noun: str) -> str:
    """Word a count: "three strokes", "one stroke"."""
    plural = noun if not noun or number == 1 else f"{noun}es" if noun.endswith(("s", "x", "sh", "ch")) else f"{noun}s"
    return f"{COUNT_WORDS[number] if number < len(COUNT_WORDS) else number} {plural}"


def color_trait(slot: int, part: int, which: str = "the") -> Trait:
    return Trait(
        kind="color",
        ask=lambda look: f"Is {which} {look.sorts[slot]} in choice {{choice}} {{a}} or {{b}}?",
        true=lambda look: shade_word(look.fills[part]),
        others=lambda look: (shade_word(1 - look.fills[part]),),
    )


def shape_trait(slot: int, where: str, sorts: Sorts) -> Trait:
    return Trait(
        kind="shape",
        ask=lambda _: f"Is there {{a}} or {{b}} {where} choice {{choice}}?",
        true=lambda look: with_article(look.sorts[slot]),
        others=lambda look: tuple(with_article(name) for name in sorts[look.shape] if name not in look.sorts),
    )


def field_value(place: int) -> Callable[[Look, Panel], int]:
    return lambda _, panel: panel.values[place]


def count_details(
    noun: str | Callable[[Look], str], of: Callable[[Look, Panel], int] | None = None
) -> tuple[Detail, ...]:
    """Return details that ask for a number, and whether it is more or fewer than in another choice.

    of: the number asked about; by default the first field.
    """

    def word_noun(look: Look) -> str:
        return noun if isinstance(noun, str) else noun(look)

    number = of or field_value(0)
    words = Detail(
        kind="quantity",
        ask=lambda look: f"Are there {{a}} or {{b}} {word_noun(look)} in choice {{choice}}?",
        answer=lambda _, value: COUNT_WORDS[value] if value else "zero",
        of=number,
    )
    more = Detail(
        kind="comparison",
        ask=lambda look: f"Are there {{a}} or {{b}} {word_noun(look)} in choice {{choice}} than in choice {{other}}?",
        answer=lambda _, value: ("fewer", "more")[value],
        of=number,
    )
    return words, more

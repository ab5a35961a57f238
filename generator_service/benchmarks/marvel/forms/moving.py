"""Forms of temporal movement: markers on rings, paths and lines, and figures that turn."""

from math import isqrt

from generator_service.benchmarks.marvel.forms.figures import block_figures, four_figures, mirrored, normal
from generator_service.benchmarks.marvel.forms.form import (
    BLOBS,
    ROUND_BLOBS,
    ROUNDED,
    Detail,
    Field,
    Form,
    Reading,
    Trait,
    color_trait,
    colored,
    field_value,
    one,
    put,
    shade_of,
    shape_trait,
)
from generator_service.benchmarks.marvel.forms.words import CLOCK, ORDINALS, cell_words, clock_words, listed
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER, SORT, TRACK
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import BLACK, GREY, WHITE, Pen, polar

_MIDDLE = (500.0, 500.0)
_SOLID = {GEOMETRIC: ROUNDED + ("star", "triangle", "diamond", "cross", "heart", "house"), ABSTRACT: BLOBS}


def _ring(pen: Pen, look: Look, panel: Panel) -> None:
    put(pen, look, 0, _MIDDLE, 215)
    for place in range(look.ground):
        pen.disc(polar(_MIDDLE, 375, 360 * place / look.ground), 16, GREY)
    at = polar(_MIDDLE, 375, 360 * panel.values[0] / look.ground)
    put(pen, look, 1, at, 92, shade=shade_of(look, 1))


RING = Form(
    name="ring",
    fields=(Field("place", CYCLE, 0, 0, by_ground=True),),
    grounds=(6, 8),
    sorts=_SOLID,
    slots=2,
    draw=_ring,
    describe=lambda look, panel: (
        f"{one(look.sorts[0])} in the middle of a ring of {look.ground} places; "
        f"a {colored(look, 1, 1)} stands {clock_words(panel.values[0], look.ground)} of the ring."
    ).capitalize(),
    details=(
        Detail(
            "location",
            lambda look: f"Does the {look.sorts[1]} stand {{a}} or {{b}} of the ring in choice {{choice}}?",
            lambda look, value: clock_words(value, look.ground),
            field_value(0),
        ),
    ),
    traits=(color_trait(1, 1), shape_trait(0, "in the middle of", _SOLID)),
)


def _rings(pen: Pen, look: Look, panel: Panel) -> None:
    for radius in (390, 205):
        pen.circle(_MIDDLE, radius, width=8)
        for place in range(look.ground):
            pen.disc(polar(_MIDDLE, radius, 360 * place / look.ground), 15, GREY)
    for slot, radius, reach in ((0, 390, 88), (1, 205, 80)):
        at = polar(_MIDDLE, radius, 360 * panel.values[slot] / look.ground)
        put(pen, look, slot, at, reach, shade=shade_of(look, slot))


RINGS = Form(
    name="rings",
    fields=(Field("outer", CYCLE, 0, 0, by_ground=True), Field("inner", CYCLE, 0, 0, by_ground=True)),
    readings=(Reading("gap", CYCLE, lambda look, values: (values[1] - values[0]) % look.ground, ring=-1),),
    grounds=(6, 8),
    sorts=_SOLID,
    slots=2,
    draw=_rings,
    describe=lambda look, panel: (
        f"Two rings of {look.ground} places, one inside the other; a {colored(look, 0, 0)} "
        f"{clock_words(panel.values[0], look.ground)} of the outer ring, a {colored(look, 1, 1)} "
        f"{clock_words(panel.values[1], look.ground)} of the inner ring."
    ),
    details=tuple(
        Detail(
            "location",
            lambda look, slot=slot, which=which: (
                f"Does the {look.sorts[slot]} stand {{a}} or {{b}} of the {which} ring in choice {{choice}}?"
            ),
            lambda look, value: clock_words(value, look.ground),
            field_value(slot),
        )
        for slot, which in ((0, "outer"), (1, "inner"))
    ),
    traits=(color_trait(0, 0), color_trait(1, 1), shape_trait(0, "on the outer ring of", _SOLID)),
)


def _pointer(pen: Pen, look: Look, panel: Panel) -> None:
    figure, turn = panel.values
    four_figures(look)[figure].draw(pen, 45 * turn)


def _pointer_words(look: Look, panel: Panel) -> str:
    figure, turn = panel.values
    cells = four_figures(look)[figure]
    return f"{cells.words} The whole is turned so that its top points {CLOCK[turn]}."


POINTER = Form(
    name="pointer",
    fields=(Field("figure", SORT, 0, 3), Field("turn", CYCLE, 0, 7)),
    slots=2,
    draw=_pointer,
    describe=_pointer_words,
    details=(
        Detail(
            "location",
            lambda _: "Does the top of the figure point {a} or {b} in choice {choice}?",
            lambda _, value: CLOCK[value],
            lambda look, panel: panel.values[1] if look.shape == GEOMETRIC else 0,
        ),
    ),
    traits=(
        Trait(
            "color",
            lambda _: "Is the larger figure in choice {choice} {a} or {b}?",
            lambda look: _figure_shade(look, look.fills[0]),
            lambda look: (_figure_shade(look, 1 - look.fills[0]),),
        ),
    ),
)


def _figure_shade(look: Look, fill: int) -> str:
    """Arrows are black or white, block figures black or grey."""
    return "black" if fill else "white" if look.shape == GEOMETRIC else "grey"


def _walk_at(look: Look, place: int) -> tuple[float, float]:
    across = isqrt(look.ground)
    side = 840 / across
    return 80 + side * (place % across + 0.5), 80 + side * (place // across + 0.5)


def grid(pen: Pen, count: int) -> None:
    side = 840 / count
    for line in range(count + 1):
        pen.line([(80, 80 + side * line), (920, 80 + side * line)], width=10)
        pen.line([(80 + side * line, 80), (80 + side * line, 920)], width=10)


def _walk(pen: Pen, look: Look, panel: Panel) -> None:
    across = isqrt(look.ground)
    grid(pen, across)
    put(pen, look, 0, _walk_at(look, panel.values[0]), 290 / across, shade=shade_of(look, 0))


def walk_words(look: Look, value: int) -> str:
    return cell_words(value, isqrt(look.ground))


WALK = Form(
    name="walk",
    fields=(Field("place", CYCLE, 0, 0, by_ground=True),),
    grounds=(9, 16),
    sorts=_SOLID,
    draw=_walk,
    readings=(
        Reading("row", SORT, lambda look, values: values[0] // isqrt(look.ground)),
        Reading("column", SORT, lambda look, values: values[0] % isqrt(look.ground)),
    ),
    describe=lambda look, panel: (
        f"A grid of {isqrt(look.ground)} by {isqrt(look.ground)} cells; a {colored(look, 0, 0)} in "
        f"{walk_words(look, panel.values[0])}, the other cells empty."
    ),
    details=(
        Detail(
            "location",
            lambda look: f"Is the {look.sorts[0]} in {{a}} or in {{b}} of the grid in choice {{choice}}?",
            walk_words,
            field_value(0),
        ),
    ),
    traits=(color_trait(0, 0), shape_trait(0, "in the grid of", _SOLID)),
)

STATIONS = 5


def _station(look: Look, place: int) -> tuple[float, float]:
    along = 120 + 760 * place / (STATIONS - 1)
    return ((along, 500.0), (500.0, along), (along, along), (along, 1000 - along))[look.ground]


def _line(pen: Pen, look: Look, panel: Panel) -> None:
    pen.line([_station(look, 0), _station(look, STATIONS - 1)], width=10)
    for place in range(STATIONS):
        pen.disc(_station(look, place), 20, GREY)
    put(pen, look, 0, _station(look, panel.values[0]), 100, shade=shade_of(look, 0))


_FROM = ("from the left", "from the top", "from the top left", "from the bottom left")

LINE_FORM = Form(
    name="line",
    fields=(Field("station", TRACK, 0, STATIONS - 1),),
    grounds=(0, 1, 2, 3),
    sorts=_SOLID,
    draw=_line,
    describe=lambda look, panel: (
        f"A straight line with five stations; a {colored(look, 0, 0)} at the {ORDINALS[panel.values[0]]} station "
        f"{_FROM[look.ground]}."
    ),
    details=(
        Detail(
            "location",
            lambda look: (
                f"Is the {look.sorts[0]} at the {{a}} or the {{b}} station {_FROM[look.ground]} in choice {{choice}}?"
            ),
            lambda _, value: ORDINALS[value],
            field_value(0),
        ),
    ),
    traits=(color_trait(0, 0), shape_trait(0, "on the line of", _SOLID)),
)

_CHIRAL = ((0, 1, 3), (0, 1, 2, 4))  # of eight beads: neither is a turn of its mirror image


def necklace(figure: int, turn: int) -> tuple[int, ...]:
    """Return the places of black beads, clockwise from the top."""
    base = _CHIRAL[figure // 2]
    places = [(-place) % 8 for place in base] if figure % 2 else list(base)
    return tuple(sorted((place + turn) % 8 for place in places))


def _beads(pen: Pen, look: Look, panel: Panel) -> None:
    black = necklace(*panel.values)
    pen.circle(_MIDDLE, 350, width=8)
    for place in range(8):
        put(pen, look, 0, polar(_MIDDLE, 350, 45 * place), 92, shade=BLACK if place in black else WHITE, width=14)


_BEAD = {GEOMETRIC: ("circle", "square", "hexagon", "diamond", "pentagon"), ABSTRACT: ROUND_BLOBS}

BEADS = Form(
    name="beads",
    fields=(Field("figure", SORT, 0, 3), Field("turn", CYCLE, 0, 7)),
    readings=(Reading("black", NUMBER, lambda _, values: len(_CHIRAL[values[0] // 2])),),
    sorts=_BEAD,
    draw=_beads,
    describe=lambda look, panel: (
        f"A ring of eight beads, each {one(look.sorts[0])}; the black ones stand "
        + ", ".join(clock_words(place, 8) for place in necklace(*panel.values))
        + "; the other beads are white."
    ),
    details=(
        Detail(
            "color",
            lambda _: "Is the bead at the very top {a} or {b} in choice {choice}?",
            lambda _, value: ("white", "black")[value],
            lambda _, panel: int(0 in necklace(*panel.values)),
        ),
        Detail(
            "color",
            lambda _: "Is the bead at the far right {a} or {b} in choice {choice}?",
            lambda _, value: ("white", "black")[value],
            lambda _, panel: int(2 in necklace(*panel.values)),
        ),
    ),
    traits=(shape_trait(0, "among the beads of", _BEAD),),
)


def _hands(pen: Pen, look: Look, panel: Panel) -> None:
    long, short = panel.values[0], sum(panel.values) % 8
    put(pen, look, 0, _MIDDLE, 450)
    pen.line([_MIDDLE, polar(_MIDDLE, 330, 45 * long)], width=20)
    pen.disc(polar(_MIDDLE, 330, 45 * long), 40)
    pen.line([_MIDDLE, polar(_MIDDLE, 170, 45 * short)], width=44)
    pen.disc(_MIDDLE, 30)


HANDS = Form(
    name="hands",
    fields=(Field("long", CYCLE, 0, 7), Field("gap", CYCLE, 0, 7)),
    readings=(Reading("short", CYCLE, lambda _, values: sum(values) % 8, ring=8),),
    sorts={GEOMETRIC: ("circle", "hexagon"), ABSTRACT: ("jagged shape", "five-lobed blob")},
    draw=_hands,
    describe=lambda look, panel: (
        f"A dial shaped like {one(look.sorts[0])} with two hands: the long thin one points {CLOCK[panel.values[0]]}, "
        f"the short thick one points {CLOCK[sum(panel.values) % 8]}."
    ),
    details=tuple(
        Detail(
            "location",
            lambda _, which=which: f"Does the {which} hand point {{a}} or {{b}} in choice {{choice}}?",
            lambda _, value: CLOCK[value],
            of,
        )
        for which, of in (("long", field_value(0)), ("short", lambda _, panel: sum(panel.values) % 8))
    ),
)


def patch_cells(look: Look, panel: Panel) -> list[tuple[int, int]]:
    """Return the filled cells of a five by five board as (row, column)."""
    figure, left, top = panel.values
    cells = block_figures(look.seed, 2, (2, 2))[figure // 2]
    shown = mirrored(cells) if figure % 2 else normal(cells)
    return sorted((y + top, x + left) for x, y in shown)


def _patch(pen: Pen, look: Look, panel: Panel) -> None:
    grid(pen, 5)
    for row, column in patch_cells(look, panel):
        put(pen, look, 0, (80 + 168 * (column + 0.5), 80 + 168 * (row + 0.5)), 68, shade=BLACK, width=12)


PATCH = Form(
    name="patch",
    fields=(Field("figure", SORT, 0, 3), Field("column", SORT, 0, 2), Field("row", SORT, 0, 2)),
    sorts=_SOLID,
    draw=_patch,
    describe=lambda look, panel: (
        f"A grid of five by five cells with a black {look.sorts[0]} in "
        f"{listed([f'row {row + 1} column {column + 1}' for row, column in patch_cells(look, panel)])}."
    ),
    details=(
        Detail(
            "color",
            lambda _: "Is the cell in the very middle of choice {choice} {a} or {b}?",
            lambda _, value: ("empty", "filled")[value],
            lambda look, panel: int((2, 2) in patch_cells(look, panel)),
        ),
    ),
    traits=(shape_trait(0, "in the cells of", _SOLID),),
)

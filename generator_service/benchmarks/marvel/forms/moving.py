"""Forms of temporal movement: markers that move on rings, boards and lines."""

from math import isqrt

from generator_service.benchmarks.marvel.forms.board import cell_middle, grid
from generator_service.benchmarks.marvel.forms.form import (
    NOWHERE,
    SOLID_SORTS,
    Detail,
    Field,
    Form,
    Reading,
    color_trait,
    draw_figure,
    field_value,
    name_colored,
    shade_of,
    shape_trait,
    with_article,
)
from generator_service.benchmarks.marvel.forms.words import ORDINALS, cell_words, clock_words
from generator_service.benchmarks.marvel.rules.laws import CYCLE, TRACK
from generator_service.benchmarks.marvel.spec import Look, Panel
from generator_service.drawing.vector import GREY, MIDDLE, Pen, polar


def _ring(pen: Pen, look: Look, panel: Panel) -> None:
    draw_figure(pen, look, 0, MIDDLE, 215)
    for place in range(look.ground):
        pen.disc(polar(MIDDLE, 375, 360 * place / look.ground), 16, GREY)
    at = polar(MIDDLE, 375, 360 * panel.values[0] / look.ground)
    draw_figure(pen, look, 1, at, 92, shade=shade_of(look, 1))


RING = Form(
    name="ring",
    fields=(Field("place", CYCLE, 0, 0, by_ground=True),),
    grounds=(6, 8),
    sorts=SOLID_SORTS,
    slots=2,
    draw=_ring,
    describe=lambda look, panel: (
        f"{with_article(look.sorts[0])} in the middle of a ring of {look.ground} places; "
        f"a {name_colored(look, 1, 1)} stands {clock_words(panel.values[0], look.ground)} of the ring."
    ).capitalize(),
    details=(
        Detail(
            kind="location",
            ask=lambda look: f"Does the {look.sorts[1]} stand {{a}} or {{b}} of the ring in choice {{choice}}?",
            answer=lambda look, value: clock_words(value, look.ground),
            of=field_value(0),
        ),
    ),
    traits=(color_trait(1, 1), shape_trait(0, "in the middle of", SOLID_SORTS)),
)


def _rings(pen: Pen, look: Look, panel: Panel) -> None:
    for radius in (390, 205):
        pen.circle(MIDDLE, radius, width=8)
        for place in range(look.ground):
            pen.disc(polar(MIDDLE, radius, 360 * place / look.ground), 15, GREY)
    for slot, radius, reach in ((0, 390, 80), (1, 205, 74)):
        at = polar(MIDDLE, radius, 360 * panel.values[slot] / look.ground)
        draw_figure(pen, look, slot, at, reach, shade=shade_of(look, slot))


def _rings_detail(slot: int, which: str) -> Detail:
    return Detail(
        kind="location",
        ask=lambda look: f"Does the {look.sorts[slot]} stand {{a}} or {{b}} of the {which} ring in choice {{choice}}?",
        answer=lambda look, value: clock_words(value, look.ground),
        of=field_value(slot),
    )


RINGS = Form(
    name="rings",
    fields=(Field("outer", CYCLE, 0, 0, by_ground=True), Field("inner", CYCLE, 0, 0, by_ground=True)),
    readings=(
        Reading("gap", CYCLE, lambda look, values: (values[1] - values[0]) % look.ground, lambda look: look.ground),
    ),
    grounds=(6, 8),
    sorts=SOLID_SORTS,
    slots=2,
    draw=_rings,
    describe=lambda look, panel: (
        f"Two rings of {look.ground} places, one inside the other; a {name_colored(look, 0, 0)} "
        f"{clock_words(panel.values[0], look.ground)} of the outer ring, a {name_colored(look, 1, 1)} "
        f"{clock_words(panel.values[1], look.ground)} of the inner ring."
    ),
    details=(_rings_detail(0, "outer"), _rings_detail(1, "inner")),
    traits=(color_trait(0, 0), color_trait(1, 1), shape_trait(0, "on the outer ring of", SOLID_SORTS)),
)


def _across(look: Look) -> int:
    return isqrt(look.ground)


def _cell(look: Look, values: tuple[int, ...]) -> tuple[int, int]:
    """Return the row and the column of the figure."""
    return divmod(values[0], _across(look))


def _down_the_columns(look: Look, values: tuple[int, ...]) -> int:
    row, column = _cell(look, values)
    return column * _across(look) + row


def _back_and_forth(look: Look, values: tuple[int, ...]) -> int:
    """Return the cell's place on a path that runs along the first row, back along the second, and so on."""
    row, column = _cell(look, values)
    return row * _across(look) + (_across(look) - 1 - column if row % 2 else column)


def _round_the_border(look: Look, values: tuple[int, ...]) -> int:
    """Return the cell's place on the border, clockwise from the upper left; NOWHERE inside."""
    (row, column), last = _cell(look, values), _across(look) - 1
    if row == 0:
        return column
    if column == last:
        return last + row
    if row == last:
        return 3 * last - column
    return 4 * last - row if column == 0 else NOWHERE


def _walk(pen: Pen, look: Look, panel: Panel) -> None:
    (row, column), across = _cell(look, panel.values), _across(look)
    grid(pen, across)
    draw_figure(pen, look, 0, cell_middle(column, row, across), 290 / across, shade=shade_of(look, 0))


def walk_words(look: Look, value: int) -> str:
    return cell_words(value, _across(look))


WALK = Form(
    name="walk",
    fields=(Field("place", CYCLE, 0, 0, by_ground=True),),
    grounds=(9, 16),
    sorts=SOLID_SORTS,
    draw=_walk,
    readings=(
        *(Reading("row", kind, lambda look, values: _cell(look, values)[0], _across) for kind in (CYCLE, TRACK)),
        *(Reading("column", kind, lambda look, values: _cell(look, values)[1], _across) for kind in (CYCLE, TRACK)),
        Reading("down the columns", CYCLE, _down_the_columns, lambda look: look.ground),
        Reading("back and forth", CYCLE, _back_and_forth, lambda look: look.ground),
        Reading("round the border", CYCLE, _round_the_border, lambda look: 4 * (_across(look) - 1)),
    ),
    describe=lambda look, panel: (
        f"A grid of {_across(look)} by {_across(look)} cells; a {name_colored(look, 0, 0)} in "
        f"{walk_words(look, panel.values[0])}, the other cells empty."
    ),
    details=(
        Detail(
            kind="location",
            ask=lambda look: f"Is the {look.sorts[0]} in {{a}} or in {{b}} of the grid in choice {{choice}}?",
            answer=walk_words,
            of=field_value(0),
        ),
    ),
    traits=(color_trait(0, 0), shape_trait(0, "in the grid of", SOLID_SORTS)),
)

STATIONS = 5


def _station(look: Look, place: int) -> tuple[float, float]:
    along = 120 + 760 * place / (STATIONS - 1)
    return ((along, 500.0), (500.0, along), (along, along), (along, 1000 - along))[look.ground]


def _line(pen: Pen, look: Look, panel: Panel) -> None:
    pen.line([_station(look, 0), _station(look, STATIONS - 1)], width=10)
    for place in range(STATIONS):
        pen.disc(_station(look, place), 20, GREY)
    draw_figure(pen, look, 0, _station(look, panel.values[0]), 100, shade=shade_of(look, 0))


_FROM = ("from the left", "from the top", "from the top left", "from the bottom left")

LINE_FORM = Form(
    name="line",
    fields=(Field("station", TRACK, 0, STATIONS - 1),),
    grounds=(0, 1, 2, 3),
    sorts=SOLID_SORTS,
    draw=_line,
    describe=lambda look, panel: (
        f"A straight line with five stations; a {name_colored(look, 0, 0)} at the {ORDINALS[panel.values[0]]} station "
        f"{_FROM[look.ground]}."
    ),
    details=(
        Detail(
            kind="location",
            ask=lambda look: (
                f"Is the {look.sorts[0]} at the {{a}} or the {{b}} station {_FROM[look.ground]} in choice {{choice}}?"
            ),
            answer=lambda _, value: ORDINALS[value],
            of=field_value(0),
        ),
    ),
    traits=(color_trait(0, 0), shape_trait(0, "on the line of", SOLID_SORTS)),
)

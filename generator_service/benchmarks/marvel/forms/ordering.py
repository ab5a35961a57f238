"""Forms of spatial relationship: three figures in one of their six orders."""

from itertools import permutations
from math import sqrt

from generator_service.benchmarks.marvel.forms.form import (
    PLAIN_SORTS,
    ROUND_SORTS,
    Detail,
    Field,
    Form,
    Reading,
    color_trait,
    draw_figure,
    name_colored,
    outline_of,
    shade_of,
    with_article,
)
from generator_service.benchmarks.marvel.forms.words import list_words
from generator_service.benchmarks.marvel.rules.laws import SORT
from generator_service.benchmarks.marvel.spec import ABSTRACT, Look, Panel
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.vector import BLACK, MIDDLE, WHITE, Pen, Point, move_path

ORDERS = tuple(permutations(range(3)))


def _slots_read(place: int) -> Reading:
    return Reading(f"slot {place}", SORT, lambda _, values: ORDERS[values[0]][place])


def _order_detail(ask: str, place: int) -> Detail:
    return Detail(
        kind="shape",
        ask=lambda _: ask,
        answer=lambda look, value: with_article(look.sorts[value]),
        of=lambda _, panel: ORDERS[panel.values[0]][place],
    )


def _nest(pen: Pen, look: Look, panel: Panel) -> None:
    radius, turn = 430.0, 15 * (panel.values[1] - 1)
    for depth, slot in enumerate(ORDERS[panel.values[0]]):
        figure = outline_of(look, slot)
        shade = BLACK if depth == 2 else WHITE  # noqa: PLR2004 - the innermost
        pen.outline(move_path(figure.points, MIDDLE, radius, turn), shade=shade, smooth=figure.smooth)
        radius *= figure.room * 0.72


_TILTS = (" The figures are tilted to the left.", "", " The figures are tilted to the right.")


def _nest_words(look: Look, panel: Panel) -> str:
    outer, middle, inner = (look.sorts[slot] for slot in ORDERS[panel.values[0]])
    nested = f"{with_article(outer)} with {with_article(middle)} inside it"
    words = f"{nested}, and inside that a small black {inner}.".capitalize()
    return f"{words}{_TILTS[panel.values[1]]}"


NEST = Form(
    name="nest",
    fields=(Field("order", SORT, 0, 5), Field("tilt", SORT, 0, 2)),
    readings=tuple(map(_slots_read, range(3))),
    sorts=ROUND_SORTS,
    slots=3,
    draw=_nest,
    describe=_nest_words,
    details=(
        _order_detail("Is the outermost figure in choice {choice} {a} or {b}?", 0),
        _order_detail("Is the innermost figure in choice {choice} {a} or {b}?", 2),
    ),
)


def _row_at(axis: int, place: int) -> Point:
    along = 190.0 + 310 * place
    return ((along, 500.0), (500.0, along), (along, along))[axis]


def _row(pen: Pen, look: Look, panel: Panel) -> None:
    order, axis = panel.values
    for place, slot in enumerate(ORDERS[order]):
        draw_figure(pen, look, slot, _row_at(axis, place), 140, shade=shade_of(look, slot))


_WAYS = ("from left to right", "from top to bottom", "from top left to bottom right")

ROW = Form(
    name="row",
    fields=(Field("order", SORT, 0, 5), Field("axis", SORT, 0, 2)),
    readings=tuple(map(_slots_read, range(3))),
    sorts=PLAIN_SORTS,
    slots=3,
    draw=_row,
    describe=lambda look, panel: (
        f"Three figures in a line {_WAYS[panel.values[1]]}: "
        f"{list_words([f'a {name_colored(look, slot, slot)}' for slot in ORDERS[panel.values[0]]])}."
    ),
    details=(
        _order_detail("Is the middle one of the three figures in choice {choice} {a} or {b}?", 1),
        _order_detail("Is the first of the three figures in choice {choice}, from the left or the top, {a} or {b}?", 0),
    ),
    traits=tuple(color_trait(slot, slot) for slot in range(3)),
)


# For their radius, they are so far apart that each figure shows one connected piece in any order, and so near that they
# leave no hole between them. Of every two figures, one visibly hides a part of the other.
_LAYER_SPOTS: tuple[Point, ...] = ((339.0, 358.0), (661.0, 369.0), (490.0, 642.0))
_LAYER_RADIUS = 300.0
# The share of the way to the circle. With deeper dents, a lobe would show again beyond the figure that hides it.
_ROUNDED = 0.4


def _layers(pen: Pen, look: Look, panel: Panel) -> None:
    """Draw three figures that overlap, one after the other."""
    order, mirror = panel.values
    for slot in reversed(ORDERS[order]):
        x, y = _LAYER_SPOTS[slot]
        figure = outline_of(look, slot)
        points = _less_dented(figure.points) if look.shape == ABSTRACT else figure.points
        placed = move_path(points, (1000 - x if mirror else x, y), _LAYER_RADIUS)
        pen.outline(placed, shade=_LAYER_SHADES[slot], smooth=figure.smooth)


@cache_within_budget(256)
def _less_dented(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Move an outline's points towards the unit circle."""
    shares = [1 + _ROUNDED * (1 / sqrt(x * x + y * y) - 1) for x, y in points]
    return tuple((share * x, share * y) for share, (x, y) in zip(shares, points, strict=True))


_LAYER_SHADES = (WHITE, 165, 60)
_LAYER_WORDS = ("white", "grey", "dark")


def _layer_words(look: Look, panel: Panel) -> str:
    top, middle, bottom = (f"a {_LAYER_WORDS[slot]} {look.sorts[slot]}" for slot in ORDERS[panel.values[0]])
    where = f"the {look.sorts[0]} is at the upper {('left', 'right')[panel.values[1]]}"
    return f"Three figures lie on one another: on top {top}, below it {middle}, at the bottom {bottom}; {where}."


LAYERS = Form(
    name="layers",
    fields=(Field("order", SORT, 0, 5), Field("mirror", SORT, 0, 1)),
    readings=tuple(map(_slots_read, range(3))),
    sorts=ROUND_SORTS,
    slots=3,
    draw=_layers,
    describe=_layer_words,
    details=(
        _order_detail("Is the topmost figure in choice {choice}, which hides parts of others, {a} or {b}?", 0),
        _order_detail("Is the lowest figure in choice {choice}, which others cover, {a} or {b}?", 2),
    ),
)

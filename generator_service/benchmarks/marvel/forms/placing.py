"""Forms of spatial relationship: the places of two figures, or of a figure and a dot."""

import numpy as np
import numpy.typing as npt

from generator_service.benchmarks.marvel.forms.form import (
    PLAIN_SORTS,
    ROUND_SORTS,
    Detail,
    Drawn,
    Field,
    Form,
    Reading,
    color_trait,
    draw_figure,
    field_value,
    name_colored,
    outline_of,
    shade_of,
    shape_trait,
    with_article,
)
from generator_service.benchmarks.marvel.forms.words import SIDES
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER, SORT
from generator_service.benchmarks.marvel.spec import Look, Panel
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.exact import Floats
from generator_service.drawing.vector import MIDDLE, Pen, Point, move_path

_QUARTERS = 4
_ORIGIN = (0.0, 0.0)
APART, TOUCHING, OVERLAPPING, INSIDE = range(4)


def _pair_slots(value: int) -> tuple[int, int]:
    """Return the two of the look's four outlines that a panel shows."""
    first, second = divmod(value, 3)
    return first, second + (second >= first)


def _laid_pair(look: Look, values: tuple[int, ...]) -> tuple[list[Point], list[Point]]:
    """Return both outlines about the origin, before the panel turns them."""
    relation, which = values
    a, b = (outline_of(look, slot) for slot in _pair_slots(which))
    if relation == INSIDE:
        return move_path(a.points, _ORIGIN, 390), move_path(b.points, _ORIGIN, 390 * a.room * 0.62)
    radius = 205.0
    right, left = max(x for x, _ in a.points) * radius, min(x for x, _ in b.points) * radius
    edge, back = next(y for x, y in a.points if x * radius == right), next(y for x, y in b.points if x * radius == left)
    gap = {APART: 110.0, TOUCHING: 0.0, OVERLAPPING: -0.5 * (right - left)}[relation]
    across, down = right + gap - left, (edge - back) * radius if relation == TOUCHING else 0.0
    return (
        move_path(a.points, (-across / 2, -down / 2), radius),
        move_path(b.points, (across / 2, down / 2), radius),
    )


def _quarter(_: Look, panel: Panel) -> int:
    return panel.seed % _QUARTERS


def _pair(pen: Pen, look: Look, panel: Panel) -> None:
    for points, slot in zip(_laid_pair(look, panel.values), _pair_slots(panel.values[1]), strict=True):
        turned = move_path(points, MIDDLE, 1.0, 90 * _quarter(look, panel))
        pen.outline(turned, shade=None, smooth=outline_of(look, slot).smooth)


@cache_within_budget(8192)
def _pair_regions(look: Look, values: tuple[int, ...]) -> int:
    """Count the closed regions: two closed lines that cross n times make n + 1."""
    if values[0] != OVERLAPPING:
        return 2
    return 1 + _count_crossings(*map(tuple, _laid_pair(look, values)))


def _pair_words(look: Look, panel: Panel) -> str:
    first, second = _pair_slots(panel.values[1])
    names = with_article(look.sorts[second]), with_article(look.sorts[first])
    if panel.values[0] == INSIDE:
        return f"{names[0]} inside {names[1]}.".capitalize()
    return f"{names[1]} and {names[0]} {('apart', 'touching each other', 'overlapping')[panel.values[0]]}.".capitalize()


PAIR = Form(
    name="pair",
    fields=(Field("relation", SORT, 0, 3), Field("which", SORT, 0, 11)),
    readings=(
        Reading("pieces", NUMBER, lambda _, values: 1 if values[0] in {TOUCHING, OVERLAPPING} else 2),
        Reading("closed regions", NUMBER, _pair_regions),
        Reading("first figure", SORT, lambda _, values: _pair_slots(values[1])[0]),
        Reading("second figure", SORT, lambda _, values: _pair_slots(values[1])[1]),
        Reading("both figures", SORT, lambda _, values: sum(1 << slot for slot in _pair_slots(values[1]))),
    ),
    drawn=(Drawn("quarter", CYCLE, _quarter, _QUARTERS),),
    sorts=PLAIN_SORTS,
    slots=4,
    draw=_pair,
    describe=_pair_words,
    details=(
        Detail(
            kind="location",
            ask=lambda _: "Are the two figures in choice {choice} {a} or {b}?",
            answer=lambda _, value: (
                "apart",
                "touching each other without overlapping",
                "overlapping",
                "one inside the other",
            )[value],
            of=field_value(0),
        ),
    ),
)


@cache_within_budget(8192)
def _free_spots(first: tuple[Point, ...], second: tuple[Point, ...], zone: int) -> tuple[Point, ...]:
    """List the roomiest places of a zone, best first."""
    inside = ((True, False), (False, True), (True, True), (False, False))[zone]
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(80.0, 921.0, 40.0), np.arange(80.0, 921.0, 40.0)))
    fits = (_contains(first, x, y) == inside[0]) & (_contains(second, x, y) == inside[1])
    x, y = x[fits], y[fits]
    room = np.minimum(_distances(first, x, y), _distances(second, x, y))
    border = np.minimum(np.minimum(x, y), 1000 - np.maximum(x, y)) - 30
    found = sorted(zip((-np.minimum(room, border)).tolist(), x.tolist(), y.tolist(), strict=True))
    return tuple((across, down) for _, across, down in found[:6])


def _edges(points: tuple[Point, ...]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return starts and ends of the outline's sides, each (sides, 1): x0, y0, x1, y1."""
    ring = np.array(points)
    after = np.roll(ring, -1, axis=0)
    return ring[:, :1], ring[:, 1:], after[:, :1], after[:, 1:]


def _contains(points: tuple[Point, ...], x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
    x0, y0, x1, y1 = _edges(points)
    rise = np.where(y1 == y0, 1.0, y1 - y0)
    crossed = ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / rise + x0)
    odd: npt.NDArray[np.bool_] = crossed.sum(axis=0) % 2 == 1
    return odd


def _distances(points: tuple[Point, ...], x: Floats, y: Floats) -> Floats:
    """Return the distance of each place from the outline."""
    x0, y0, x1, y1 = _edges(points)
    dx, dy = x1 - x0, y1 - y0
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / np.maximum(dx * dx + dy * dy, 1e-9), 0.0, 1.0)
    off_x, off_y = x - x0 - along * dx, y - y0 - along * dy
    nearest: Floats = np.sqrt((off_x * off_x + off_y * off_y).min(axis=0))
    return nearest


def _count_crossings(first: tuple[Point, ...], second: tuple[Point, ...]) -> int:
    """Count the crossings of two outlines. Two sides cross if the ends of each lie on different hands of the other."""
    (ax, ay, bx, by), (cx, cy, dx, dy) = _edges(first), (part.T for part in _edges(second))

    def hand(x: Floats, y: Floats, *line: Floats) -> npt.NDArray[np.bool_]:
        x0, y0, x1, y1 = line
        positive: npt.NDArray[np.bool_] = (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0)
        return positive

    across = hand(ax, ay, cx, cy, dx, dy) != hand(bx, by, cx, cy, dx, dy)
    along = hand(cx, cy, ax, ay, bx, by) != hand(dx, dy, ax, ay, bx, by)
    return int((across & along).sum())


_APART = 125.0  # from the middle: with more, the overlap of two lobed outlines leaves no room for the dot
_DOT = 34


def _zone_outlines(look: Look, axis: int) -> tuple[list[Point], list[Point]]:
    a, b = outline_of(look, 0), outline_of(look, 1)
    off = ((_APART, 0.0), (0.0, _APART))[axis]
    return (
        move_path(a.points, (500 - off[0], 500 - off[1]), 300),
        move_path(b.points, (500 + off[0], 500 + off[1]), 300),
    )


def _zone(pen: Pen, look: Look, panel: Panel) -> None:
    zone, axis = panel.values
    first, second = _zone_outlines(look, axis)
    pen.outline(first, shade=None, smooth=outline_of(look, 0).smooth)
    pen.outline(second, shade=None, smooth=outline_of(look, 1).smooth)
    spots = _free_spots(tuple(first), tuple(second), zone)
    pen.disc(spots[panel.seed % min(2, len(spots))], _DOT)


def _zone_words(look: Look, panel: Panel) -> str:
    first, second = look.sorts[0], look.sorts[1]
    dot = (f"inside the {first} only", f"inside the {second} only", "inside both, where they overlap", "outside both")
    place = ("beside", "above")[panel.values[1]]
    words = f"{with_article(first)} overlapping {with_article(second)}, the {first} {place} the {second}; a black dot "
    return f"{words}{dot[panel.values[0]]}.".capitalize()


ZONE = Form(
    name="zone",
    fields=(Field("zone", SORT, 0, 3), Field("axis", SORT, 0, 1)),
    sorts=ROUND_SORTS,
    slots=2,
    scattered=True,  # in which of the two roomiest spots the dot lies
    draw=_zone,
    describe=_zone_words,
    details=(
        Detail(
            kind="location",
            ask=lambda _: "Is the black dot in choice {choice} {a} or {b}?",
            answer=lambda look, value: (
                f"inside the {look.sorts[0]} only",
                f"inside the {look.sorts[1]} only",
                "inside both figures",
                "outside both figures",
            )[value],
            of=field_value(0),
        ),
    ),
    traits=(shape_trait(0, "in", ROUND_SORTS),),
)


def _beside(pen: Pen, look: Look, panel: Panel) -> None:
    side, far = panel.values
    draw_figure(pen, look, 0, MIDDLE, 200)
    reach = (305.0, 385.0)[far]
    at = ((500.0, 500 - reach), (500 + reach, 500.0), (500.0, 500 + reach), (500 - reach, 500.0))[side]
    draw_figure(pen, look, 1, at, 80, shade=shade_of(look, 1))


BESIDE = Form(
    name="beside",
    fields=(Field("side", SORT, 0, 3), Field("far", SORT, 0, 1)),
    sorts=PLAIN_SORTS,
    slots=2,
    draw=_beside,
    describe=lambda look, panel: (
        f"A small {name_colored(look, 1, 1)} {SIDES[panel.values[0]]} a large {look.sorts[0]}, "
        f"{('close to it', 'farther away')[panel.values[1]]}."
    ),
    details=(
        Detail(
            kind="location",
            ask=lambda look: f"Is the {look.sorts[1]} {{a}} or {{b}} the {look.sorts[0]} in choice {{choice}}?",
            answer=lambda _, value: SIDES[value],
            of=field_value(0),
        ),
    ),
    traits=(color_trait(1, 1), shape_trait(0, "in the middle of", PLAIN_SORTS)),
)

"""Forms of 2d-geometry: open and closed, curved and straight, dents."""

from collections.abc import Callable
from itertools import pairwise

from generator_service.benchmarks.marvel.forms.counting import chance
from generator_service.benchmarks.marvel.forms.form import (
    Detail,
    Drawn,
    Field,
    Form,
    Reading,
    count_details,
    count_of,
    field_value,
    shade_of,
)
from generator_service.benchmarks.marvel.rules.laws import NUMBER, SORT
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import LINE, MIDDLE, Pen, Point, polar, sine


def _radial(panel: Panel, look: Look, corners: int) -> list[Point]:
    stream = chance(panel, "corners")
    turn = stream.below(360)
    uneven = 130 if look.shape == ABSTRACT else 0
    return [
        polar(MIDDLE, 400 - (stream.below(uneven) if uneven else 0), turn + 360 * corner / corners)
        for corner in range(corners)
    ]


def _corners(panel: Panel) -> int:
    """Return the number of corners or bulges of the outline."""
    return 4 + chance(panel, "count").below(3)


def _straight_sides(_: Look, panel: Panel) -> int:
    open_, curved = panel.values
    return 0 if curved else _corners(panel) - open_


def _curve(pen: Pen, look: Look, panel: Panel) -> None:
    open_, curved = panel.values
    corners = _corners(panel)
    points = _radial(panel, look, corners)
    ring = [*points, points[0]]
    path = _round_path(points) if curved else _straight(ring)
    share = (corners - 1) / corners if not curved else 0.8  # a side is missing, or a fifth of the curve
    kept = path[: round(len(path) * share)] if open_ else path
    pen.line(kept, width=24, smooth=True)  # sides are split, and round where they meet
    if not curved:
        for point in points:
            if point in kept:
                pen.disc(point, 12)


def _straight(ring: list[Point]) -> list[Point]:
    """Split each side in ten, so that an opening can end within a side."""
    return [
        (a[0] + (b[0] - a[0]) * step / 10, a[1] + (b[1] - a[1]) * step / 10)
        for a, b in pairwise(ring)
        for step in range(10)
    ] + [ring[-1]]


def _round_path(points: list[Point]) -> list[Point]:
    """Draw a closed Catmull-Rom curve through the points, ten steps each."""
    count, path = len(points), []
    for at in range(count):
        a, b, c, d = (points[(at + off) % count] for off in (-1, 0, 1, 2))
        path += [tuple(_spline(a[axis], b[axis], c[axis], d[axis], step / 10) for axis in (0, 1)) for step in range(10)]
    return [(x, y) for x, y in [*path, path[0]]]


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t)


CURVE = Form(
    name="curve",
    fields=(Field("open", SORT, 0, 1), Field("curved", SORT, 0, 1)),
    readings=(Reading("closed regions", NUMBER, lambda _, values: 1 - values[0]),),
    drawn=(
        Drawn("corners", NUMBER, lambda _, panel: _corners(panel)),
        Drawn("straight sides", NUMBER, _straight_sides),
    ),
    draw=_curve,
    describe=lambda _, panel: (
        f"{('A closed', 'An open')[panel.values[0]]} outline made of "
        f"{('straight sides', 'a curved line')[panel.values[1]]}."
    ),
    details=(
        Detail(
            kind="shape",
            ask=lambda _: "Is the outline in choice {choice} {a} or {b}?",
            answer=lambda _, value: ("closed", "open")[value],
            of=field_value(0),
        ),
        Detail(
            kind="shape",
            ask=lambda _: "Is the outline in choice {choice} made of {a} or {b} lines?",
            answer=lambda _, value: ("straight", "curved")[value],
            of=field_value(1),
        ),
    ),
)


def _change_sides(
    bulge: Callable[[Point, Point], list[Point]], *, smooth: bool = False
) -> Callable[[Pen, Look, Panel], None]:
    """Draw a hexagon, `count` of whose sides are changed; smooth: a changed side has no corners but its ends."""

    def draw(pen: Pen, look: Look, panel: Panel) -> None:
        points = _radial(panel, look, 6)
        changed = set(chance(panel, "sides").sample(range(6), panel.values[0]))
        path: list[Point] = []
        for side in range(6):
            a, b = points[side], points[(side + 1) % 6]
            path += bulge(a, b) if side in changed else [a]
        pen.outline(path, shade=shade_of(look, 0), smooth=smooth)
        for corner in points if smooth else ():
            pen.disc(corner, LINE / 2)

    return draw


def _off(a: Point, b: Point, share: float, out: float) -> Point:
    """Return a point along a side, moved out from the middle by a share of the side's length."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return a[0] + dx * share + dy * out, a[1] + dy * share - dx * out


def _arc(a: Point, b: Point) -> list[Point]:
    return [_off(a, b, step / 12, -0.26 * sine(180 * step / 12)) for step in range(12)]


def _notch(a: Point, b: Point) -> list[Point]:
    return [a, _off(a, b, 0.3, 0.0), _off(a, b, 0.5, -0.36), _off(a, b, 0.7, 0.0)]


def _bent_words(count: int) -> str:
    if count == 0:
        return "no side bent, all six straight"
    if count == 6:  # noqa: PLR2004 - all the sides there are
        return "all six sides bent inwards in a curve"
    return f"{count_of(count, 'side')} bent inwards in a curve, the {'others' if count < 5 else 'other'} straight"  # noqa: PLR2004 - one is left


SIDES_FORM = Form(
    name="curved sides",
    fields=(Field("count", NUMBER, 0, 6),),
    readings=(Reading("straight sides", NUMBER, lambda _, values: 6 - values[0]),),
    scattered=True,  # which sides are bent, and how the figure is turned
    draw=_change_sides(_arc, smooth=True),
    describe=lambda look, panel: (
        f"A six-sided {'regular' if look.shape == GEOMETRIC else 'uneven'} outline; {_bent_words(panel.values[0])}."
    ),
    details=count_details("curved sides"),
)
NOTCHES = Form(
    name="notches",
    fields=(Field("count", NUMBER, 0, 6),),
    readings=(Reading("corners", NUMBER, lambda _, values: 6 + 3 * values[0]),),
    scattered=True,  # which sides have a notch, and how the figure is turned
    draw=_change_sides(_notch),
    describe=lambda look, panel: (
        f"A six-sided {'regular' if look.shape == GEOMETRIC else 'uneven'} outline with "
        f"{count_of(panel.values[0], 'pointed notch')} cut into its sides."
    ),
    details=count_details("notches"),
)

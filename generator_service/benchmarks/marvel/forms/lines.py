"""Forms of quantities: strokes, pieces and crossings."""

from generator_service.benchmarks.marvel.forms.counting import chance
from generator_service.benchmarks.marvel.forms.form import (
    ROUND_SORTS,
    Drawn,
    Field,
    Form,
    Reading,
    count_details,
    count_of,
    outline_of,
    shape_trait,
    with_article,
)
from generator_service.benchmarks.marvel.rules.laws import NUMBER, SORT
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import MIDDLE, WHITE, Pen, Point, move_path, polar, sine


def _strokes(pen: Pen, look: Look, panel: Panel) -> None:
    count, stream = panel.values[0], chance(panel, "strokes")
    pitch = 880 / count
    for number in range(count):
        across = 60 + pitch * (number + 0.5)
        lean = (stream.below(201) - 100) / 100 * min(pitch * 0.3, 60)
        top, bottom = 120.0 + stream.below(160), 880.0 - stream.below(160)
        if look.shape == GEOMETRIC:
            pen.line(_lay_path([(across - lean, top), (across + lean, bottom)], look), width=22)
            continue
        bend = min(pitch * 0.28, 50) * (1 if stream.below(2) else -1)
        wave = [(across + bend * sine(540 * step / 24), top + (bottom - top) * step / 24) for step in range(25)]
        pen.line(_lay_path(wave, look), width=22, smooth=True)


def _lay_path(path: list[Point], look: Look) -> list[Point]:
    return [(y, x) for x, y in path] if look.ground else path


STROKES = Form(
    name="strokes",
    fields=(Field("count", NUMBER, 1, 9),),
    grounds=(0, 1),
    scattered=True,  # how lines lean
    draw=_strokes,
    describe=lambda look, panel: (
        f"{count_of(panel.values[0], 'separate ' + ('straight' if look.shape == GEOMETRIC else 'wavy') + ' line')}, "
        f"{('side by side', 'one below the other')[look.ground]}."
    ).capitalize(),
    details=count_details("lines"),
)


def _regions(pen: Pen, look: Look, panel: Panel) -> None:
    count, figure = panel.values[0], outline_of(look, 0)
    turn = chance(panel, "turn").below(360)
    points = move_path(figure.points, MIDDLE, 420, 0)
    pen.outline(points, shade=WHITE, smooth=figure.smooth)
    for number in range(count if count > 1 else 0):
        angle = turn + 360 * number / count
        pen.line([MIDDLE, _edge(points, angle)], width=14)


def _edge(points: list[Point], degrees: float) -> Point:
    """Return where a ray from the middle first leaves the outline."""
    far = polar(MIDDLE, 1500, degrees)
    best = 1.0
    for (x0, y0), (x1, y1) in zip(points, (*points[1:], points[0]), strict=True):
        dx, dy, ex, ey = far[0] - 500, far[1] - 500, x1 - x0, y1 - y0
        cross = dx * ey - dy * ex
        if cross:
            along, beside = ((x0 - 500) * ey - (y0 - 500) * ex) / cross, ((x0 - 500) * dy - (y0 - 500) * dx) / cross
            if 0 < along < best and 0 <= beside <= 1:
                best = along
    return 500 + best * (far[0] - 500), 500 + best * (far[1] - 500)


REGIONS = Form(
    name="regions",
    fields=(Field("count", NUMBER, 1, 9),),
    readings=(Reading("cuts", NUMBER, lambda _, values: values[0] * (values[0] > 1)),),
    sorts=ROUND_SORTS,
    scattered=True,  # how the cuts are turned
    draw=_regions,
    describe=lambda look, panel: (
        f"{with_article(look.sorts[0])} cut from its middle into {count_of(panel.values[0], 'piece')}."
        if panel.values[0] > 1
        else f"{with_article(look.sorts[0])} in one piece, not cut."
    ).capitalize(),
    details=count_details("pieces (closed regions)"),
    traits=(shape_trait(0, "as the outer figure of", ROUND_SORTS),),
)


def _starts_below(_: Look, panel: Panel) -> int:
    return chance(panel, "side").below(2)


def _crossings(pen: Pen, look: Look, panel: Panel) -> None:
    count, up = panel.values[0], 1 if _starts_below(look, panel) else -1
    stream = chance(panel, "wave")
    pen.line(_lay_path([(60, 500), (940, 500)], look), width=14)
    bends = [60.0, *(60 + 880 * (number + 0.5) / (count + 1) for number in range(1, count + 1)), 940.0]
    heights = [180 + stream.below(130) for _ in range(count + 1)]
    path: list[Point] = []
    for half in range(count + 1):
        left, right = bends[half], bends[half + 1]
        sign = up if half % 2 else -up
        path += _hump(
            left, right, sign * heights[half], first=half == 0, last=half == count, straight=look.shape == GEOMETRIC
        )
    pen.line(_lay_path(path, look), width=16, smooth=look.shape == ABSTRACT)


def _hump(left: float, right: float, height: float, *, first: bool, last: bool, straight: bool) -> list[Point]:
    """Draw one half wave on one side of the line; the first and last stop at their tops."""
    start, end = (90.0 if first else 0.0), (90.0 if last else 180.0)
    steps = 2 if straight and not (first or last) else 1 if straight else 12
    shares = [step / steps for step in range(steps + 1)]
    return [(left + (right - left) * share, 500 - height * sine(start + (end - start) * share)) for share in shares]


CROSSINGS = Form(
    name="crossings",
    fields=(Field("count", NUMBER, 1, 8),),
    readings=(Reading("loops", NUMBER, lambda _, values: values[0] - 1),),
    drawn=(Drawn("start", SORT, _starts_below),),
    grounds=(0, 1),
    draw=_crossings,
    describe=lambda look, panel: (
        f"A straight line, and a {('wavy', 'zigzag')[look.shape == GEOMETRIC]} line that crosses it "
        f"{count_of(panel.values[0], 'time')}."
    ),
    details=count_details("crossings"),
)

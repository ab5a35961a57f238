"""Make closed outlines within the unit circle about the origin, y down: named geometric figures and abstract ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.vector import Point, cosine, polar, sine
from tetrad.streams import Stream

_ORIGIN = (0.0, 0.0)
_ROUND = 48  # corners of a circle: at a radius of 90 pixels they stand out by a fifth of a pixel


@dataclass(frozen=True)
class Outline:
    """A closed figure. `smooth`: it has no corners that need joints. `room`: the radius of the free disc inside it."""

    name: str
    points: tuple[Point, ...]
    smooth: bool = False

    @property
    def room(self) -> float:
        return _room(self.points)


@cache_within_budget(4096)
def _room(points: tuple[Point, ...]) -> float:
    return min(distance(_ORIGIN, a, b) for a, b in pairwise((*points, points[0])))


def distance(point: Point, start: Point, end: Point) -> float:
    """Return the distance of the point from the segment."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = across * across + down * down
    along = 0.0 if length == 0 else ((point[0] - start[0]) * across + (point[1] - start[1]) * down) / length
    along = min(max(along, 0.0), 1.0)
    off_x, off_y = point[0] - start[0] - along * across, point[1] - start[1] - along * down
    return float((off_x * off_x + off_y * off_y) ** 0.5)


def regular(corners: int, turn: float = 0.0) -> tuple[Point, ...]:
    return tuple(polar(_ORIGIN, 1.0, turn + 360 * corner / corners) for corner in range(corners))


def star(points: int, depth: float) -> tuple[Point, ...]:
    return tuple(polar(_ORIGIN, depth if corner % 2 else 1.0, 180 * corner / points) for corner in range(2 * points))


def _heart() -> tuple[Point, ...]:
    points = []
    for step in range(_ROUND):
        angle = 360 * step / _ROUND
        across = 16 * sine(angle) ** 3
        up = 13 * cosine(angle) - 5 * cosine(2 * angle) - 2 * cosine(3 * angle) - cosine(4 * angle)
        points.append((across / 17, -up / 17))
    return tuple(points)


def _half_disc() -> tuple[Point, ...]:
    return tuple((0.95 * x, 0.95 * y + 0.4) for x, y in (polar(_ORIGIN, 1.0, -90 + 180 * s / 24) for s in range(25)))


def _ellipse() -> tuple[Point, ...]:
    return tuple((x, 0.6 * y) for x, y in regular(_ROUND))


_GEOMETRIC: Mapping[str, Callable[[], Outline]] = {
    "circle": lambda: Outline("circle", regular(_ROUND), smooth=True),
    "square": lambda: Outline("square", regular(4, 45)),
    "triangle": lambda: Outline("triangle", regular(3)),
    "pentagon": lambda: Outline("pentagon", regular(5)),
    "hexagon": lambda: Outline("hexagon", regular(6, 30)),
    "diamond": lambda: Outline("diamond", ((0.0, -1.0), (0.68, 0.0), (0.0, 1.0), (-0.68, 0.0))),
    "ellipse": lambda: Outline("ellipse", _ellipse(), smooth=True),
    "trapezoid": lambda: Outline("trapezoid", ((-0.48, -0.6), (0.48, -0.6), (0.95, 0.6), (-0.95, 0.6))),
    "star": lambda: Outline("star", star(5, 0.45)),
    "cross": lambda: Outline("cross", _cross()),
    "heart": lambda: Outline("heart", _heart()),
    "half disc": lambda: Outline("half disc", _half_disc()),
    "arrow": lambda: Outline("arrow", _arrow()),
    "house": lambda: Outline("house", ((0, -0.95), (0.75, -0.2), (0.75, 0.8), (-0.75, 0.8), (-0.75, -0.2))),
}
GEOMETRIC = tuple(_GEOMETRIC)


def _cross() -> tuple[Point, ...]:
    near, far = 0.33, 0.95
    quarter = [(near, -far), (near, -near), (far, -near)]
    return tuple(point for turn in range(4) for point in _quarter_turned(quarter, turn))


def _quarter_turned(points: list[Point], turns: int) -> list[Point]:
    for _ in range(turns):
        points = [(-y, x) for x, y in points]
    return points


def _arrow() -> tuple[Point, ...]:
    return ((0, -1), (0.75, -0.15), (0.3, -0.15), (0.3, 0.95), (-0.3, 0.95), (-0.3, -0.15), (-0.75, -0.15))


@cache_within_budget(len(GEOMETRIC))
def geometric(name: str) -> Outline:
    return _GEOMETRIC[name]()


ABSTRACT = ("three-lobed blob", "four-lobed blob", "five-lobed blob", "jagged shape", "block shape", "bean")


@cache_within_budget(4096)
def abstract(name: str, seed: int) -> Outline:
    """Return the abstract outline of this sort and seed."""
    stream = Stream("tetrad/drawing/outline", 1, name, seed)
    if name.endswith("lobed blob"):
        return Outline(name, _draw_lobes({"t": 3, "f": 4}[name[0]] + (name[:2] == "fi"), stream), smooth=True)
    if name == "jagged shape":
        return Outline(name, _draw_jagged(stream))
    if name == "bean":
        return Outline(name, _bean(stream), smooth=True)
    return Outline(name, _blocks(stream))


def _between(stream: Stream, low: float, high: float) -> float:
    return low + (high - low) * stream.below(1001) / 1000


def _draw_lobes(lobes: int, stream: Stream) -> tuple[Point, ...]:
    """Draw a closed wave about a circle, its lobes of uneven height."""
    start, tilt = _between(stream, 0, 360), _between(stream, 0, 360)
    deep, lean = _between(stream, 0.15, 0.2), _between(stream, 0.02, 0.06)
    steps = 12 * lobes
    return tuple(
        polar(_ORIGIN, 0.76 + deep * cosine(lobes * angle + start) + lean * cosine(angle + tilt), angle)
        for angle in (360 * step / steps for step in range(steps))
    )


def _draw_jagged(stream: Stream) -> tuple[Point, ...]:
    corners = 7 + stream.below(3)
    off = _between(stream, 0, 360)
    return tuple(
        polar(
            _ORIGIN,
            _between(stream, 0.84, 1.0) if corner % 2 else _between(stream, 0.62, 0.74),
            off + 360 * corner / corners,
        )
        for corner in range(corners)
    )


def _bean(stream: Stream) -> tuple[Point, ...]:
    """Draw an ellipse bent about its middle."""
    bend, turn = _between(stream, 0.2, 0.3), _between(stream, 0, 360)
    across, along = cosine(turn), sine(turn)
    bent = [(0.95 * x, 0.58 * y + bend * x * x - bend / 2) for x, y in regular(_ROUND)]
    return tuple((across * x - along * y, along * x + across * y) for x, y in bent)


def _blocks(stream: Stream) -> tuple[Point, ...]:
    """Draw a staircase outline: a square with two of its corners cut out by rectangles."""
    cuts = [(_between(stream, 0.3, 0.55), _between(stream, 0.3, 0.55)) for _ in range(2)]
    (a, b), (c, d) = cuts
    side = 0.78
    points = [(-side, -side), (side - a, -side), (side - a, b - side), (side, b - side), (side, side)]
    points += [(c - side, side), (c - side, side - d), (-side, side - d)]
    return tuple(_quarter_turned(points, stream.below(4)))

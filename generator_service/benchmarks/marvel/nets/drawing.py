"""Draw nets on the page and cubes in perspective: the same marks on squares that lie flat or in space."""

from collections.abc import Callable

from generator_service.benchmarks.marvel.nets.folding import VISIBLE, Frame
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.spec import Look, Panel
from generator_service.cache_budget import budgeted
from generator_service.drawing.vector import BLACK, WHITE, Pen, Point
from tetrad.streams import Stream

Placing = Callable[[Point], Point]
"""From a face's unit square (-1 to 1, y down) to the panel."""

_SHADES = (238, 222, WHITE)  # light falls from above
_AWAY = 5.2  # from the eye to the cube's middle, in half edges: near enough for edges to converge
_FILL = 1000.0


def draw_net(pen: Pen, look: Look, family: str, panel: Panel) -> None:
    values = panel.values
    cells = [values[1 + 4 * at : 5 + 4 * at] for at in range(6)]
    across, down = (max(cell[axis] for cell in cells) + 1 for axis in (0, 1))
    side = min(900 / across, 900 / down, 250)
    left, top = 500 - across * side / 2, 500 - down * side / 2
    for column, row, mark, turn in cells:
        middle = (left + side * (column + 0.5), top + side * (row + 0.5))

        def place(point: Point, middle: Point = middle) -> Point:
            return middle[0] + point[0] * side / 2, middle[1] + point[1] * side / 2

        _face(pen, look, family, mark, turn, place, WHITE, width=8)


def draw_cube(pen: Pen, look: Look, family: str, panel: Panel) -> None:
    eye = _eye(panel.seed)
    project = _projection(eye)
    for at, frame in enumerate(VISIBLE):
        mark, turn = panel.values[2 * at], panel.values[2 * at + 1]

        def place(point: Point, frame: Frame = frame) -> Point:
            right, up, normal = frame.right, frame.up, frame.normal
            spot = tuple(normal[axis] + right[axis] * point[0] - up[axis] * point[1] for axis in range(3))
            return project((spot[0], spot[1], spot[2]))

        _face(pen, look, family, mark, turn, place, _SHADES[at], width=16)


def _eye(seed: int) -> tuple[float, float, float]:
    """Return the eye's direction. It shows all three faces well and differs a little from picture to picture."""
    stream = Stream("tetrad/marvel/eye", 1, seed)
    return 1.0 + stream.below(31) / 100, 1.0 + stream.below(31) / 100, 1.05 + stream.below(21) / 100


@budgeted(2048)
def _projection(eye: tuple[float, float, float]) -> Callable[[tuple[float, float, float]], Point]:
    """Return a perspective view with z upright; the whole cube fills the panel."""
    ahead = _unit((-eye[0], -eye[1], -eye[2]))
    right = _unit((ahead[1], -ahead[0], 0.0))
    up = _cross(right, ahead)
    corners = [(float(x), float(y), float(z)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]

    def raw(point: tuple[float, float, float]) -> Point:
        depth = _AWAY + sum(a * b for a, b in zip(point, ahead, strict=True))
        across, above = (sum(a * b for a, b in zip(point, axis, strict=True)) for axis in (right, up))
        return across / depth, -above / depth

    seen = [raw(corner) for corner in corners]
    low, high = ([pick(point[axis] for point in seen) for axis in (0, 1)] for pick in (min, max))
    scale = 0.92 * _FILL / max(high[0] - low[0], high[1] - low[1])
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)

    def project(point: tuple[float, float, float]) -> Point:
        x, y = raw(point)
        return _FILL / 2 + scale * (x - middle[0]), _FILL / 2 + scale * (y - middle[1])

    return project


def _cross(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(v: tuple[float, float, float]) -> tuple[float, float, float]:
    length = float((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) ** 0.5)
    return v[0] / length, v[1] / length, v[2] / length


def _face(  # noqa: PLR0917 - a mark on a square
    pen: Pen, look: Look, family: str, mark: int, turn: int, place: Placing, shade: int, *, width: int
) -> None:
    square = [place(corner) for corner in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))]
    pen.outline(square, shade=shade, width=width)
    for ink in MARK_FAMILIES[family].draw(look, mark):
        path = [place(_turned(point, turn)) for point in ink.path]
        if ink.closed:
            pen.outline(path, shade=ink.shade, width=width - 2, smooth=ink.smooth)
        else:
            pen.line(path, width=width + 6, shade=BLACK)


def _turned(point: Point, turn: int) -> Point:
    """Turn clockwise on the page, y down."""
    x, y = point
    for _ in range(turn % 4):
        x, y = -y, x
    return x, y

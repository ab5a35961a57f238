"""Draw nets on the page and solids in perspective: the same marks on faces that lie flat or in space."""

from collections.abc import Callable, Mapping, Sequence

from generator_service.benchmarks.marvel.nets.folding import VISIBLE, Frame
from generator_service.benchmarks.marvel.nets.marks import HALF_SIDE, MARK_FAMILIES, TRIANGLE
from generator_service.benchmarks.marvel.nets.triangular import (
    OCTAHEDRON,
    SIDES,
    TETRAHEDRON,
    TriangularSolid,
    spots_of,
)
from generator_service.benchmarks.marvel.spec import Look, Panel
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.vector import BLACK, WHITE, Pen, Point
from tetrad.streams import Stream

Spot = tuple[float, float, float]
"""A place in space: x towards the viewer of a tetrahedron or octahedron, y to the right, z up."""
Placing = Callable[[Point], tuple[float, ...]]
"""From a face, as marks are drawn on it, to the panel."""

_BORDERS: Mapping[int, tuple[Point, ...]] = {
    4: ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)),
    SIDES: TRIANGLE,
}
"""The corners of a face, by the number of its sides."""

_SHADES = (238, 222, WHITE)  # light falls from above
_AWAY = 5.2  # from the eye to the cube's middle, in half edges: near enough for edges to converge
_FILL = 1000.0


def draw_net(pen: Pen, look: Look, family: str, panel: Panel) -> None:
    cells = [panel.values[at : at + 4] for at in range(1, len(panel.values), 4)]
    if MARK_FAMILIES[family].turns == SIDES:
        _draw_triangles(pen, look, family, cells)
        return
    across, down = (max(cell[axis] for cell in cells) + 1 for axis in (0, 1))
    side = min(900 / across, 900 / down, 250)
    left, top = 500 - across * side / 2, 500 - down * side / 2
    for column, row, mark, turn in cells:
        middle = (left + side * (column + 0.5), top + side * (row + 0.5))

        def place(point: Point, middle: Point = middle) -> Point:
            return middle[0] + point[0] * side / 2, middle[1] + point[1] * side / 2

        _face(pen, look, family, mark, turn, place, WHITE, width=8)


def _draw_triangles(pen: Pen, look: Look, family: str, cells: Sequence[tuple[int, ...]]) -> None:
    spots = {(cell[0], cell[1]): spots_of((cell[0], cell[1])) for cell in cells}
    every = [spot for corners in spots.values() for spot in corners]
    low, high = ([pick(spot[axis] for spot in every) for axis in (0, 1)] for pick in (min, max))
    half = min(900 / (high[0] - low[0]), 900 / (high[1] - low[1]) / (2 * HALF_SIDE), 200)  # of a side
    tall = 2 * HALF_SIDE * half
    for column, row, mark, turn in cells:
        corners = [
            (500 + half * (x - (low[0] + high[0]) / 2), 500 + tall * (y - (low[1] + high[1]) / 2))
            for x, y in spots[column, row]
        ]
        _face(pen, look, family, mark, turn, _onto(corners), WHITE, width=8)


def _onto(corners: Sequence[tuple[float, ...]]) -> Callable[[Point], tuple[float, ...]]:
    """Map a triangular face onto a triangle in the plane or in space: its top to the first corner, and clockwise."""

    def place(point: Point) -> tuple[float, ...]:
        top = (1 - 2 * point[1]) / 3
        right = (1 + point[1]) / 3 + point[0] / (2 * HALF_SIDE)
        shares = (top, right, 1 - top - right)
        return tuple(
            sum(share * corner[axis] for share, corner in zip(shares, corners, strict=True))
            for axis in range(len(corners[0]))
        )

    return place


def draw_view(pen: Pen, look: Look, family: str, panel: Panel) -> None:
    """Draw the solid of a view. Its visible faces are as many as the view has pairs of mark and turn."""
    seen = len(panel.values) // 2
    if MARK_FAMILIES[family].turns == SIDES:
        _draw_triangular(pen, look, family, panel, OCTAHEDRON if seen == OCTAHEDRON.seen else TETRAHEDRON)
        return
    project = _projection(_eye(panel.seed), _CUBE)
    for at, frame in enumerate(VISIBLE):
        mark, turn = panel.values[2 * at], panel.values[2 * at + 1]

        def place(point: Point, frame: Frame = frame) -> Point:
            right, up, normal = frame.right, frame.up, frame.normal
            spot = tuple(normal[axis] + right[axis] * point[0] - up[axis] * point[1] for axis in range(3))
            return project((spot[0], spot[1], spot[2]))

        _face(pen, look, family, mark, turn, place, _SHADES[at], width=16)


def _draw_triangular(pen: Pen, look: Look, family: str, panel: Panel, solid: TriangularSolid) -> None:
    spots, eye, shades = _IN_SPACE[solid.name]
    project = _projection(eye(panel.seed), spots)
    for at, corners in enumerate(solid.all_faces[: solid.seen]):
        mark, turn = panel.values[2 * at], panel.values[2 * at + 1]
        lie = _onto([spots[corner] for corner in corners])

        def place(point: Point, lie: Callable[[Point], tuple[float, ...]] = lie) -> Point:
            x, y, z = lie(point)
            return project((x, y, z))

        _face(pen, look, family, mark, turn, place, shades[at], width=16)


def _eye(seed: int) -> tuple[float, float, float]:
    """Return the eye's direction. It shows all three faces well and differs a little from picture to picture."""
    stream = Stream("tetrad/marvel/eye", 1, seed)
    return 1.0 + stream.below(31) / 100, 1.0 + stream.below(31) / 100, 1.05 + stream.below(21) / 100


def _near_the_front(seed: int) -> Spot:
    """Return the eye's direction to a solid with a corner in front: a little to one side, and a little above."""
    stream = Stream("tetrad/marvel/eye", 2, seed)
    return 1.0, (7 + stream.below(7)) / 100 * (1, -1)[stream.below(2)], (7 + stream.below(6)) / 100


def _above_the_front(seed: int) -> Spot:
    stream = Stream("tetrad/marvel/eye", 2, seed)
    return 1.0, (stream.below(41) - 20) / 100, (22 + stream.below(13)) / 100


_CUBE: tuple[Spot, ...] = tuple((float(x), float(y), float(z)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
_BASE, _BACK = 0.9428090415820634, 0.4714045207910317  # radius of a tetrahedron's base, and half of it
_TETRAHEDRON: tuple[Spot, ...] = (
    (0.0, 0.0, 1.0),
    (_BASE, 0.0, -1 / 3),
    (-_BACK, -_BASE * HALF_SIDE, -1 / 3),
    (-_BACK, _BASE * HALF_SIDE, -1 / 3),
)
_OCTAHEDRON: tuple[Spot, ...] = (
    (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)
)  # fmt: skip
_IN_SPACE: Mapping[str, tuple[tuple[Spot, ...], Callable[[int], Spot], tuple[int, ...]]] = {
    TETRAHEDRON.name: (_TETRAHEDRON, _above_the_front, (WHITE, 236)),
    OCTAHEDRON.name: (_OCTAHEDRON, _near_the_front, (WHITE, 244, 226, 234)),
}
"""Of each solid: its corners, the eye for a seed, the shades of its visible faces."""


@cache_within_budget(2048)
def _projection(eye: Spot, corners: tuple[Spot, ...]) -> Callable[[Spot], Point]:
    """Return a perspective view with z upright, in which a solid with these corners fills the panel."""
    ahead = _unit((-eye[0], -eye[1], -eye[2]))
    right = _unit((ahead[1], -ahead[0], 0.0))
    up = _cross(right, ahead)

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


def _face(  # noqa: PLR0917 - a mark on a face
    pen: Pen, look: Look, family: str, mark: int, turn: int, place: Placing, shade: int, *, width: int
) -> None:
    known = MARK_FAMILIES[family]
    border = [_on_page(place(corner)) for corner in _BORDERS[known.turns]]
    pen.outline(border, shade=shade, width=width)
    for ink in known.draw(look, mark):
        path = [_on_page(place(_turn_point(point, turn, known.turns))) for point in ink.path]
        if not ink.edged and ink.shade is not None:
            pen.fill(path, ink.shade)
            pen.outline(border, shade=None, width=width)
        elif ink.closed:
            pen.outline(path, shade=ink.shade, width=width - 2, smooth=ink.smooth)
        else:
            pen.line(path, width=width + 6, shade=BLACK)


def _on_page(spot: tuple[float, ...]) -> Point:
    x, y = spot
    return x, y


def _turn_point(point: Point, turn: int, sides: int) -> Point:
    """Turn clockwise on the page, y down, by so many sides of a square or a triangle."""
    x, y = point
    for _ in range(turn % sides):
        x, y = (-y, x) if sides > SIDES else (-0.5 * x - HALF_SIDE * y, HALF_SIDE * x - 0.5 * y)
    return x, y

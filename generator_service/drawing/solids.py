"""Make the solids that things consist of: turned, swept, cut out, round and boxed."""

import math
from collections.abc import Sequence

import numpy as np

from generator_service.drawing.exact import Floats, Ints, cosine, cross, sine, unit
from generator_service.drawing.mesh import Colour, Mesh, Point
from generator_service.drawing.outlines import Outline, inset, round_corners, triangles

_GLOSS = 0.35
Paint = Colour | Floats  # one colour, or one a quad: any array that broadcasts to (rows, columns, 3)


def patch(points: Floats, colour: Paint, *, closed: bool = False) -> Mesh:
    """Span a surface over a grid of points (rows, columns, 3); `closed` joins the last column to the first."""
    rows, columns = points.shape[:2]
    across = np.arange(columns if closed else columns - 1)
    row, column = np.meshgrid(np.arange(rows - 1), across, indexing="ij")
    after = (column + 1) % columns
    a, b = row * columns + column, row * columns + after
    c, d = a + columns, b + columns
    faces = np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
    quads = np.broadcast_to(np.array(colour, np.float64), (rows - 1, len(across), 3)).reshape(-1, 3)
    return _mesh(points.reshape(-1, 3), faces, np.concatenate([quads, quads]))


def lathe(profile: Sequence[tuple[float, float]], colour: Colour, *, sides: int = 40) -> Mesh:
    """Turn a profile of (radius, height), from one end to the other, about the y axis."""
    ring = [(cosine(360 * k / sides), sine(360 * k / sides)) for k in range(sides)]
    points = np.array([[(r * c, y, -r * s) for c, s in ring] for r, y in profile])
    return patch(points, colour, closed=True)


def turned_curve(knots: Sequence[tuple[float, float]], colour: Colour, *, sides: int = 40, steps: int = 6) -> Mesh:
    """Turn a smooth curve through the knots (radius, height)."""
    curve = smooth([(r, y, 0.0) for r, y in knots], steps)
    return lathe([(max(float(r), 0.0), float(y)) for r, y, _ in curve], colour, sides=sides)


def ellipsoid(x: float, y: float, z: float, colour: Colour, *, sides: int = 32) -> Mesh:
    """Make an ellipsoid about the origin with these half axes."""
    half = sides // 2
    profile = [(sine(180 * k / half), -cosine(180 * k / half)) for k in range(half + 1)]
    return lathe(profile, colour, sides=sides).scale(x, y, z)


def smooth(knots: Sequence[Point], steps: int = 8) -> list[Point]:
    """Run a Catmull-Rom curve through the knots, `steps` points to a stretch."""
    padded = [knots[0], *knots, knots[-1]]
    curve: list[Point] = []
    for p, q, r, s in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        curve += [_spline(p, q, r, s, k / steps) for k in range(steps)]
    return [*curve, knots[-1]]


def tube(
    path: Sequence[Point], radius: float | Sequence[float], colour: Paint, *, sides: int = 18, flat: float = 1.0
) -> Mesh:
    """Sweep a circle along the path, capped; one radius, or one a point; `flat` squeezes it along the second normal."""
    line = np.array(path)
    radii = np.full(len(path), radius) if isinstance(radius, (int, float)) else np.array(radius)
    normal, binormal = _frames(line)
    spokes = [(cosine(360 * k / sides), sine(360 * k / sides)) for k in range(sides)]
    rings = [line + radii[:, None] * (c * normal + flat * s * binormal) for c, s in spokes]
    wall = np.stack(rings, axis=1)
    first = np.repeat(line[:1, None], sides, axis=1)
    last = np.repeat(line[-1:, None], sides, axis=1)
    return patch(np.concatenate([first, wall, last]), colour, closed=True)


def ring(radius: float, thickness: float, colour: Colour, *, sides: int = 40) -> Mesh:
    """Make a torus about the y axis: `radius` to the middle of its tube, `thickness` the tube's radius."""
    profile = [(radius + thickness * cosine(k * 30), thickness * sine(k * 30)) for k in range(13)]
    return lathe(profile, colour, sides=sides)


def extrude(outline: Outline, depth: float, colour: Colour, *, bevel: float = 0.0) -> Mesh:
    """Give an outline (x, y) a thickness along z, centred on 0, its edges rounded by `bevel`."""
    half = depth / 2
    angles = (90, 45, 0) if bevel else (0,)
    rims = [(inset(outline, bevel * (1 - cosine(angle))), half - bevel * (1 - sine(angle))) for angle in angles]
    layers = [(o, -z) for o, z in rims] + [(o, z) for o, z in reversed(rims)]
    wall = patch(np.array([[(x, y, z) for x, y in o] for o, z in layers]), colour, closed=True)
    lid = triangles(layers[0][0])
    count = len(outline)
    last = (len(layers) - 1) * count
    faces = np.concatenate([wall.faces, lid[:, ::-1], lid + last])
    return _mesh(wall.vertices, faces, np.repeat(np.array([colour], np.float64), len(faces), axis=0))


def box(x: float, y: float, z: float, colour: Colour, *, bevel: float = 0.06) -> Mesh:
    """Make a box with rounded edges about the origin, of these whole lengths."""
    soft = min(bevel, x / 2.2, y / 2.2, z / 2.2)
    corners = [(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)]
    return extrude(round_corners(corners, soft, steps=2), z, colour, bevel=soft)


def disc(radius: float, thickness: float, colour: Colour, *, soft: float = 0.3, sides: int = 36) -> Mesh:
    """Make a round plate facing z, its rim rounded by the share `soft` of its thickness."""
    rim = soft * thickness
    profile = [
        (0.0, -thickness / 2),
        (radius - rim, -thickness / 2),
        (radius - 0.3 * rim, -thickness / 2 + 0.3 * rim),
        (radius, -thickness / 2 + rim),
        (radius, thickness / 2 - rim),
        (radius - 0.3 * rim, thickness / 2 - 0.3 * rim),
        (radius - rim, thickness / 2),
        (0.0, thickness / 2),
    ]
    return lathe(profile, colour, sides=sides).turn("x", 90)


def _mesh(vertices: Floats, faces: Ints, colours: Floats) -> Mesh:
    return Mesh(vertices.astype(np.float64), faces.astype(np.int64), colours, np.full(len(faces), _GLOSS))


def _spline(p: Point, q: Point, r: Point, s: Point, t: float) -> Point:
    def along(a: float, b: float, c: float, d: float) -> float:
        return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * b - a - 3 * c + d))))

    return along(p[0], q[0], r[0], s[0]), along(p[1], q[1], r[1], s[1]), along(p[2], q[2], r[2], s[2])


def _frames(line: Floats) -> tuple[Floats, Floats]:
    """Carry a pair of normals along the line without needless twist (each from the one before it)."""
    ahead = unit(np.concatenate([line[1:2] - line[:1], line[2:] - line[:-2], line[-1:] - line[-2:-1]]))
    start = np.array([0.0, 0.0, 1.0]) if abs(ahead[0, 2]) < math.sqrt(0.5) else np.array([0.0, 1.0, 0.0])
    normals = []
    for direction in ahead:
        binormal = unit(cross(direction, start))
        start = cross(binormal, direction)
        normals.append(start)
    normal = np.array(normals)
    return normal, cross(ahead, normal)

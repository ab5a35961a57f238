"""Make outlines to cut solids from: closed lists of (x, y), counterclockwise."""

import math
from collections.abc import Sequence

import numpy as np

from generator_service.drawing.exact import Ints, cosine, sine

Outline = Sequence[tuple[float, float]]


def circle(radius: float, *, points: int = 32, squeeze: float = 1.0) -> list[tuple[float, float]]:
    return [(radius * cosine(360 * k / points), squeeze * radius * sine(360 * k / points)) for k in range(points)]


def curve(knots: Outline, steps: int = 6) -> list[tuple[float, float]]:
    """Run a closed Catmull-Rom curve through the knots."""
    count = len(knots)
    points = []
    for k in range(count):
        p, q, r, s = (knots[(k + offset) % count] for offset in (-1, 0, 1, 2))
        points += [
            (_along(p[0], q[0], r[0], s[0], j / steps), _along(p[1], q[1], r[1], s[1], j / steps)) for j in range(steps)
        ]
    return points


def round_corners(corners: Outline, radius: float, steps: int = 4) -> list[tuple[float, float]]:
    """Round every corner by a quadratic curve that leaves its sides `radius` from it."""
    points = []
    for before, corner, after in zip([corners[-1], *corners[:-1]], corners, [*corners[1:], corners[0]], strict=True):
        a, b = _towards(corner, before, radius), _towards(corner, after, radius)
        for k in range(steps + 1):
            t = k / steps
            points.append(
                (
                    (1 - t) * (1 - t) * a[0] + 2 * t * (1 - t) * corner[0] + t * t * b[0],
                    (1 - t) * (1 - t) * a[1] + 2 * t * (1 - t) * corner[1] + t * t * b[1],
                )
            )
    return points


def inset(outline: Outline, distance: float) -> list[tuple[float, float]]:
    """Move every point inwards, along the mean of its two sides' normals."""
    moved = []
    for before, point, after in zip([outline[-1], *outline[:-1]], outline, [*outline[1:], outline[0]], strict=True):
        a, b = _normal(before, point), _normal(point, after)
        x, y = a[0] + b[0], a[1] + b[1]
        # A mitre: the sum of unit normals is scaled so that both sides move by the distance; 0.5 tames spikes.
        stretch = distance / max(0.5, (x * x + y * y) / 2)
        moved.append((point[0] - x * stretch, point[1] - y * stretch))
    return moved


def triangles(outline: Outline) -> Ints:
    """Cut an outline without holes into triangles (count - 2, 3) of point numbers, by clipping ears."""
    count = len(outline)
    if all(_turn(outline[k - 2], outline[k - 1], outline[k]) >= 0 for k in range(count)):
        return np.array([(0, k, k + 1) for k in range(1, count - 1)], dtype=np.int64)
    left = list(range(count))
    cut: list[tuple[int, int, int]] = []
    position = 0
    misses = 0
    while len(left) > 3:  # noqa: PLR2004 - the last triangle
        trio = tuple(left[(position + offset) % len(left)] for offset in (-1, 0, 1))
        if misses > len(left) or _is_ear(outline, trio, left):
            cut.append((trio[0], trio[1], trio[2]))
            del left[position % len(left)]
            misses = 0
        else:
            position += 1
            misses += 1
    cut.append((left[0], left[1], left[2]))
    return np.array(cut, dtype=np.int64)


def _is_ear(outline: Outline, trio: tuple[int, ...], left: list[int]) -> bool:
    a, b, c = (outline[k] for k in trio)
    if _turn(a, b, c) <= 0:
        return False
    others = (outline[k] for k in left if k not in trio)
    return not any(_turn(a, b, p) >= 0 and _turn(b, c, p) >= 0 and _turn(c, a, p) >= 0 for p in others)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _towards(start: tuple[float, float], end: tuple[float, float], distance: float) -> tuple[float, float]:
    x, y = end[0] - start[0], end[1] - start[1]
    share = distance / _length(x, y)
    return start[0] + x * share, start[1] + y * share


def _normal(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    x, y = b[0] - a[0], b[1] - a[1]
    length = _length(x, y)
    return (y / length, -x / length) if length > 0 else (0.0, 0.0)


def _length(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)


def _along(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * b - a - 3 * c + d))))

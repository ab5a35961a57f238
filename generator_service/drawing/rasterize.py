"""Which triangle is seen at each sample: a z-buffer in NumPy, without a loop over triangles.

Every triangle is cut into the rows it crosses, every row's span into samples, each by one `repeat`; the nearest
triangle of a sample is the maximum of packed (depth, face) keys. Positions are integers (16ths of a sample), so that
coverage is exact.
"""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.exact import Floats, Ints, Singles

SUB = 16  # fixed-point units a sample
_FACE_BITS = 22
_DEPTH_STEPS = 1 << 38
_MARGIN = 1 << 16
EMPTY = -1


@dataclass(frozen=True, eq=False)
class Visible:
    """The covered samples: flat number in the grid, face seen there, weights (3, N) of its corners, depth (N,)."""

    sample: Ints
    face: Ints
    weights: Singles
    depth: Singles


@dataclass(frozen=True, eq=False)
class _Edges:
    """Half planes a * x + b * y + c >= 0 of the faces, (F, 3) each; inside all three is inside the triangle."""

    a: Ints
    b: Ints
    c: Ints
    area: Ints  # twice the area in square units, (F,)


def rasterize(corners: Ints, depths: Floats, side: int) -> Visible:
    """Find what is seen of triangles (F, 3, 2) in 16ths of a sample, depths (F, 3) growing towards the viewer.

    The grid is `side` x `side` samples; sample (x, y) lies at (16 x + 8, 16 y + 8).
    """
    edges = _edges(corners)
    face, y = _rows(corners, edges.area, side)
    left, right = _span(edges, face, y, side)
    kept = left <= right
    face, y, left, right = face[kept], y[kept], left[kept], right[kept]
    # Keys along a span are integers in even steps; a step's face bits are zero, so that adding it keeps the face.
    first, step = _keys(edges, depths, face, left, y)
    count = right - left + 1
    number = _numbers(count)
    key = np.repeat(first, count) + np.repeat(step, count) * number
    nearest = np.full(side * side, EMPTY, np.int64)
    np.maximum.at(nearest, np.repeat(y * side + left, count) + number, key)
    return _seen(nearest, edges, depths, side)


def _edges(corners: Ints) -> _Edges:
    """Build the half planes, with the sign that makes each triangle's inside positive."""
    start, end = corners, corners[:, [1, 2, 0]]
    a = start[..., 1] - end[..., 1]
    b = end[..., 0] - start[..., 0]
    c = -(a * start[..., 0] + b * start[..., 1])
    area = c[:, 0] + c[:, 1] + c[:, 2]
    sign = np.where(area < 0, -1, 1)[:, None]
    return _Edges(a * sign, b * sign, c * sign, np.abs(area))


def _rows(corners: Ints, area: Ints, side: int) -> tuple[Ints, Ints]:
    """List (face, row) for every row of sample middles that a face may cross."""
    y = corners[..., 1]
    first = np.maximum(-((SUB // 2 - y.min(axis=1)) // SUB), 0)
    last = np.minimum((y.max(axis=1) - SUB // 2) // SUB, side - 1)
    count = np.where(area > 0, np.maximum(last - first + 1, 0), 0)
    return np.repeat(np.arange(len(first)), count), np.repeat(first, count) + _numbers(count)


def _span(edges: _Edges, face: Ints, y: Ints, side: int) -> tuple[Ints, Ints]:
    """Return the first and last sample of each row inside all three half planes."""
    left, right = np.zeros(len(face), np.int64), np.full(len(face), side - 1)
    middle = SUB * y + SUB // 2
    for edge in range(3):
        a = edges.a[face, edge]
        rest = a * (SUB // 2) + edges.b[face, edge] * middle + edges.c[face, edge]
        step = np.maximum(np.abs(a) * SUB, 1)
        left = np.where(a > 0, np.maximum(left, -(rest // step)), left)
        right = np.where(a < 0, np.minimum(right, rest // step), right)
        right = np.where((a == 0) & (rest < 0), EMPTY, right)
    return left, right


def _numbers(count: Ints) -> Ints:
    """Count 0, 1, ... up to each count, one run after the other."""
    ends = np.cumsum(count)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count, count)


def _keys(edges: _Edges, depths: Floats, face: Ints, x: Ints, y: Ints) -> tuple[Ints, Ints]:
    """Return each span's key at x and its step per sample; edge k is opposite to corner (k + 2) % 3."""
    low = float(depths.min())
    levels = (depths - low) * (_DEPTH_STEPS / max(float(depths.max()) - low, 1e-9))
    area = edges.area[face].astype(np.float64)
    slope, value = np.zeros(len(face)), np.zeros(len(face))
    for edge in range(3):
        a = edges.a[face, edge]
        inside = a * (SUB * x + SUB // 2) + edges.b[face, edge] * (SUB * y + SUB // 2) + edges.c[face, edge]
        opposite = levels[face, (edge + 2) % 3]
        slope = slope + opposite * (a * SUB) / area
        value = value + opposite * inside / area
    # Rounding may undershoot the lowest depth by some steps: the margin keeps every key positive.
    first = ((np.rint(value).astype(np.int64) + _MARGIN) << _FACE_BITS) | face
    return first, np.rint(slope).astype(np.int64) << _FACE_BITS


def _seen(nearest: Ints, edges: _Edges, depths: Floats, side: int) -> Visible:
    sample = np.flatnonzero(nearest != EMPTY)
    face = nearest[sample] & ((1 << _FACE_BITS) - 1)
    x, y = SUB * (sample % side) + SUB // 2, SUB * (sample // side) + SUB // 2
    weights = np.empty((3, len(sample)), np.float32)
    depth = np.zeros(len(sample), np.float32)
    for edge in range(3):
        a, b, c = (np.ascontiguousarray(table[:, edge])[face] for table in (edges.a, edges.b, edges.c))
        corner = (edge + 2) % 3
        weights[corner] = (a * x + b * y + c) / edges.area[face]
        depth += depths[:, corner].astype(np.float32)[face] * weights[corner]
    return Visible(sample, face, weights, depth)

"""Find the triangle seen at each sample: a z-buffer in NumPy, without a loop over triangles.

Every triangle is cut into the rows it crosses, every row's span into samples, each by one `repeat`; the nearest
triangle of a sample is the maximum of packed (depth, face) keys. Positions are integers (16ths of a sample), so that
coverage is exact. Values of a face are computed once a face and repeated for its samples, which is faster than a lookup
a sample.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints, Singles

SUB = 16  # fixed-point units a sample
LARGEST = 1 << 15  # positions stay below it, so that what an edge gives, at most twice its square, fits in 32 bits
_FACE_BITS = 22
_FACE_MASK = (1 << _FACE_BITS) - 1
_DEPTH_STEPS = 1 << 38
_MARGIN = 1 << 16
EMPTY = -1
_Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Visible:
    """The covered samples: flat number in the grid, face seen there, weights (3, N) of its corners, depth (N,)."""

    sample: Ints
    face: Ints
    weights: Singles
    depth: Singles


@dataclass(frozen=True, eq=False)
class _Edges:
    """Half planes a * x + b * y + c >= 0 of the faces, (3, F) each. A point inside all three is inside the triangle."""

    a: _Counts
    b: _Counts
    c: _Counts
    area: _Counts  # twice the area in square units, (F,)


@dataclass(frozen=True, eq=False)
class _Levels:
    """Depths as numbers from 0 to _DEPTH_STEPS: `low` is the depth of 0, `scale` the levels a unit of depth has."""

    values: Floats  # (3, F)
    low: float
    scale: float


def rasterize(corners: Ints, depths: Floats, side: int) -> Visible:
    """Find the visible samples of triangles (F, 3, 2) in 16ths of a sample; depths (F, 3) grow towards the viewer.

    The grid is `side` x `side` samples; sample (x, y) lies at (16 x + 8, 16 y + 8). Positions are whole numbers
    of less than `LARGEST` units.
    """
    edges = _edges(corners.astype(np.int32))
    levels = _levels(depths)
    first, rows = _rows(corners[..., 1].astype(np.int32), edges.area, side)
    face = np.repeat(np.arange(len(rows), dtype=np.int32), rows)
    y = np.repeat(first, rows) + _numbers(rows)
    left, right = _span(edges, rows, y, side)
    kept = left <= right
    face, y, left, right = face[kept], y[kept], left[kept], right[kept]
    # Keys along a span are integers in even steps; a step's face bits are zero, so that adding it keeps the face.
    key, step = _keys(edges, levels, face, left, y)
    count = right - left + 1
    number = _numbers(count)
    keys = np.repeat(key, count) + np.repeat(step, count) * number
    nearest = np.full(side * side, EMPTY, np.int64)
    np.maximum.at(nearest, np.repeat(y * side + left, count) + number, keys)
    return _list_visible(nearest, edges, levels, side)


def _edges(corners: _Counts) -> _Edges:
    """Build the half planes, with the sign that makes each triangle's inside positive."""
    x, y = corners[..., 0].T, corners[..., 1].T
    a, b = y - np.roll(y, -1, axis=0), np.roll(x, -1, axis=0) - x
    c = -(a * x + b * y)
    area = c[0] + c[1] + c[2]
    sign = np.where(area < 0, -1, 1).astype(np.int32)
    return _Edges(a * sign, b * sign, c * sign, np.abs(area))


def _levels(depths: Floats) -> _Levels:
    low = float(depths.min())
    scale = _DEPTH_STEPS / max(float(depths.max()) - low, 1e-9)
    return _Levels((depths.T - low) * scale, low, scale)


def _rows(y: _Counts, area: _Counts, side: int) -> tuple[_Counts, _Counts]:
    """Return the first row of sample middles that each face may cross, and the number of such rows."""
    lowest = np.minimum(np.minimum(y[:, 0], y[:, 1]), y[:, 2])
    highest = np.maximum(np.maximum(y[:, 0], y[:, 1]), y[:, 2])
    first = np.maximum(-((SUB // 2 - lowest) // SUB), 0)
    last = np.minimum((highest - SUB // 2) // SUB, side - 1)
    return first, np.where(area > 0, np.maximum(last - first + 1, 0), 0).astype(np.int32)


def _span(edges: _Edges, rows: _Counts, y: _Counts, side: int) -> tuple[_Counts, _Counts]:
    """Return the first and last sample of each row inside all three half planes.

    A quotient of two whole numbers below 2**31 in float64 never rounds across a whole number, so floor is exact.
    """
    left, right = np.zeros(len(y)), np.full(len(y), float(side - 1))
    for a, b, c in zip(edges.a, edges.b, edges.c, strict=True):
        step = (a * SUB).astype(np.float64)
        middle = a * (SUB // 2) + b * (SUB // 2) + c
        rest = np.repeat(middle, rows) + np.repeat(b * SUB, rows) * y
        steps = np.repeat(step, rows)
        quotient = np.floor(rest / np.where(steps == 0, 1, np.abs(steps)))
        left = np.where(steps > 0, np.maximum(left, -quotient), left)
        right = np.where(steps < 0, np.minimum(right, quotient), right)
        right = np.where((steps == 0) & (rest < 0), EMPTY, right)
    return np.minimum(left, side).astype(np.int32), np.maximum(right, EMPTY).astype(np.int32)


def _numbers(count: _Counts) -> _Counts:
    """Count 0, 1, ... up to each count, one run after the other."""
    ends = np.cumsum(count, dtype=np.int32)
    return np.arange(ends[-1] if len(ends) else 0, dtype=np.int32) - np.repeat(ends - count, count)


def _keys(edges: _Edges, levels: _Levels, face: _Counts, x: _Counts, y: _Counts) -> tuple[Ints, Ints]:
    """Return each span's key at x and its step per sample; edge k is opposite to corner (k + 2) % 3."""
    opposite = levels.values[[2, 0, 1]] / np.maximum(edges.area, 1)
    across = (opposite[0] * edges.a[0] + opposite[1] * edges.a[1] + opposite[2] * edges.a[2]) * SUB
    slope, value = across[face], np.zeros(len(face))
    for k in range(3):
        middle = (edges.a[k] + edges.b[k]) * (SUB // 2) + edges.c[k]
        inside = (edges.a[k] * SUB)[face] * x + (edges.b[k] * SUB)[face] * y + middle[face]
        value += opposite[k][face] * inside
    # Rounding may go below the lowest depth by some steps. The margin keeps every key positive.
    first = ((np.rint(value).astype(np.int64) + _MARGIN) << _FACE_BITS) | face
    return first, np.rint(slope).astype(np.int64) << _FACE_BITS


def _list_visible(nearest: Ints, edges: _Edges, levels: _Levels, side: int) -> Visible:
    sample = np.flatnonzero(nearest != EMPTY)
    key = nearest[sample]
    face = key & _FACE_MASK
    y, x = np.divmod(sample.astype(np.int32), np.int32(side))
    share = (np.float32(1) / np.maximum(edges.area, 1).astype(np.float32))[face]
    weights = np.empty((3, len(sample)), np.float32)
    for edge in range(2):
        a, b = edges.a[edge] * SUB, edges.b[edge] * SUB
        middle = (edges.a[edge] + edges.b[edge]) * (SUB // 2) + edges.c[edge]
        weights[(edge + 2) % 3] = (a[face] * x + b[face] * y + middle[face]).astype(np.float32) * share
    weights[1] = np.float32(1) - weights[2] - weights[0]
    level = (key >> _FACE_BITS) - _MARGIN
    return Visible(sample, face, weights, (levels.low + level * (1 / levels.scale)).astype(np.float32))

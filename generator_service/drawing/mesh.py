"""Build meshes of coloured triangles, and move, turn, stretch, paint or join them.

Axes: x to the right, y up, z towards the viewer. Surfaces are drawn from both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from generator_service.drawing.exact import Floats, Ints, cosine, cross, sine, unit

Colour = tuple[int, int, int]
Point = tuple[float, float, float]

_CREASE = cosine(48)  # faces that meet at a sharper angle keep an edge between them


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (V, 3), faces (F, 3) of vertex numbers, colours (F, 3) in 0..255, gloss (F,) in 0..1."""

    vertices: Floats
    faces: Ints
    colours: Floats
    gloss: Floats

    def move(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Mesh":
        return replace(self, vertices=self.vertices + np.array([x, y, z]))

    def scale(self, x: float, y: float | None = None, z: float | None = None) -> "Mesh":
        """Stretch along the axes; one number stretches all three."""
        factors = np.array([x, x if y is None else y, x if z is None else z])
        return replace(self, vertices=self.vertices * factors)

    def turn(self, axis: str, degrees: float) -> "Mesh":
        """Turn about the axis through the origin, counterclockwise as seen from the axis' tip."""
        first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        c, s = cosine(degrees), sine(degrees)
        a, b = self.vertices[:, first], self.vertices[:, second]
        turned = self.vertices.copy()
        turned[:, first], turned[:, second] = c * a - s * b, s * a + c * b
        return replace(self, vertices=turned)

    def bend(self, bend: Callable[[Floats], Floats]) -> "Mesh":
        """Move every vertex by a function of (V, 3) positions; use exact arithmetic in it."""
        return replace(self, vertices=bend(self.vertices))

    def paint(self, colour: Colour, where: Callable[[Floats], np.ndarray] | None = None) -> "Mesh":
        """Colour all faces, or those whose bounding box' middle (F, 3) the function picks."""
        corners = self.vertices[self.faces]
        # The two triangles of a patch's quad share their bounding box: bands keep straight edges.
        middles = (corners.min(axis=1) + corners.max(axis=1)) / 2
        chosen = where(middles) if where else np.ones(len(self.faces), bool)
        return replace(self, colours=np.where(chosen[:, None], np.array(colour, np.float64), self.colours))

    def tone(self, red: float, green: float, blue: float) -> "Mesh":
        """Multiply all colours, channel by channel."""
        return replace(self, colours=np.minimum(self.colours * np.array([red, green, blue]), 255.0))

    def polish(self, gloss: float) -> "Mesh":
        return replace(self, gloss=np.full(len(self.faces), gloss))


def join(*parts: Mesh) -> Mesh:
    """Put parts together as they lie; they may pass through each other."""
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part.vertices))
    return Mesh(
        vertices=np.concatenate([part.vertices for part in parts]),
        faces=np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=False)]),
        colours=np.concatenate([part.colours for part in parts]),
        gloss=np.concatenate([part.gloss for part in parts]),
    )


def corner_normals(vertices: Floats, faces: Ints) -> Floats:
    """Return unit normals (F, 3, 3), one a corner: the mean over the vertex's faces on the same side of any crease."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    weighted = cross(b - a, c - a)
    flat = unit(weighted)
    corner, other = _neighbours(faces)
    n, m = flat[corner // 3], flat[other // 3]
    smooth = n[:, 0] * m[:, 0] + n[:, 1] * m[:, 1] + n[:, 2] * m[:, 2] > _CREASE
    own, met = corner[smooth], other[smooth] // 3
    # bincount adds one after the other: the order, hence the rounding, is fixed.
    sums = [np.bincount(own, weights=weighted[met, axis], minlength=faces.size) for axis in range(3)]
    blended = unit(np.stack(sums, axis=-1)).reshape(-1, 3, 3)
    null = (blended == 0).all(axis=2, keepdims=True)
    return np.where(null, flat[:, None, :], blended)


def _neighbours(faces: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of corners (3 * face + 0..2) that share a vertex."""
    vertex = faces.ravel()
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex)
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    own_count = count[vertex[order]]
    corner = np.repeat(order, own_count)
    before = np.repeat(np.cumsum(own_count) - own_count, own_count)
    other = order[np.repeat(start[vertex[order]], own_count) + np.arange(len(corner)) - before]
    return corner, other

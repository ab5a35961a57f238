"""A mesh's picture: seen from its best side, lit, centred, as large as the circle that any turn stays in."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.canvas import Picture
from generator_service.drawing.exact import Floats, Ints, Singles
from generator_service.drawing.mesh import Mesh, corner_normals
from generator_service.drawing.rasterize import SUB, Visible, rasterize

SIDE = 256
RADIUS = 121  # pixels from the centre: the canvas' inscribed circle less the blur of a turn
SAMPLES = 3  # a side of a pixel
_GRID = SIDE * SAMPLES
_DISTANCE = 4.2  # of the eye, in radii of the object: a mild perspective
_FIXED = 1 << 20  # vertices and normals are rounded to this share of a unit before they are drawn

_KEY = (-0.421, 0.661, 0.621)  # where the lights stand, from the object: unit vectors
_FILL = (0.779, 0.1, 0.619)
_HALFWAY = (-0.234, 0.367, 0.9)  # between the key light and the eye
_REACH = 10  # pixels over which a near part darkens what lies behind it


@dataclass(frozen=True)
class View:
    """Degrees: `yaw` turns the thing's right side away, `pitch` looks down on it, `roll` leans it to its left."""

    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0


def portray(mesh: Mesh, view: View) -> Picture:
    """Draw the mesh as (256, 256, 4); its bounding box is centred and it touches the circle of 121 pixels."""
    turned = mesh.turned("y", view.yaw).turned("x", view.pitch).turned("z", view.roll)
    vertices = _grid(_normalised(turned.vertices))
    flat, depth = _projected(vertices)
    corners = _fitted(flat)[mesh.faces]
    seen = rasterize(corners, depth[mesh.faces], _GRID)
    normals = _grid(corner_normals(vertices, mesh.faces))
    colour = _lit(mesh, normals, seen)
    return _developed(colour, seen)


def _grid(values: Floats) -> Floats:
    rounded: Floats = np.rint(values * _FIXED) / _FIXED
    return rounded


def _normalised(vertices: Floats) -> Floats:
    """Move the middle of the bounding box to the origin and the farthest vertex to distance 1."""
    centred = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    x, y, z = centred[:, 0], centred[:, 1], centred[:, 2]
    scaled: Floats = centred / np.sqrt((x * x + y * y + z * z).max())
    return scaled


def _projected(vertices: Floats) -> tuple[Floats, Floats]:
    """Return places on the picture plane (V, 2), y down, and depths (V,) that stay linear across a triangle."""
    nearness = _DISTANCE / (_DISTANCE - vertices[:, 2])
    return np.stack([vertices[:, 0] * nearness, -vertices[:, 1] * nearness], axis=-1), nearness


def _fitted(flat: Floats) -> Ints:
    """Centre the bounding box on the canvas and let the farthest point touch the circle; in 16ths of a sample."""
    centred = flat - (flat.min(axis=0) + flat.max(axis=0)) / 2
    x, y = centred[:, 0], centred[:, 1]
    scale = RADIUS * SAMPLES * SUB / np.sqrt((x * x + y * y).max())
    fitted: Ints = np.rint(centred * scale).astype(np.int64) + _GRID * SUB // 2
    return fitted


def _lit(mesh: Mesh, normals: Floats, seen: Visible) -> list[Singles]:
    """Return red, green and blue, 0..255, of every sample: key light, fill, sky, gloss, and rims that fade."""
    normal = _normals(normals, seen)
    key = np.maximum(_towards(normal, _KEY) * np.float32(0.88) + np.float32(0.12), 0)
    fill = np.maximum(_towards(normal, _FILL), 0)
    sky = normal[1] * np.float32(0.07) + np.float32(0.07)
    rim = np.minimum(normal[2] * np.float32(0.912), np.float32(0.38)) + np.float32(0.62)
    light = (key * np.float32(0.54) + fill * np.float32(0.18) + sky + np.float32(0.48)) * rim
    shine = np.minimum(_shine(normal) * mesh.gloss.astype(np.float32)[seen.face], 1)
    channels = []
    for k in range(3):
        colour = mesh.colours[:, k].astype(np.float32)[seen.face] * light
        channels.append(colour + (np.float32(255) - colour) * shine)
    return channels


def _normals(corners: Floats, seen: Visible) -> list[Singles]:
    """Blend the corners' normals (F, 3, 3) to x, y, z at each sample, facing the viewer: both sides are lit."""
    table = np.ascontiguousarray(corners.transpose(1, 2, 0), np.float32)
    x, y, z = (
        table[0, axis][seen.face] * seen.weights[0]
        + table[1, axis][seen.face] * seen.weights[1]
        + table[2, axis][seen.face] * seen.weights[2]
        for axis in range(3)
    )
    length = np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(1e-6))
    scale = np.where(z < 0, np.float32(-1), np.float32(1)) / length
    return [x * scale, y * scale, z * scale]


def _towards(normal: list[Singles], direction: tuple[float, float, float]) -> Singles:
    x, y, z = (np.float32(part) for part in direction)
    dot: Singles = normal[0] * x + normal[1] * y + normal[2] * z
    return dot


def _shine(normal: list[Singles]) -> Singles:
    """Blinn's highlight of the key light: the 32nd power, by squaring, which is exact where `power` is not."""
    shine = np.maximum(_towards(normal, _HALFWAY), 0)
    for _ in range(5):
        shine = shine * shine
    return shine


def _developed(colour: list[Singles], seen: Visible) -> Picture:
    """Average the samples of each pixel and darken what lies just behind a nearer part."""
    counts = _pooled(np.ones(len(seen.sample), np.float32), seen)
    divisor = np.maximum(counts, 1)
    depth = _pooled(np.rint(seen.depth * np.float32(4096)), seen) // divisor
    shade = _shade(depth, counts > 0)
    channels = [_pooled(np.rint(channel), seen) * shade // (divisor * 256) for channel in colour]
    alpha = (counts * 255 + SAMPLES * SAMPLES // 2) // (SAMPLES * SAMPLES)
    picture: Picture = np.clip(np.stack([*channels, alpha], axis=-1), 0, 255).astype(np.uint8)
    return picture


def _pooled(values: Singles, seen: Visible) -> Ints:
    """Sum whole numbers over each pixel."""
    grid = np.zeros(_GRID * _GRID, np.int32)
    grid[seen.sample] = values
    square = grid.reshape(_GRID, _GRID)
    pooled: Ints = np.zeros((SIDE, SIDE), np.int64)
    for k in range(SAMPLES * SAMPLES):
        pooled += square[k // SAMPLES :: SAMPLES, k % SAMPLES :: SAMPLES]
    return pooled


def _shade(depth: Ints, covered: npt.NDArray[np.bool_]) -> Ints:
    """Return factors in 256ths: unsharp masking of the depth buffer (Luft et al. 2006), a cheap contact shadow."""
    weight = _box_sum(covered.astype(np.int64))
    mean = _box_sum(np.where(covered, depth, 0)) // np.maximum(weight, 1)
    behind = np.clip(mean - depth, 0, 240)
    factors: Ints = 256 - behind * 110 // 240
    return factors


def _box_sum(values: Ints) -> Ints:
    """Sum over the square of 2 * _REACH + 1 pixels about each pixel."""
    padded = np.pad(values, ((_REACH + 1, _REACH), (_REACH + 1, _REACH)))
    total: Ints = padded.cumsum(axis=0).cumsum(axis=1)
    width = 2 * _REACH + 1
    summed: Ints = total[width:, width:] - total[:-width, width:] - total[width:, :-width] + total[:-width, :-width]
    return summed

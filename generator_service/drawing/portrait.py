"""Draw a mesh from its best side, lit, centred, and as large as a circle that any turn stays in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints, Singles
from generator_service.drawing.mesh import Mesh, corner_normals
from generator_service.drawing.rasterize import SUB, Visible, rasterize

if TYPE_CHECKING:  # no picture operation has a part in what is drawn
    from generator_service.drawing.canvas import Picture

SIDE = 256
RADIUS = 121  # pixels from the centre: the canvas' inscribed circle less the blur of a turn
SAMPLES = 3  # a side of a pixel
_GRID = SIDE * SAMPLES
_DISTANCE = 4.2  # of the eye, in radii of the object: a mild perspective
_FIXED = 1 << 20  # vertices and normals are rounded to this share of a unit before they are drawn

Direction = tuple[float, float, float]
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


@dataclass(frozen=True, eq=False)
class Exposure:
    """A mesh seen from one side, without colours: the visible samples, with a light and a gloss each.

    `nearness` (F, 3) is each corner's. A texture needs it so as not to slide on surfaces that lead away from the
    viewer.
    """

    seen: Visible
    light: Singles
    shine: Singles
    nearness: Floats


def portray(mesh: Mesh, view: View) -> "Picture":
    """Draw the mesh as (256, 256, 4); its bounding box is centred and it touches the circle of 121 pixels."""
    exposure = expose(mesh, view)
    colours = mesh.colours.astype(np.float32)
    return develop(exposure, [colours[:, k][exposure.seen.face] for k in range(3)])


def expose(mesh: Mesh, view: View) -> Exposure:
    """Find the visible samples of the mesh and their light. Its colours don't matter here."""
    turned = mesh.turn("y", view.yaw).turn("x", view.pitch).turn("z", view.roll)
    vertices = _grid(_normalise(turned.vertices))
    flat, nearness = _project(vertices)
    seen = rasterize(_fit_canvas(flat)[mesh.faces], nearness[mesh.faces], _GRID)
    light, shine = _light_samples(mesh, _grid(corner_normals(vertices, mesh.faces)), seen)
    return Exposure(seen, light, shine, nearness[mesh.faces])


def develop(exposure: Exposure, colour: list[Singles]) -> "Picture":
    """Light the colour (red, green, blue: 0..255, one a sample) and average the samples of each pixel."""
    lit = [channel * exposure.light for channel in colour]
    return _develop([channel + (np.float32(255) - channel) * exposure.shine for channel in lit], exposure.seen)


def _grid(values: Floats) -> Floats:
    rounded: Floats = np.rint(values * _FIXED) / _FIXED
    return rounded


def _normalise(vertices: Floats) -> Floats:
    """Move the middle of the bounding box to the origin and the farthest vertex to distance 1."""
    centred = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    x, y, z = centred[:, 0], centred[:, 1], centred[:, 2]
    scaled: Floats = centred / np.sqrt((x * x + y * y + z * z).max())
    return scaled


def _project(vertices: Floats) -> tuple[Floats, Floats]:
    """Return places on the picture plane (V, 2), y down, and depths (V,) that stay linear across a triangle."""
    nearness = _DISTANCE / (_DISTANCE - vertices[:, 2])
    return np.stack([vertices[:, 0] * nearness, -vertices[:, 1] * nearness], axis=-1), nearness


def _fit_canvas(flat: Floats) -> Ints:
    """Centre the bounding box on the canvas and let the farthest point touch the circle; in 16ths of a sample."""
    centred = flat - (flat.min(axis=0) + flat.max(axis=0)) / 2
    x, y = centred[:, 0], centred[:, 1]
    scale = RADIUS * SAMPLES * SUB / np.sqrt((x * x + y * y).max())
    fitted: Ints = np.rint(centred * scale).astype(np.int64) + _GRID * SUB // 2
    return fitted


def _light_samples(mesh: Mesh, normals: Floats, seen: Visible) -> tuple[Singles, Singles]:
    """Return light and gloss of every sample: key light, fill, sky, and rims that fade."""
    normal = blend_normals(normals, seen)
    key = np.maximum(towards(normal, _KEY) * np.float32(0.88) + np.float32(0.12), 0)
    fill = np.maximum(towards(normal, _FILL), 0)
    sky = normal[1] * np.float32(0.07) + np.float32(0.07)
    rim = np.minimum(normal[2] * np.float32(0.912), np.float32(0.38)) + np.float32(0.62)
    light = (key * np.float32(0.54) + fill * np.float32(0.18) + sky + np.float32(0.48)) * rim
    return light, np.minimum(shine_of(normal, _HALFWAY) * mesh.gloss.astype(np.float32)[seen.face], 1)


def blend_normals(corners: Floats, seen: Visible) -> list[Singles]:
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


def towards(normal: list[Singles], direction: Direction) -> Singles:
    x, y, z = (np.float32(part) for part in direction)
    dot: Singles = normal[0] * x + normal[1] * y + normal[2] * z
    return dot


def shine_of(normal: list[Singles], halfway: Direction) -> Singles:
    """Return Blinn's highlight of a light, given what is halfway between it and the eye.

    The 32nd power is taken by squaring, which is exact; `power` is not.
    """
    found = np.maximum(towards(normal, halfway), 0)
    for _ in range(5):
        found = found * found
    return found


def _develop(colour: list[Singles], seen: Visible) -> "Picture":
    """Average the samples of each pixel and darken what lies just behind a nearer part."""
    row, column = np.divmod(seen.sample.astype(np.int32), np.int32(_GRID))
    pixel = row // SAMPLES * SIDE + column // SAMPLES
    counts = np.bincount(pixel, minlength=SIDE * SIDE).reshape(SIDE, SIDE)
    divisor = np.maximum(counts, 1)
    depth = _sum_pixels(np.rint(seen.depth * np.float32(4096)), pixel) // divisor
    shade = _shade(depth, counts > 0)
    channels = [_sum_pixels(np.rint(channel), pixel) * shade // (divisor * 256) for channel in colour]
    alpha = (counts * 255 + SAMPLES * SAMPLES // 2) // (SAMPLES * SAMPLES)
    picture: Picture = np.clip(np.stack([*channels, alpha], axis=-1), 0, 255).astype(np.uint8)
    return picture


def _sum_pixels(values: Singles, pixel: npt.NDArray[np.int32]) -> Ints:
    """Sum whole numbers over each pixel: exact in the float64 that bincount adds in."""
    summed: Ints = np.bincount(pixel, weights=values, minlength=SIDE * SIDE).astype(np.int64)
    return summed.reshape(SIDE, SIDE)


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

"""Draw the layers, each with its depth: a room with furniture, opaque, and props with their shadows, cut out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints, Singles
from generator_service.drawing.mesh import Mesh, corner_normals
from generator_service.drawing.rasterize import Visible, rasterize
from generator_service.drawing.stage.camera import SAMPLES, Camera, Window, depth_steps, in_samples
from generator_service.drawing.stage.lighting import Light, light_samples

_FIXED = 1 << 20  # vertices and normals are rounded to this share of a unit before they are drawn
ALL = SAMPLES * SAMPLES


@dataclass(frozen=True, eq=False)
class Layer:
    """A window of the canvas: RGBA (h, w, 4), depth steps (h, w) uint16, 0 where empty, shadow (h, w) in 255ths."""

    left: int
    top: int
    pixels: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.uint16]
    shadow: npt.NDArray[np.uint8]


def room_layer(camera: Camera, light: Light, room: Ints, mesh: Mesh) -> Layer:
    """Draw furniture into a room (high, wide, 3) that has its shadow already: the whole canvas, and depths."""
    low, high = _bounds(camera.project(camera.turn_to_eye(mesh).vertices)[0])
    side = int((high - low).max())
    square = Window(int(low[0]), int(low[1]), side, side)
    window, own = overlap(square, room)
    shape = room.shape[:2]
    colour, counts, depth = np.zeros_like(room), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for whole, part in zip((colour, counts, depth), _draw_mesh(camera, light, mesh, square), strict=True):
        whole[window] = part[own]
    share = counts[..., None]
    mixed = (colour + room * (ALL - share) + ALL // 2) // ALL
    pixels = np.full((*shape, 4), 255, np.uint8)
    pixels[..., :3] = np.clip(mixed, 0, 255)
    half = counts * 2 >= ALL
    return Layer(0, 0, pixels, np.where(half, depth, 0).astype(np.uint16), np.zeros(0, np.uint8))


def prop_layer(
    camera: Camera, light: Light, placed: Mesh, ground: Floats, shadow: Callable[[Window], npt.NDArray[np.uint8]]
) -> Layer:
    """Draw a prop where it stands, with its shadow.

    ground: places (V, 2) on the canvas that the shadow may reach. shadow: draws it in a window of the canvas.
    """
    flat, _ = camera.project(camera.turn_to_eye(placed).vertices)
    low, high = _bounds(np.concatenate([flat, ground]))
    left, top = int(low[0]), int(low[1])
    side = int(max(high[0] - low[0], high[1] - low[1]))
    window = Window(left, top, side, side)
    colour, counts, depth = _draw_mesh(camera, light, placed, window)
    pixels = np.concatenate(
        [np.clip(colour // np.maximum(counts, 1)[..., None], 0, 255), (counts * 255 + ALL // 2)[..., None] // ALL],
        axis=-1,
    ).astype(np.uint8)
    depths = np.where(counts > 0, depth, 0).astype(np.uint16)
    return _trim_layer(Layer(left, top, pixels, depths, shadow(window)))


def _draw_mesh(camera: Camera, light: Light, mesh: Mesh, window: Window) -> tuple[Ints, Ints, Ints]:
    """Return sums of colours (side, side, 3), covered samples, and mean depth steps, of a square window."""
    side = window.wide
    turned = camera.turn_to_eye(mesh)
    vertices = np.rint(turned.vertices * _FIXED) / _FIXED
    flat, nearness = camera.project(vertices)
    seen = rasterize(in_samples(flat, window.left, window.top)[mesh.faces], nearness[mesh.faces], side * SAMPLES)
    normals = np.rint(corner_normals(vertices, mesh.faces) * _FIXED) / _FIXED
    counts = _sum_pixels(np.ones(len(seen.sample), np.float32), seen, side)
    colours = [_sum_pixels(np.rint(channel), seen, side) for channel in light_samples(mesh, normals, seen, light)]
    steps = depth_steps(seen.depth.astype(np.float64)).astype(np.float32)
    depth = _sum_pixels(steps, seen, side) // np.maximum(counts, 1)
    return np.stack(colours, axis=-1), counts, depth


def count_covered(camera: Camera, mesh: Mesh, window: Window) -> Ints:
    """Return how many samples of each pixel the mesh covers, (side, side), of a square window."""
    side = window.wide
    flat, nearness = camera.project(np.rint(camera.turn_to_eye(mesh).vertices * _FIXED) / _FIXED)
    seen = rasterize(in_samples(flat, window.left, window.top)[mesh.faces], nearness[mesh.faces], side * SAMPLES)
    return _sum_pixels(np.ones(len(seen.sample), np.float32), seen, side)


Slices = tuple[slice, slice]


def overlap(window: Window, canvas: Ints) -> tuple[Slices, Slices]:
    """Return the part of a window that lies on the canvas (high, wide, ..): in the canvas, and in the window."""
    high, wide = canvas.shape[:2]
    left, top = window.left, window.top
    rows = slice(max(top, 0), min(top + window.high, high))
    columns = slice(max(left, 0), min(left + window.wide, wide))
    own = slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left)
    return (rows, columns), own


def _bounds(places: Floats) -> tuple[Floats, Floats]:
    """Return the first and last corner, in pixels, of a window that holds all places."""
    return np.floor(places.min(axis=0)) - 2, np.ceil(places.max(axis=0)) + 2


def _sum_pixels(values: Singles, seen: Visible, side: int) -> Ints:
    """Sum whole numbers over each pixel."""
    grid = np.zeros(side * side * ALL, np.int32)
    grid[seen.sample] = values
    square = grid.reshape(side * SAMPLES, side * SAMPLES)
    pooled: Ints = np.zeros((side, side), np.int64)
    for k in range(ALL):
        pooled += square[k // SAMPLES :: SAMPLES, k % SAMPLES :: SAMPLES]
    return pooled


def _trim_layer(layer: Layer) -> Layer:
    """Cut away empty rows and columns."""
    used = (layer.pixels[..., 3] > 0) | (layer.shadow > 0)
    rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
    window = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Layer(
        left=layer.left + int(columns[0]),
        top=layer.top + int(rows[0]),
        pixels=np.ascontiguousarray(layer.pixels[window]),
        depth=np.ascontiguousarray(layer.depth[window]),
        shadow=np.ascontiguousarray(layer.shadow[window]),
    )

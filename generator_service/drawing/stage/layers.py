"""Draw the layers, each with its depth: a room with furniture, opaque, and props with their shadows, cut out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints, Singles
from generator_service.drawing.mesh import Mesh, corner_normals
from generator_service.drawing.props.prop import footprint
from generator_service.drawing.rasterize import Visible, rasterize
from generator_service.drawing.stage.camera import CANVAS, SAMPLES, Camera, depth_steps, in_samples, projected
from generator_service.drawing.stage.furniture import Piece
from generator_service.drawing.stage.lighting import lit
from generator_service.drawing.stage.views import View

_FIXED = 1 << 20  # vertices and normals are rounded to this share of a unit before they are drawn
_ALL = SAMPLES * SAMPLES
_WALL = -1.5  # z of the wall behind
_SKIRTING = 0.13


@dataclass(frozen=True, eq=False)
class Layer:
    """A window of the canvas: RGBA (h, w, 4), depth steps (h, w) uint16, 0 where empty, shadow (h, w) in 255ths."""

    left: int
    top: int
    pixels: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.uint16]
    shadow: npt.NDArray[np.uint8]


def room_layer(view: View, piece: Piece) -> Layer:
    """Draw the whole canvas: wall, skirting, floor, the furniture's shadow, the furniture."""
    room = _room(view)
    shade = _furniture_shade(view.camera, piece)
    room[..., :3] = room[..., :3] * (256 - shade[..., None]) // 256
    # Drawn in a window of its own, because the rasteriser's numbers can't hold the whole canvas.
    low, high = _bounds(projected(view.camera.seen(piece.mesh).vertices)[0])
    left, top, side = int(low[0]), int(low[1]), int((high - low).max())
    window = np.s_[top : top + side, left : left + side]
    colour, counts, depth = np.zeros_like(room), np.zeros_like(shade), np.zeros_like(shade)
    colour[window], counts[window], depth[window] = _drawn(view, piece.mesh, left, top, side)
    covered = counts[..., None]
    mixed = (colour + room * (_ALL - covered) + _ALL // 2) // _ALL
    pixels = np.full((CANVAS, CANVAS, 4), 255, np.uint8)
    pixels[..., :3] = np.clip(mixed, 0, 255)
    half = counts * 2 >= _ALL
    return Layer(0, 0, pixels, np.where(half, depth, 0).astype(np.uint16), np.zeros(0, np.uint8))


def prop_layer(view: View, mesh: Mesh, x: float, z: float, height: float) -> Layer:
    """Draw a prop that stands at (x, z) on a support of this height, with its contact shadow."""
    placed = mesh.moved(x, height, z)
    half_wide, half_deep = footprint(mesh)
    ground = _ground_box(view.camera, x, z, height, 1.5 * max(half_wide, half_deep))
    flat, _ = projected(view.camera.seen(placed).vertices)
    corners = np.concatenate([flat, ground])
    low, high = _bounds(corners)
    left, top = int(low[0]), int(low[1])
    side = int(max(high[0] - low[0], high[1] - low[1]))
    colour, counts, depth = _drawn(view, placed, left, top, side)
    shadow = _contact(view, (x, z, height), (half_wide, half_deep), (left, top, side))
    pixels = np.concatenate(
        [np.clip(colour // np.maximum(counts, 1)[..., None], 0, 255), (counts * 255 + _ALL // 2)[..., None] // _ALL],
        axis=-1,
    ).astype(np.uint8)
    return _trimmed(Layer(left, top, pixels, np.where(counts > 0, depth, 0).astype(np.uint16), shadow))


def _bounds(places: Floats) -> tuple[Floats, Floats]:
    """Return the first and last corner, in pixels, of a window that holds all places."""
    return np.floor(places.min(axis=0)) - 2, np.ceil(places.max(axis=0)) + 2


def _drawn(view: View, mesh: Mesh, left: int, top: int, side: int) -> tuple[Ints, Ints, Ints]:
    """Return sums of colours (side, side, 3), covered samples, and mean depth steps, of a square window."""
    turned = view.camera.seen(mesh)
    vertices = np.rint(turned.vertices * _FIXED) / _FIXED
    flat, nearness = projected(vertices)
    seen = rasterize(in_samples(flat, left, top)[mesh.faces], nearness[mesh.faces], side * SAMPLES)
    normals = np.rint(corner_normals(vertices, mesh.faces) * _FIXED) / _FIXED
    counts = _pooled(np.ones(len(seen.sample), np.float32), seen, side)
    colours = [_pooled(np.rint(channel), seen, side) for channel in lit(mesh, normals, seen, view.light)]
    steps = depth_steps(seen.depth.astype(np.float64)).astype(np.float32)
    depth = _pooled(steps, seen, side) // np.maximum(counts, 1)
    return np.stack(colours, axis=-1), counts, depth


def _pooled(values: Singles, seen: Visible, side: int) -> Ints:
    """Sum whole numbers over each pixel."""
    grid = np.zeros(side * side * _ALL, np.int32)
    grid[seen.sample] = values
    square = grid.reshape(side * SAMPLES, side * SAMPLES)
    pooled: Ints = np.zeros((side, side), np.int64)
    for k in range(_ALL):
        pooled += square[k // SAMPLES :: SAMPLES, k % SAMPLES :: SAMPLES]
    return pooled


def _room(view: View) -> Ints:
    """Colour floor, skirting and wall, (CANVAS, CANVAS, 3): the wall stands where the floor ends."""
    _, floor_z = view.camera.plane(0.0, 0, 0, CANVAS, SAMPLES)
    # The skirting's upper edge is where rays to its height meet the wall's plane.
    _, edge_z = view.camera.plane(_SKIRTING, 0, 0, CANVAS, SAMPLES)
    is_floor, above = floor_z > _WALL, ~(edge_z > _WALL)
    room = np.zeros((CANVAS, CANVAS, 3), np.int64)
    for chosen, colour in ((is_floor, view.floor), (above, view.wall), (~is_floor & ~above, view.skirting)):
        share = chosen.reshape(CANVAS, SAMPLES, CANVAS, SAMPLES).sum(axis=(1, 3))
        room += share[..., None] * np.array(colour)
    return (room + _ALL // 2) // _ALL


def _furniture_shade(camera: Camera, piece: Piece) -> Ints:
    """Darken the floor beneath the top softly, and round each foot, in 256ths."""
    x, z = camera.plane(0.0, 0, 0, CANVAS)
    on_floor = z > _WALL
    across = _ramp((piece.half_wide + 0.12 - np.abs(x)) / 0.45)
    deep = _ramp((piece.half_deep + 0.12 - np.abs(z)) / 0.45)
    shade = 58.0 * across * deep
    for foot_x, foot_z in piece.feet:
        shade = np.maximum(shade, 100.0 * _blob(x - foot_x, z - foot_z, 0.13, 0.13))
    return np.where(on_floor, np.rint(np.nan_to_num(shade)), 0).astype(np.int64)


def _contact(
    view: View, at: tuple[float, float, float], half: tuple[float, float], window: tuple[int, int, int]
) -> npt.NDArray[np.uint8]:
    """Darken the support round the prop's foot, a little away from the light.

    at: x, z and height of the foot. half: its half sides. window: left, top and side.
    """
    x, z = view.camera.plane(at[2], *window)
    away = -0.06 if view.light.key[0] > 0 else 0.06
    shade = 150.0 * _blob(x - at[0] - away, z - at[1] + 0.02, 1.3 * half[0] + 0.02, 1.3 * half[1] + 0.02)
    return np.rint(np.nan_to_num(shade)).astype(np.uint8)


def _ground_box(camera: Camera, x: float, z: float, height: float, reach: float) -> Floats:
    """Return the canvas places of the corners of a square on the support."""
    corners = np.array([(x + a * reach, height, z + b * reach) for a in (-1, 1) for b in (-1, 1)])
    mesh = Mesh(corners, np.zeros((0, 3), np.int64), np.zeros((0, 3)), np.zeros(0))
    return projected(camera.seen(mesh).vertices)[0]


def _ramp(values: Floats) -> Floats:
    held = np.clip(values, 0.0, 1.0)
    smooth: Floats = held * held * (3.0 - 2.0 * held)
    return smooth


def _blob(x: Floats, z: Floats, wide: float, deep: float) -> Floats:
    rest = np.clip(1.0 - (x / wide) * (x / wide) - (z / deep) * (z / deep), 0.0, 1.0)
    return _ramp(rest)


def _trimmed(layer: Layer) -> Layer:
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

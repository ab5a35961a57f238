"""Read rooms and props, drawn once and kept in the store of sources, and compose pictures of them.

Shadows darken what they fall on, and at every pixel the nearer layer is in front.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.stage.camera import SIDE
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_maker import PropName, RoomName

Picture = npt.NDArray[np.uint8]
_OPAQUE = np.uint16(255)
TOLERANCE = 90  # depth steps: a prop that touches its surface must not count as behind it


def compose_picture(room: Layer, props: Sequence[Layer], shift: tuple[int, int]) -> Picture:
    """Lay the props into the room and cut the picture out, its frame moved by `shift` (x, y) from the canvas' middle.

    A shadow falls only on surfaces no nearer than its prop's foot. Furniture in front of the prop stays as it is.
    """
    high, wide = room.depth.shape
    left, top = (wide - SIDE) // 2 + shift[0], (high - SIDE) // 2 + shift[1]
    picture = room.pixels[top : top + SIDE, left : left + SIDE].copy()
    for prop in props:
        _shade(picture, room, prop, left, top)
    for prop in props:
        _lay(picture, room, prop, left, top)
    return picture


def visible(room: Layer, prop: Layer) -> npt.NDArray[np.bool_]:
    """Return a mask (h, w) of the prop's pixels in front of the furniture."""
    return (prop.depth + np.uint16(TOLERANCE) >= _behind(room, prop)) & (prop.pixels[..., 3] > 0)


def _shade(picture: Picture, room: Layer, prop: Layer, left: int, top: int) -> None:
    """Darken what the prop's shadow falls on. The shadow may leave the picture, the prop never does."""
    rows, columns, patch = _patch(picture, prop, left, top)
    behind = _behind(room, prop)[rows, columns]
    shadow = prop.shadow[rows, columns]
    y, x = np.nonzero((shadow > 0) & (behind <= prop.depth.max()))
    # A colour times 256 fits in 16 bits.
    light = 256 - shadow[y, x].astype(np.uint16)
    patch[y, x, :3] = patch[y, x, :3] * light[:, None] >> 8


def _lay(picture: Picture, room: Layer, prop: Layer, left: int, top: int) -> None:
    """Copy the prop's opaque pixels whole, and mix those of its edge, which are few."""
    rows, columns, patch = _patch(picture, prop, left, top)
    pixels, seen = prop.pixels[rows, columns], visible(room, prop)[rows, columns]
    opaque = pixels[..., 3] == _OPAQUE
    whole = prop.pixels.view(np.uint32)[rows, columns, 0]
    np.copyto(patch.view(np.uint32)[..., 0], whole, where=seen & opaque)
    y, x = np.nonzero(seen & ~opaque)
    edge = pixels[y, x]
    alpha = edge[:, 3:].astype(np.uint16)
    patch[y, x, :3] = (edge[:, :3] * alpha + patch[y, x, :3] * (_OPAQUE - alpha) + _OPAQUE // 2) // _OPAQUE


def _patch(picture: Picture, prop: Layer, left: int, top: int) -> tuple[slice, slice, Picture]:
    """Return the rows and columns of the prop's window that are in the picture, and that part of the picture."""
    height, width = prop.depth.shape
    x, y = prop.left - left, prop.top - top
    rows, columns = slice(max(-y, 0), min(height, SIDE - y)), slice(max(-x, 0), min(width, SIDE - x))
    return rows, columns, picture[y + rows.start : y + rows.stop, x + columns.start : x + columns.stop]


def _behind(room: Layer, prop: Layer) -> npt.NDArray[np.uint16]:
    height, width = prop.depth.shape
    return room.depth[prop.top : prop.top + height, prop.left : prop.left + width]


@dataclass(frozen=True, kw_only=True, eq=False)
class StageBank:
    """Layers by name. `views` and `variants` are the numbers of views and variants.

    `digest` is a SHA-256 over names and decoded layers, the same on every machine.
    """

    digest: str
    views: int
    variants: int
    read: Callable[[str], Layer]

    def room(self, name: RoomName) -> Layer:
        return self.read(str(name))

    def prop(self, name: PropName) -> Layer:
        return self.read(str(name))

    def picture(self, room: RoomName, props: Sequence[PropName], shift: tuple[int, int]) -> Picture:
        """Return the picture (512, 512, 4), opaque; KeyError for a name the bank does not have."""
        return compose_picture(self.room(room), [self.prop(name) for name in props], shift)

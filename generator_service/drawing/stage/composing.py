"""Putting layers together: shadows darken what they fall on, and at every pixel the nearer layer is in front."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from generator_service.drawing.stage.camera import MARGIN, SIDE
from generator_service.drawing.stage.layers import Layer

Picture = npt.NDArray[np.uint8]
TOLERANCE = 90  # depth steps: what stands on a surface is not behind it where they touch


def composed(room: Layer, wares: Sequence[Layer], shift: tuple[int, int]) -> Picture:
    """Lay the wares into the room and cut the picture out, its frame moved by `shift` (x, y) within the margin.

    A shadow falls on what is no nearer than its ware's foot: furniture in front of it stays as it is.
    """
    left, top = MARGIN + shift[0], MARGIN + shift[1]
    picture = room.pixels[top : top + SIDE, left : left + SIDE].copy()
    for ware in wares:
        _shade(picture, room, ware, left, top)
    for ware in wares:
        _lay(picture, room, ware, left, top)
    return picture


def visible(room: Layer, ware: Layer) -> npt.NDArray[np.bool_]:
    """Return where the ware, (h, w), is in front of the furniture."""
    height, width = ware.depth.shape
    behind = room.depth[ware.top : ware.top + height, ware.left : ware.left + width]
    return (ware.depth + np.uint16(TOLERANCE) >= behind) & (ware.pixels[..., 3] > 0)


def _shade(picture: Picture, room: Layer, ware: Layer, left: int, top: int) -> None:
    height, width = ware.shadow.shape
    nearest = ware.depth.max()
    free = room.depth[ware.top : ware.top + height, ware.left : ware.left + width] <= nearest
    light = np.where(free, 256 - ware.shadow.astype(np.uint32), 256)[..., None]
    x, y = ware.left - left, ware.top - top
    patch = picture[y : y + height, x : x + width, :3]
    patch[:] = patch * light >> 8


def _lay(picture: Picture, room: Layer, ware: Layer, left: int, top: int) -> None:
    height, width = ware.depth.shape
    alpha = np.where(visible(room, ware), ware.pixels[..., 3], 0).astype(np.uint32)[..., None]
    x, y = ware.left - left, ware.top - top
    patch = picture[y : y + height, x : x + width, :3]
    patch[:] = (ware.pixels[..., :3] * alpha + patch * (255 - alpha) + 127) // 255

"""Compose layers: shadows darken what they fall on, and at every pixel the nearer layer is in front."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from generator_service.drawing.stage.camera import MARGIN, SIDE
from generator_service.drawing.stage.layers import Layer

Picture = npt.NDArray[np.uint8]
TOLERANCE = 90  # depth steps: a prop that touches its surface must not count as behind it


def composed(room: Layer, props: Sequence[Layer], shift: tuple[int, int]) -> Picture:
    """Lay the props into the room and cut the picture out, its frame moved by `shift` (x, y) within the margin.

    A shadow falls only on surfaces no nearer than its prop's foot. Furniture in front of the prop stays as it is.
    """
    left, top = MARGIN + shift[0], MARGIN + shift[1]
    picture = room.pixels[top : top + SIDE, left : left + SIDE].copy()
    for prop in props:
        _shade(picture, room, prop, left, top)
    for prop in props:
        _lay(picture, room, prop, left, top)
    return picture


def visible(room: Layer, prop: Layer) -> npt.NDArray[np.bool_]:
    """Return a mask (h, w) of the prop's pixels in front of the furniture."""
    height, width = prop.depth.shape
    behind = room.depth[prop.top : prop.top + height, prop.left : prop.left + width]
    return (prop.depth + np.uint16(TOLERANCE) >= behind) & (prop.pixels[..., 3] > 0)


def _shade(picture: Picture, room: Layer, prop: Layer, left: int, top: int) -> None:
    height, width = prop.shadow.shape
    nearest = prop.depth.max()
    free = room.depth[prop.top : prop.top + height, prop.left : prop.left + width] <= nearest
    light = np.where(free, 256 - prop.shadow.astype(np.uint32), 256)[..., None]
    x, y = prop.left - left, prop.top - top
    patch = picture[y : y + height, x : x + width, :3]
    patch[:] = patch * light >> 8


def _lay(picture: Picture, room: Layer, prop: Layer, left: int, top: int) -> None:
    height, width = prop.depth.shape
    alpha = np.where(visible(room, prop), prop.pixels[..., 3], 0).astype(np.uint32)[..., None]
    x, y = prop.left - left, prop.top - top
    patch = picture[y : y + height, x : x + width, :3]
    patch[:] = (prop.pixels[..., :3] * alpha + patch * (255 - alpha) + 127) // 255

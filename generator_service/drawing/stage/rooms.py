"""Paint a furnished room: wall, window, a picture, skirting, a floor of boards, tiles or carpet, and a rug.

Nothing here is red, blue or brown, which are for furniture, and nothing is a subject of CARV.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints
from generator_service.drawing.mesh import Colour
from generator_service.drawing.stage.camera import SAMPLES, Camera
from generator_service.drawing.stage.layers import ALL

WALL = -1.75  # z of the wall behind
_SKIRTING = 0.16
_FRAME = 0.07
_BAR = 0.035
_RUG_EDGES = (1.02, 0.955, 0.9, 0.875)  # shares of its half sides: shadow, hem, a line's outer and inner edge
_TONES = (1.0, 0.965, 1.02, 0.945, 0.985, 1.03, 0.955)
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Glazing:
    """A window: from left to right on the wall, its sill's height, panes, and the curtains' colour."""

    left: float
    right: float
    sill: float
    panes: int
    curtain: Colour


@dataclass(frozen=True)
class Rug:
    """A rug: middle, half sides, colours of field and border; round or square."""

    x: float
    z: float
    wide: float
    deep: float
    field: Colour
    border: Colour
    round: bool = False


@dataclass(frozen=True)
class Room:
    """`floor` is "boards" (along the wall), "planks" (towards it), "tiles" or "carpet"; `seam` is between them."""

    wall: Colour
    skirting: Colour
    floor: str
    ground: Colour
    seam: Colour
    glazing: Glazing
    rug: Rug
    panel: tuple[float, float, float] | None = None
    """Left, right and lower edge of a framed picture."""


_WHITE: Colour = (246, 246, 242)
_SKY: Colour = (216, 228, 232)
_HILLS: Colour = (158, 182, 146)
_MOUNT: Colour = (250, 248, 240)
_SLATE: Colour = (110, 116, 120)
_LEAF: Colour = (150, 168, 140)


def paint_room(room: Room, camera: Camera) -> Ints:
    """Return the empty room, (high, wide, 3)."""
    wide, high = camera.lens.wide, camera.lens.high
    x, z = camera.plane(0.0, camera.canvas, SAMPLES)
    on_x, on_y = camera.wall(WALL, camera.canvas, SAMPLES)
    colours = np.where((z > WALL)[..., None], _floor(room, x, z), _wall(room, on_x, on_y))
    pooled: Ints = np.zeros((high, wide, 3), np.int64)
    for k in range(ALL):
        pooled += colours[k // SAMPLES :: SAMPLES, k % SAMPLES :: SAMPLES]
    return (pooled + ALL // 2) // ALL


class _Painting:
    """Colours (high, wide, 3) that are painted over, from the back to the front."""

    def __init__(self, colour: Colour, shape: tuple[int, ...]) -> None:
        self.pixels = np.broadcast_to(np.array(colour, np.int64), (*shape, 3)).copy()

    def over(self, where: Mask, colour: Colour) -> None:
        self.pixels[where] = colour

    def tone(self, where: Mask, permille: int) -> None:
        self.pixels[where] = np.minimum(self.pixels[where] * permille // 1000, 255)


def _wall(room: Room, x: Floats, y: Floats) -> Ints:
    painting = _Painting(room.wall, x.shape)
    glazing = room.glazing
    _paint_window(painting, glazing, x, y)
    if room.panel is not None:
        _paint_panel(painting, room.panel, x, y)
    painting.over(y < _SKIRTING, room.skirting)
    painting.tone((y > _SKIRTING - 0.03) & (y < _SKIRTING), 900)
    return painting.pixels


def _paint_window(painting: _Painting, glazing: Glazing, x: Floats, y: Floats) -> None:
    left, right, sill = glazing.left, glazing.right, glazing.sill
    inside = (x > left) & (x < right) & (y > sill)
    painting.over((x > left - 0.16) & (x < right + 0.16) & (y > sill - 0.1) & (y < sill), _WHITE)
    painting.tone((x > left - 0.16) & (x < right + 0.16) & (y > sill - 0.16) & (y < sill - 0.1), 900)
    painting.over(inside, _WHITE)
    across = (right - left - _FRAME) / glazing.panes
    for pane in range(glazing.panes):
        from_x = left + _FRAME + pane * across
        to_x = from_x + across - _FRAME
        for from_y, to_y in ((sill + _FRAME, sill + 0.62), (sill + 0.62 + _BAR, sill + 2.0)):
            glass = (x > from_x) & (x < to_x) & (y > from_y) & (y < to_y)
            painting.over(glass, _SKY)
            hill = 0.30 + 0.05 * pane
            slope = (x - from_x) * 0.12
            painting.over(glass & (y < sill + hill + slope), _HILLS)
    for begin, towards in ((left - 0.12, -1), (right + 0.12, 1)):
        for fold in range(4):
            one, other = begin + towards * 0.085 * fold, begin + towards * 0.085 * (fold + 1)
            low, high = min(one, other), max(one, other)
            cloth = (x > low) & (x < high) & (y > _SKIRTING + 0.05)
            painting.over(cloth, glazing.curtain)
            painting.tone(cloth, (1000, 940, 985, 920)[fold])


def _paint_panel(painting: _Painting, panel: tuple[float, float, float], x: Floats, y: Floats) -> None:
    left, right, low = panel
    painting.over((x > left) & (x < right) & (y > low), _SLATE)
    painting.over((x > left + 0.05) & (x < right - 0.05) & (y > low + 0.05), _MOUNT)
    inner = (x > left + 0.16) & (x < right - 0.16) & (y > low + 0.16)
    painting.over(inner, _SKY)
    middle = (left + right) / 2
    painting.over(inner & (y < low + 0.34 + 0.35 * (x - middle)), _LEAF)
    painting.over(inner & (y < low + 0.26 - 0.25 * (x - middle)), _SLATE)


def _floor(room: Room, x: Floats, z: Floats) -> Ints:
    x, z = np.nan_to_num(x), np.nan_to_num(z)
    painting = _Painting(room.ground, x.shape)
    if room.floor != "carpet":
        _FLOORS[room.floor](painting, room, x, z)
    _paint_rug(painting, room.rug, x, z)
    painting.tone((z < WALL + 0.05), 860)
    return painting.pixels


def _paint_boards(painting: _Painting, room: Room, x: Floats, z: Floats) -> None:
    _rows(painting, room, x, z, wide=0.3, long=2.4)


def _paint_planks(painting: _Painting, room: Room, x: Floats, z: Floats) -> None:
    _rows(painting, room, z, x, wide=0.32, long=2.7)


def _rows(painting: _Painting, room: Room, along: Floats, aside: Floats, *, wide: float, long: float) -> None:
    row = np.floor(aside / wide)
    shifted = along / long + row * 0.37
    board = np.floor(shifted)
    tone = (row.astype(np.int64) * 3 + board.astype(np.int64) * 5) % len(_TONES)
    for number, share in enumerate(_TONES):
        painting.tone(tone == number, round(1000 * share))
    seam = 0.012
    painting.over((aside - row * wide < seam) | ((shifted - board) * long < seam), room.seam)


def _paint_tiles(painting: _Painting, room: Room, x: Floats, z: Floats) -> None:
    side, joint = 0.62, 0.022
    row, column = np.floor(z / side), np.floor(x / side)
    even = (row.astype(np.int64) + column.astype(np.int64)) % 2 == 0
    painting.tone(even, 960)
    painting.over((z - row * side < joint) | (x - column * side < joint), room.seam)


_FLOORS: dict[str, Callable[[_Painting, Room, Floats, Floats], None]] = {
    "boards": _paint_boards,
    "planks": _paint_planks,
    "tiles": _paint_tiles,
}


def _paint_rug(painting: _Painting, rug: Rug, x: Floats, z: Floats) -> None:
    across, deep = np.abs(x - rug.x) / rug.wide, np.abs(z - rug.z) / rug.deep
    reach = np.sqrt(across * across + deep * deep) if rug.round else np.maximum(across, deep)
    shadow, hem, outer, inner = _RUG_EDGES
    painting.tone(reach < shadow, 900)
    painting.over(reach < 1.0, rug.border)
    painting.over(reach < hem, rug.field)
    painting.over((reach < outer) & (reach > inner), rug.border)

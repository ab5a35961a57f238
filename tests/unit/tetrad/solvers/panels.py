"""Panels that tests draw themselves: a small asymmetric thing, changed by the rules of the published pictures."""

import io
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from PIL import Image

Panel = npt.NDArray[np.uint8]
SIDE = 128
TARGETS = {"red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255)}


def thing(side: int = SIDE, *, flipped: bool = False, color: tuple[int, int, int] = (150, 110, 60)) -> Panel:
    """An L with a foot of another shade, off every axis, in the middle half of the canvas."""
    panel = np.zeros((side, side, 4), np.uint8)
    unit = side // 16
    panel[4 * unit : 12 * unit, 5 * unit : 7 * unit] = (*color, 255)
    panel[10 * unit : 12 * unit, 5 * unit : 11 * unit] = (color[2], color[0], color[1], 255)
    return np.ascontiguousarray(panel[:, ::-1]) if flipped else panel


def tinted(panel: Panel, color: str) -> Panel:
    mixed = panel.copy()
    seen = panel[..., 3] > 0
    mixed[seen, :3] = (panel[seen, :3].astype(int) + TARGETS[color]) // 2
    return mixed


def scaled(panel: Panel, factor: float) -> Panel:
    side = panel.shape[0]
    size = round(side * factor)
    small = Image.fromarray(panel).resize((size, size), Image.Resampling.BICUBIC)
    canvas = Image.new("RGBA", (side, side))
    canvas.paste(small, ((side - size) // 2, (side - size) // 2))
    return np.asarray(canvas)


def counted(panel: Panel, copies: int) -> Panel:
    side = panel.shape[0]
    cell = side // 4
    stamp = np.asarray(Image.fromarray(panel).resize((cell, cell), Image.Resampling.BOX))
    canvas = np.zeros_like(panel)
    for place in range(copies):
        row, column = divmod(place, 4)
        canvas[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell] = stamp
    return canvas


Change = Callable[[Panel], tuple[Panel, Panel]]
CHANGES: Mapping[str, Change] = {
    "none": lambda panel: (panel, panel),
    "color red": lambda panel: (tinted(panel, "blue"), tinted(panel, "red")),
    "color green": lambda panel: (tinted(panel, "red"), tinted(panel, "green")),
    "color blue": lambda panel: (panel, tinted(panel, "blue")),
    "size 2x": lambda panel: (scaled(panel, 0.5), panel),
    "size 1/2x": lambda panel: (panel, scaled(panel, 0.5)),
    "number +1": lambda panel: (counted(panel, 3), counted(panel, 4)),
    "number +2": lambda panel: (counted(panel, 3), counted(panel, 5)),
    "number -1": lambda panel: (counted(panel, 5), counted(panel, 4)),
    "number -2": lambda panel: (counted(panel, 3), counted(panel, 1)),
    "rotation +90": lambda panel: (panel, np.rot90(panel, -1)),
    "rotation -90": lambda panel: (panel, np.rot90(panel)),
    "rotation 180": lambda panel: (panel, panel[::-1, ::-1]),
    "reflection x": lambda panel: (panel, panel[::-1]),
    "reflection y": lambda panel: (panel, panel[:, ::-1]),
}


def flattened(panel: Panel, backdrop: int) -> Panel:
    canvas = Image.new("RGBA", (panel.shape[1], panel.shape[0]), (backdrop, backdrop, backdrop, 255))
    return np.asarray(Image.alpha_composite(canvas, Image.fromarray(panel)))


def pair(before: Panel, after: Panel) -> Panel:
    """Two panels with a gap of 4 pixels and a line in it."""
    gap = np.zeros((before.shape[0], 4, 4), np.uint8)
    gap[:, 1:3] = (128, 128, 128, 255)
    return np.concatenate([before, gap, after], axis=1)


def png(picture: Panel) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "PNG")
    return buffer.getvalue()

"""From a scene to pixels: the only user of the pen."""

from functools import lru_cache
from typing import Any

import numpy as np

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.layout import LABEL, NET_SIDE, RULE, SIDE, layout_of
from generator_service.benchmarks.marvel.nets.drawing import draw_cube, draw_net
from generator_service.benchmarks.marvel.pictures import Sheet, Single, content
from generator_service.benchmarks.marvel.spec import SOLID, Look, Panel, Puzzle, Scene, panels_in_context
from generator_service.drawing.lettering import sign
from generator_service.drawing.vector import BLACK, WHITE, Grey, Pen

_EACH_CHANNEL, _OPAQUE = np.uint32(0x010101), np.uint32(0xFF000000)


def render(_bank: Any, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the item, (height, width, 4), opaque; KeyError for an unknown name."""
    held = content(scene, name)
    grey = _sheet(held) if isinstance(held, Sheet) else _single(held)
    return _opaque(grey)


def _opaque(grey: Grey) -> PictureArray:
    words = grey.astype("<u4")
    words *= _EACH_CHANNEL
    words |= _OPAQUE
    return words.view(np.uint8).reshape(*grey.shape, 4)


def _single(held: Single) -> Grey:
    drawn = _drawn(held.puzzle, held.panel)
    return np.pad(drawn, RULE, constant_values=BLACK)


def _sheet(held: Sheet) -> Grey:
    bare = _bare(held.puzzle, held.marked)
    if not held.labels:
        return bare
    place, canvas = layout_of(held.puzzle.configuration, panels_in_context(held.puzzle)), bare.copy()
    for at, label in zip(place.choices, held.labels, strict=True):
        _lay(canvas, (at[0] + (SIDE - LABEL) // 2, place.label_top + 4), sign(label, LABEL))
    return canvas


# An item's two sheets are asked for one after the other.
@lru_cache(maxsize=8)
def _bare(puzzle: Puzzle, marked: bool) -> Grey:  # noqa: FBT001 - a fact of the sheet
    """Draw a sheet without labels, read-only."""
    place = layout_of(puzzle.configuration, panels_in_context(puzzle))
    canvas = np.full((place.height, place.width), WHITE, np.uint8)
    for at in place.context:
        _frame(canvas, at, place.side)
    for at, panel in zip(place.context, puzzle.context, strict=False):
        _lay(canvas, at, _drawn(puzzle, panel))
    if marked and len(place.context) > len(puzzle.context):
        _lay(canvas, place.context[-1], sign("?", place.side, 60))
    for at, panel in zip(place.choices, puzzle.choices, strict=True):
        _frame(canvas, at, SIDE)
        _lay(canvas, at, _drawn(puzzle, panel))
    canvas.flags.writeable = False
    return canvas


def _frame(canvas: Grey, at: tuple[int, int], side: int) -> None:
    x, y = at
    canvas[y - RULE : y + side + RULE, x - RULE : x + side + RULE] = BLACK
    canvas[y : y + side, x : x + side] = WHITE


def _lay(canvas: Grey, at: tuple[int, int], drawn: Grey) -> None:
    x, y = at
    canvas[y : y + drawn.shape[0], x : x + drawn.shape[1]] = drawn


def _drawn(puzzle: Puzzle, panel: Panel) -> Grey:
    return draw_panel(puzzle.form if puzzle.pattern != SOLID else puzzle.family, puzzle.look, panel)


# Two renderings of a puzzle share its panels, and a page of puzzles comes in at once: 256 panels are 8 MiB.
@lru_cache(maxsize=256)
def draw_panel(kind: str, look: Look, panel: Panel) -> Grey:
    """Draw one panel, (SIDE, SIDE), read-only; `kind` names the form, or the marks of a net (NET_SIDE) or cube."""
    if kind in FORMS:
        pen = Pen(SIDE)
        FORMS[kind].draw(pen, look, panel)
    else:
        net = len(panel.values) > 6  # noqa: PLR2004 - three faces are seen of a cube
        pen = Pen(NET_SIDE if net else SIDE)
        (draw_net if net else draw_cube)(pen, look, kind, panel)
    drawn = pen.finished()
    drawn.flags.writeable = False
    return drawn

"""From a scene to pixels: the only user of the pen."""

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.layout import LABEL, NET_SIDE, RULE, SIDE, layout_of
from generator_service.benchmarks.marvel.nets.drawing import draw_cube, draw_net
from generator_service.benchmarks.marvel.pictures import Sheet, Single, content, labels_of
from generator_service.benchmarks.marvel.spec import SOLID, Look, Panel, Puzzle, Scene, panels_in_context
from generator_service.drawing.lettering import sign
from generator_service.drawing.vector import BLACK, WHITE, Grey, Pen

Words: TypeAlias = npt.NDArray[np.uint32]
"""(height, width), a pixel's four channels as one number, red lowest."""
_EACH_CHANNEL, _OPAQUE = np.uint32(0x010101), np.uint32(0xFF000000)


def render(_bank: Any, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the item, (height, width, 4), opaque, read-only; KeyError for an unknown name."""
    held = content(scene, name)
    words = _sheet(held, labels_of(scene.variant)) if isinstance(held, Sheet) else _single(held)
    return words.view(np.uint8).reshape(*words.shape, 4)


def _single(held: Single) -> Words:
    return _opaque(np.pad(_drawn(held.puzzle, held.panel), RULE, constant_values=BLACK))


def _sheet(held: Sheet, labels: tuple[str, ...]) -> Words:
    """Return the sheet with labels, or its upper part: both are drawn, and kept, once."""
    whole = _labelled(held.puzzle, labels, held.marked)
    if held.labels:
        return whole
    return whole[: layout_of(held.puzzle.configuration, panels_in_context(held.puzzle)).unlabelled]


# An item's two sheets are asked for one after the other.
@lru_cache(maxsize=4)
def _labelled(puzzle: Puzzle, labels: tuple[str, ...], marked: bool) -> Words:  # noqa: FBT001 - a fact of the sheet
    """Draw a sheet with labels, read-only."""
    place = layout_of(puzzle.configuration, panels_in_context(puzzle))
    canvas = _framed(puzzle.configuration, panels_in_context(puzzle)).copy()
    for at, panel in zip(place.context, puzzle.context, strict=False):
        _lay(canvas, at, _drawn(puzzle, panel))
    if marked and len(place.context) > len(puzzle.context):
        _lay(canvas, place.context[-1], sign("?", place.side, 60))
    for at, panel in zip(place.choices, puzzle.choices, strict=True):
        _lay(canvas, at, _drawn(puzzle, panel))
    for at, label in zip(place.labels, labels, strict=True):
        _lay(canvas, at, sign(label, LABEL))
    sheet = _opaque(canvas)
    sheet.flags.writeable = False
    return sheet


def _opaque(grey: Grey) -> Words:
    words = grey.astype("<u4")
    words *= _EACH_CHANNEL
    words |= _OPAQUE
    return words


@lru_cache(maxsize=16)
def _framed(configuration: str, panels: int) -> Grey:
    """Draw a sheet of empty panels, to be copied."""
    place = layout_of(configuration, panels)
    canvas = np.full((place.height, place.width), WHITE, np.uint8)
    for at in place.context:
        _frame(canvas, at, place.side)
    for at in place.choices:
        _frame(canvas, at, SIDE)
    return canvas


def _frame(canvas: Grey, at: tuple[int, int], side: int) -> None:
    x, y = at
    canvas[y - RULE : y + side + RULE, x - RULE : x + side + RULE] = BLACK
    canvas[y : y + side, x : x + side] = WHITE


def _lay(canvas: Grey, at: tuple[int, int], drawn: Grey) -> None:
    x, y = at
    canvas[y : y + drawn.shape[0], x : x + drawn.shape[1]] = drawn


def _drawn(puzzle: Puzzle, panel: Panel) -> Grey:
    if puzzle.pattern == SOLID:
        return draw_panel(puzzle.family, puzzle.look, panel)
    return draw_panel(puzzle.form, puzzle.look, panel if FORMS[puzzle.form].varies else Panel(panel.values))


# Panels of a puzzle may look the same, and a page of puzzles comes in at once: 256 panels are 8 MiB.
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

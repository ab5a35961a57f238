"""Turn a scene into pixels: the only user of the pen."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.layout import LABEL, NET_SIDE, RULE, SIDE, layout_of
from generator_service.benchmarks.marvel.nets.drawing import draw_net, draw_view
from generator_service.benchmarks.marvel.nets.puzzles import is_net
from generator_service.benchmarks.marvel.pictures import Sheet, Single, content, labels_of
from generator_service.benchmarks.marvel.spec import SOLID, Look, Panel, Puzzle, Scene, panels_in_context
from generator_service.cache_budget import cache_within_budget
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
    return _opaque(np.pad(np.asarray(_paint_panel(held.puzzle, held.panel)), RULE, constant_values=BLACK))


def _sheet(held: Sheet, labels: tuple[str, ...]) -> Words:
    """Return the sheet with labels, or its upper part. Both come from one drawing, which is cached."""
    whole = _draw_sheet(held.puzzle, labels, held.marked)
    if held.labels:
        return whole
    return whole[: layout_of(held.puzzle.configuration, panels_in_context(held.puzzle)).unlabelled]


# An item's two sheets are requested one after the other.
@cache_within_budget(4)
def _draw_sheet(puzzle: Puzzle, labels: tuple[str, ...], marked: bool) -> Words:  # noqa: FBT001 - a fact of the sheet
    """Draw a sheet with labels, read-only."""
    place = layout_of(puzzle.configuration, panels_in_context(puzzle))
    canvas = _frame_panels(puzzle.configuration, panels_in_context(puzzle)).copy()
    for at, panel in zip(place.context, puzzle.context, strict=False):
        canvas.paste(_paint_panel(puzzle, panel), at)
    if marked and len(place.context) > len(puzzle.context):
        canvas.paste(_sign("?", place.side, 60), place.context[-1])
    for at, panel in zip(place.choices, puzzle.choices, strict=True):
        canvas.paste(_paint_panel(puzzle, panel), at)
    for at, label in zip(place.labels, labels, strict=True):
        canvas.paste(_sign(label, LABEL), at)
    sheet = _opaque(np.asarray(canvas))
    sheet.flags.writeable = False
    return sheet


def _opaque(grey: Grey) -> Words:
    words = grey.astype("<u4")
    words *= _EACH_CHANNEL
    words |= _OPAQUE
    return words


@cache_within_budget(16)
def _frame_panels(configuration: str, panels: int) -> Image.Image:
    """Draw a sheet of empty panels, to be copied."""
    place = layout_of(configuration, panels)
    canvas = Image.new("L", (place.width, place.height), WHITE)
    for at in place.context:
        _frame(canvas, at, place.side)
    for at in place.choices:
        _frame(canvas, at, SIDE)
    return canvas


def _frame(canvas: Image.Image, at: tuple[int, int], side: int) -> None:
    x, y = at
    canvas.paste(BLACK, (x - RULE, y - RULE, x + side + RULE, y + side + RULE))
    canvas.paste(WHITE, (x, y, x + side, y + side))


@cache_within_budget(64)
def _sign(character: str, side: int, width: int = 95) -> Image.Image:
    return Image.fromarray(sign(character, side, width))


def _paint_panel(puzzle: Puzzle, panel: Panel) -> Image.Image:
    if puzzle.pattern == SOLID:
        return _panel(puzzle.family, puzzle.look, panel)
    return _panel(puzzle.form, puzzle.look, panel if FORMS[puzzle.form].varies else Panel(panel.values))


def draw_panel(kind: str, look: Look, panel: Panel) -> Grey:
    """Draw one panel, (SIDE, SIDE), read-only; `kind` names the form, or the marks of a net (NET_SIDE) or solid."""
    drawn = np.asarray(_panel(kind, look, panel))
    drawn.flags.writeable = False
    return drawn


# Panels of a puzzle may look the same, and a page of puzzles is requested at once. 256 panels are 8 MiB.
@cache_within_budget(256)
def _panel(kind: str, look: Look, panel: Panel) -> Image.Image:
    if kind in FORMS:
        pen = Pen(SIDE)
        FORMS[kind].draw(pen, look, panel)
    else:
        pen = Pen(NET_SIDE if is_net(panel) else SIDE)
        (draw_net if is_net(panel) else draw_view)(pen, look, kind, panel)
    return pen.average()

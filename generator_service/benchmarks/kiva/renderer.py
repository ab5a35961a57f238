"""From a scene's states to pixels: the only user of pictures.

The published rules, verified on its pixels: turns clockwise on a kept canvas; x mirrors top and bottom; color mixes
half and half with the target; counting stands four to a row, a cell a quarter of the side; sizes stand on a canvas
that the largest still fills.
"""

from functools import lru_cache
from typing import cast

import numpy as np

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import layout
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.layout import GAP, PAIR_WIDTH, SIDE
from generator_service.benchmarks.kiva.pictures import Pair, Sheet, content
from generator_service.benchmarks.kiva.spec import Scene, State
from generator_service.drawing import canvas
from generator_service.drawing.canvas import Backdrop, Mirror, Tint

_EMPTY = {"transparent": (0, 0, 0, 0), "white": (255, 255, 255, 255), "black": (0, 0, 0, 255)}
# Grey shows on whatever a viewer lays a transparent picture on.
_INK = {"transparent": (128, 128, 128, 255), "white": (0, 0, 0, 255), "black": (255, 255, 255, 255)}
_LARGEST = 4  # halves: a size trial's object grows from 2 to 4, and must still fit


def render(bank: KivaBank, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the trial, (height, width, 4) as `layout` says; KeyError for an unknown name."""
    held = content(scene, name)
    return _sheet(bank, scene, held) if isinstance(held, Sheet) else _pair(bank, scene, held)


def _pair(bank: KivaBank, scene: Scene, pair: Pair) -> PictureArray:
    picture = _pair_blank(scene.background).copy()
    _lay(picture, (0, 0), bank, scene, pair)
    return picture


def _sheet(bank: KivaBank, scene: Scene, sheet: Sheet) -> PictureArray:
    picture = _sheet_blank(scene.background).copy()
    _lay(picture, layout.GIVEN_AT, bank, scene, sheet.given)
    for at, pair in zip(layout.OPTION_AT, sheet.options, strict=True):
        _lay(picture, at, bank, scene, pair)
    return picture


def _lay(picture: PictureArray, at: tuple[int, int], bank: KivaBank, scene: Scene, pair: Pair) -> None:
    left, top = at
    for state in (pair.before, pair.after):
        picture[top : top + SIDE, left : left + SIDE] = panel(bank, pair.object, state, scene.domain, scene.background)
        left += SIDE + GAP


# A trial shows a panel up to four times, and a page of trials comes in at once: 128 panels are 32 MiB.
@lru_cache(maxsize=128)
def panel(bank: KivaBank, object_id: str, state: State, domain: str, background: str) -> PictureArray:
    """Draw one object in one state, (256, 256, 4), read-only."""
    stood = _laid_out(_transformed(bank.objects.picture(object_id), state), state, domain)
    if background != "transparent":
        stood = canvas.flatten(stood, cast("Backdrop", background))
    stood.flags.writeable = False
    return stood


def _transformed(picture: PictureArray, state: State) -> PictureArray:
    if state.color != "own":
        picture = canvas.tint(picture, cast("Tint", state.color))
    if state.mirror != "none":
        picture = canvas.reflect(picture, cast("Mirror", state.mirror))
    return canvas.rotate(picture, state.turn) if state.turn else picture


def _laid_out(picture: PictureArray, state: State, domain: str) -> PictureArray:
    """Lay the object out as its domain does: in counting cells, at a part of the canvas, or filling it."""
    if domain == "number":
        return canvas.grid(picture, state.count, SIDE)
    if domain == "size":
        scaled = canvas.resize(picture, SIDE * state.across // _LARGEST, SIDE * state.down // _LARGEST)
        return canvas.place(SIDE, scaled, (SIDE // 2, SIDE // 2))
    return picture.copy()


@lru_cache(maxsize=len(_EMPTY))
def _pair_blank(background: str) -> PictureArray:
    blank = np.full((SIDE, PAIR_WIDTH, 4), _EMPTY[background], np.uint8)
    layout.rule_pair(blank, (0, 0), _INK[background])
    return blank


@lru_cache(maxsize=len(_EMPTY))
def _sheet_blank(background: str) -> PictureArray:
    blank = np.full((layout.SHEET_HEIGHT, layout.SHEET_WIDTH, 4), _EMPTY[background], np.uint8)
    ink = _INK[background]
    for at in (layout.GIVEN_AT, *layout.OPTION_AT):
        layout.rule_pair(blank, at, ink)
        layout.frame_pair(blank, at, ink)
    for at, label in zip(layout.OPTION_AT, "ABC", strict=True):
        layout.letter_pair(blank, at, f"({label})", ink)
    return blank

"""Turn a scene's states into pixels: the only user of pictures.

Turns are clockwise, and the canvas keeps its size. x mirrors top and bottom. An object takes on a color wholly. Counted
objects stand in rows about the middle. Sizes share a canvas that the largest size fills. If several things change at
once, an object is transformed, then laid out. With published distractors, two rules are those of the published pixels:
a color is mixed half and half with the object, and counted objects stand four to a row, each in a cell of a quarter of
the side.
"""

from typing import NamedTuple, cast

import msgspec
import numpy as np

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import layout
from generator_service.benchmarks.kiva.changing import LARGEST_SIZE
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.layout import GAP, PAIR_WIDTH, SIDE
from generator_service.benchmarks.kiva.pictures import Candidate, Pair, Sentence, Sheet, content
from generator_service.benchmarks.kiva.spec import ADULTS, PUBLISHED, Scene, State, domains_of
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing import canvas
from generator_service.drawing.canvas import Backdrop, Mirror, Tint, within_circle

EMPTY = {"transparent": (0, 0, 0, 0), "white": (255, 255, 255, 255), "black": (0, 0, 0, 255)}
# Grey can be seen on any backdrop that a viewer may use for a transparent picture.
INK = {"transparent": (128, 128, 128, 255), "white": (0, 0, 0, 255), "black": (255, 255, 255, 255)}
_LARGEST = LARGEST_SIZE  # a panel's whole side
# Counted objects stand in rows about the middle, each in a cell of 84 pixels, or of 128 where they also differ in size.
CELL, SIZED_CELL = 84, 128
_ROWS: dict[int, dict[int, tuple[int, ...]]] = {
    CELL: {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (2, 1, 2), 6: (3, 3), 7: (2, 3, 2), 8: (3, 2, 3), 9: (3, 3, 3)},
    SIZED_CELL: {1: (1,), 2: (2,), 3: (1, 2), 4: (2, 2)},
}
_WHOLE = 100  # percent


class View(NamedTuple):
    """The facts that a panel depends on besides object and state. tilted: turns by eighths would cut off corners.

    published: colors and counts are drawn as in the published pictures.
    """

    domain: str
    tilted: bool
    published: bool
    background: str
    crop: int


def render(bank: KivaBank, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the trial, (height, width, 4) as `layout` says; KeyError for an unknown name."""
    held, view = content(scene, name), _view(scene)
    if isinstance(held, Sheet):
        return _sheet(bank, view, held)
    if isinstance(held, Sentence):
        return _sentence(bank, view, held)
    if isinstance(held, Candidate):
        return panel(bank, held.object, held.state, view).copy()
    picture = _pair_blank(view.background).copy()
    _lay(picture, (0, 0), bank, view, held)
    return picture


def _view(scene: Scene) -> View:
    """Return what the panels of a scene have in common."""
    tilted = scene.track == ADULTS and scene.domain == "rotation"
    return View(scene.domain, tilted, scene.distractors == PUBLISHED, scene.background, scene.crop)


def _sheet(bank: KivaBank, view: View, sheet: Sheet) -> PictureArray:
    plan, picture = layout.SHEETS[len(sheet.options)], _sheet_blank(view.background, len(sheet.options)).copy()
    _lay(picture, plan.given_at, bank, view, sheet.given)
    for at, pair in zip(plan.options_at, sheet.options, strict=True):
        _lay(picture, at, bank, view, pair)
    return picture


def _sentence(bank: KivaBank, view: View, sentence: Sentence) -> PictureArray:
    picture = _sentence_blank(view.background).copy()
    for row, pair in enumerate(sentence.rows):
        _lay(picture, (0, row * (SIDE + GAP)), bank, view, pair)
    picture[-SIDE:, :SIDE] = panel(bank, sentence.test, sentence.before, view)
    return picture


def _lay(picture: PictureArray, at: tuple[int, int], bank: KivaBank, view: View, pair: Pair) -> None:
    left, top = at
    for state in (pair.before, pair.after):
        picture[top : top + SIDE, left : left + SIDE] = panel(bank, pair.object, state, view)
        left += SIDE + GAP


# A trial shows a panel up to four times, and a page of trials is requested at once. 128 panels are 32 MiB.
@cache_within_budget(128)
def panel(bank: KivaBank, object_id: str, state: State, view: View) -> PictureArray:
    """Draw one object in one state, (256, 256, 4), read-only."""
    one = _one(bank, object_id, msgspec.structs.replace(state, count=1), view.domain, view.tilted, view.published)
    if "number" not in domains_of(view.domain):
        stood = one
    elif view.published:
        stood = canvas.copies(one, state.count, SIDE)
    else:
        stood = canvas.gather_copies(one, _ROWS[one.shape[0]][state.count], SIDE)
    if view.crop != _WHOLE:
        stood = _crop_picture(stood, view.crop)
    if view.background != "transparent":
        stood = canvas.flatten(stood, cast("Backdrop", view.background))
    stood.flags.writeable = False
    return stood


# A trial's states of an object share parts, and are drawn one after the other. 16 of each are 4 MiB.
@cache_within_budget(16)
def _one(bank: KivaBank, object_id: str, state: State, domain: str, tilted: bool, published: bool) -> PictureArray:  # noqa: FBT001, PLR0917 - the parts of a View
    """Draw a single object in its domains' size: the whole canvas, a part of it, or a counting cell."""
    domains = domains_of(domain)
    picture = _turn_picture(_color_object(bank, object_id, state.color, tilted=tilted, published=published), state)
    if "size" in domains:
        scaled = canvas.resize(picture, int(SIDE * state.across / _LARGEST), int(SIDE * state.down / _LARGEST))
        picture = canvas.place(SIDE, scaled, (SIDE // 2, SIDE // 2))
    if "number" in domains:
        cell = SIZED_CELL if "size" in domains else SIDE // canvas.COLUMNS if published else CELL
        picture = canvas.resize(picture, cell, cell)
    return picture


def _turn_picture(picture: PictureArray, state: State) -> PictureArray:
    if state.mirror != "none":
        picture = canvas.reflect(picture, cast("Mirror", state.mirror))
    return canvas.rotate(picture, state.turn) if state.turn else picture


@cache_within_budget(16)
def _color_object(bank: KivaBank, object_id: str, color: str, *, tilted: bool, published: bool) -> PictureArray:
    """Return the object upright, in a color or its own. If it will be tilted, it is shrunk so that no turn cuts it."""
    if color != "own":
        own = _color_object(bank, object_id, "own", tilted=tilted, published=published)
        return canvas.tint(own, cast("Tint", color)) if published else canvas.recolor(own, cast("Tint", color))
    picture = bank.objects.picture(object_id)
    return within_circle(picture) if tilted else picture


def _crop_picture(picture: PictureArray, percent: int) -> PictureArray:
    """Crop to the middle, `percent` of the side, and scale that to the whole side."""
    kept = SIDE * percent // _WHOLE
    edge = (SIDE - kept) // 2
    middle = np.ascontiguousarray(picture[edge : edge + kept, edge : edge + kept])
    return canvas.resize(middle, SIDE, SIDE).copy()


@cache_within_budget(len(EMPTY))
def _pair_blank(background: str) -> PictureArray:
    blank = np.full((SIDE, PAIR_WIDTH, 4), EMPTY[background], np.uint8)
    layout.rule_pair(blank, (0, 0), INK[background])
    return blank


@cache_within_budget(len(EMPTY))
def _sentence_blank(background: str) -> PictureArray:
    blank = np.full((layout.SENTENCE_HEIGHT, PAIR_WIDTH, 4), EMPTY[background], np.uint8)
    layout.rule_rows(blank, INK[background])
    return blank


@cache_within_budget(len(EMPTY) * len(layout.SHEETS))
def _sheet_blank(background: str, options: int) -> PictureArray:
    return layout.blank_sheet(options, EMPTY[background], INK[background])

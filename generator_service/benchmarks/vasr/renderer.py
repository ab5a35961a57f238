"""Draw the picture of a state: people, things and places composed, or a photograph; or all states on one sheet."""

import numpy as np

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.vasr.bank import VasrBank
from generator_service.benchmarks.vasr.spec import COMPOSITE, GIVEN, Photograph, Scene
from generator_service.drawing.canvas import resize
from generator_service.drawing.lettering import sign
from generator_service.drawing.people.composing import Look, Situation, compose_situation

CELL, GAP, STRIP = 320, 12, 44
"""Pixels of a sheet: a side of its pictures, between them, and the height of the strip that a label stands in."""
COLUMNS = 4
_SIGN = 36  # side of a letter


def render(bank: VasrBank, scene: Scene, name: str) -> PictureArray:
    """Return a picture, 512 pixels on its longer side, or a sheet; KeyError for a name that the scene does not have."""
    shown = scene.pictures[name]
    if scene.presentation == COMPOSITE:
        return _sheet(bank, scene)
    return _picture(bank, scene, *shown)


def _picture(bank: VasrBank, scene: Scene, what: str) -> PictureArray:
    state = scene.state(what)
    if isinstance(state, Photograph):
        return bank.of_photographs().picture(state.name)
    look = scene.looks[what]
    return compose_situation(bank.of_people(), Situation(state.verb, dict(state.values)), Look(**look)).picture


def _sheet(bank: VasrBank, scene: Scene) -> PictureArray:
    """Lay out A, A' and B in a row, a frame for what is not shown, and the options below in rows of four."""
    rows = 1 + -(-len(scene.labels) // COLUMNS)
    height, width = rows * (STRIP + CELL) + (rows - 1) * GAP, COLUMNS * CELL + (COLUMNS - 1) * GAP
    sheet = np.full((height, width, 4), 255, np.uint8)
    for place, what in enumerate(GIVEN):
        left = place * (CELL + GAP)
        _letter(sheet, (left, 0), what)
        sheet[STRIP : STRIP + CELL, left : left + CELL] = (225, 225, 225, 255)
        if what in scene.shown_names:
            sheet[STRIP : STRIP + CELL, left : left + CELL] = _cell(bank, scene, what)
    for place, label in enumerate(scene.labels):
        left, row = place % COLUMNS * (CELL + GAP), 1 + place // COLUMNS
        top = row * (STRIP + CELL + GAP)
        _letter(sheet, (left, top), label)
        sheet[top + STRIP : top + STRIP + CELL, left : left + CELL] = _cell(bank, scene, label)
    return sheet


def _cell(bank: VasrBank, scene: Scene, what: str) -> PictureArray:
    """Return a picture scaled into a cell, in its middle, with white around it."""
    picture = _picture(bank, scene, what)
    height, width = (max(1, side * CELL // max(picture.shape[:2])) for side in picture.shape[:2])
    cell = np.full((CELL, CELL, 4), 255, np.uint8)
    top, left = (CELL - height) // 2, (CELL - width) // 2
    cell[top : top + height, left : left + width] = resize(picture, width, height)
    return cell


def _letter(sheet: PictureArray, at: tuple[int, int], text: str) -> None:
    """Write a label into its strip, from the left."""
    left, top = at
    for place, character in enumerate(text):
        drawn = sign(character, _SIGN)
        x, y = left + 4 + place * (_SIGN - 8), top + (STRIP - _SIGN) // 2
        part = sheet[y : y + _SIGN, x : x + _SIGN, :3]
        np.minimum(part, drawn[..., None], out=part)

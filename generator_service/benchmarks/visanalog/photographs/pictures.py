"""Say what a photograph holds under a program: the colours of its cells, and the boxes of what annotations name."""

from typing import Any

import numpy as np

from generator_service.benchmarks.visanalog.photographs.cells import colours_of, hue_rotated, under
from generator_service.benchmarks.visanalog.programs import HALF, LAYOUT_OF, MATRICES, PLACED, SIDE, place_things
from generator_service.benchmarks.visanalog.spec import Photograph
from generator_service.benchmarks.visanalog.transforming import turn_grid

_WHOLE = 0.999


def photograph_holds(photograph: Photograph, program: int) -> dict[str, Any]:
    """Return the cells' colours in hexadecimal, row by row, and the boxes of things that are whole.

    A box is left, top, right and bottom in shares of the picture's side. A thing that a step would cut, at the rim or
    along a middle line, is left out: nothing is asked of it.
    """
    colours = np.asarray(turn_grid(colours_of(photograph.look), photograph.pose), np.uint8)
    shown = under(hue_rotated(colours, photograph.hue), PLACED[program])
    return {"cells": np.ascontiguousarray(shown).tobytes().hex(), "things": _boxes(photograph, program)}


def _boxes(photograph: Photograph, program: int) -> list[list[Any]]:
    if not photograph.things:
        return []
    posed, turn = MATRICES[photograph.pose], MATRICES[PLACED[program].symmetry]
    centre = np.array([posed @ thing.at for thing in photograph.things], dtype=np.float64)
    half = np.array([np.abs(posed) @ thing.half for thing in photograph.things], dtype=np.float64)
    places = place_things(centre, half)
    layout, found = LAYOUT_OF[program], []
    for number, thing in enumerate(photograph.things):
        if places.share[layout, number] >= _WHOLE and (program == 0 or (np.abs(centre[number]) >= half[number]).all()):
            at, size = turn @ places.centre[layout, number], np.abs(turn) @ places.half[layout, number]
            box = [*(at - size + HALF), *(at + size + HALF)]
            found.append([thing.name, [round(float(value) / SIDE, 4) for value in box]])
    return found

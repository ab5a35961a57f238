"""Lay out a picture's parts, in pixels, for the renderer and for solvers that cut it up; draw a sheet's letters.

A pair is PAIR_WIDTH x SIDE: left panel at x = 0, right panel at x = SIDE + GAP, a line of RULE in the middle of the
gap. A sheet has the given pair at the top and the option pairs below, each inside a frame, the letters (A), (B), ..
above the option pairs: three in a row, four in two rows. A sentence sheet is three pairs, one above the other, GAP
apart with lines between them; the last right panel is empty.
"""

from dataclasses import dataclass

import numpy as np

from generator_service.benchmark import PictureArray

SIDE = 256  # of a panel: the bank's own, so that most panels need no resampling
GAP = 8
RULE = 2
PAIR_WIDTH = 2 * SIDE + GAP

FRAME = 4  # from a pair's edge to the outer edge of the frame around it, RULE of it drawn
GUTTER = 16
CAPTION = 44  # height of the strip that a letter stands in
LETTERS = "ABCD"
ROWS = 3  # of a sentence sheet
SENTENCE_HEIGHT = ROWS * SIDE + (ROWS - 1) * GAP


@dataclass(frozen=True, kw_only=True)
class SheetPlan:
    """The top left (x, y) of each pair on a sheet."""

    width: int
    height: int
    given_at: tuple[int, int]
    options_at: tuple[tuple[int, int], ...]


def _planned(options: int, columns: int) -> SheetPlan:
    step, framed = PAIR_WIDTH + 2 * FRAME + GUTTER, SIDE + 2 * FRAME
    width = columns * step - GUTTER
    rows = -(-options // columns)
    at = [
        (FRAME + place % columns * step, framed + CAPTION + FRAME + place // columns * (framed + CAPTION))
        for place in range(options)
    ]
    height = framed + rows * (CAPTION + framed)
    return SheetPlan(width=width, height=height, given_at=((width - PAIR_WIDTH) // 2, FRAME), options_at=tuple(at))


SHEETS = {3: _planned(3, 3), 4: _planned(4, 2)}

_SCALE = 4
# Five columns by seven rows a letter: a font file would tie pixels to the version of a library.
_GLYPHS = {
    "(": ("..##.", ".##..", ".#...", ".#...", ".#...", ".##..", "..##."),
    ")": (".##..", "..##.", "...#.", "...#.", "...#.", "..##.", ".##.."),
    "A": (".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"),
    "B": ("####.", "#...#", "#...#", "####.", "#...#", "#...#", "####."),
    "C": (".###.", "#...#", "#....", "#....", "#....", "#...#", ".###."),
    "D": ("####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."),
}


def lettering(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of the ink, (28, 24 * length - 4), for text made of A to D and parentheses."""
    rows = [".".join(_GLYPHS[sign][row] for sign in text) for row in range(7)]
    small = np.array([[dot == "#" for dot in row] for row in rows])
    return np.kron(small, np.ones((_SCALE, _SCALE), np.bool_))


Colour = tuple[int, int, int, int]


def blank_sheet(options: int, empty: Colour, ink: Colour) -> PictureArray:
    """Draw a sheet without its panels: frames, lines and letters of `ink` on a ground of `empty`."""
    plan = SHEETS[options]
    blank = np.full((plan.height, plan.width, 4), empty, np.uint8)
    for at in (plan.given_at, *plan.options_at):
        rule_pair(blank, at, ink)
        frame_pair(blank, at, ink)
    for at, label in zip(plan.options_at, LETTERS, strict=False):
        letter_pair(blank, at, f"({label})", ink)
    return blank


def rule_pair(canvas: PictureArray, at: tuple[int, int], ink: Colour) -> None:
    """Draw the line between a pair's halves; `at` is the pair's top left (x, y)."""
    left = at[0] + SIDE + (GAP - RULE) // 2
    canvas[at[1] : at[1] + SIDE, left : left + RULE] = ink


def rule_rows(canvas: PictureArray, ink: Colour) -> None:
    """Draw the lines of a sentence sheet: between its columns, and between its rows."""
    for row in range(ROWS):
        top = row * (SIDE + GAP)
        rule_pair(canvas, (0, top), ink)
        if row:
            above = top - (GAP + RULE) // 2
            canvas[above : above + RULE] = ink


def frame_pair(canvas: PictureArray, at: tuple[int, int], ink: Colour) -> None:
    """Draw a frame around a pair whose top left (x, y) is `at`."""
    left, top = at[0] - FRAME, at[1] - FRAME
    right, bottom = at[0] + PAIR_WIDTH + FRAME, at[1] + SIDE + FRAME
    canvas[top : top + RULE, left:right] = canvas[bottom - RULE : bottom, left:right] = ink
    canvas[top:bottom, left : left + RULE] = canvas[top:bottom, right - RULE : right] = ink


def letter_pair(canvas: PictureArray, at: tuple[int, int], text: str, ink: Colour) -> None:
    """Write the text above the middle of a pair whose top left (x, y) is `at`."""
    dots = lettering(text)
    left = at[0] + (PAIR_WIDTH - dots.shape[1]) // 2
    top = at[1] - FRAME - (CAPTION + dots.shape[0]) // 2
    canvas[top : top + dots.shape[0], left : left + dots.shape[1]][dots] = ink

"""Where things stand in a picture, in pixels: what a solver needs to cut one up, and the letters drawn on a sheet.

A pair is PAIR_WIDTH x SIDE: left panel at x = 0, right panel at x = SIDE + GAP, a line of RULE in the middle of the
gap. A sheet is SHEET_WIDTH x SHEET_HEIGHT: the given pair at GIVEN_AT, the option pairs at OPTION_AT, each inside a
frame, the letters (A), (B), (C) above the option pairs.
"""

import numpy as np

from generator_service.benchmark import PictureArray

SIDE = 256  # of a panel: the bank's own, so that most panels need no resampling
GAP = 8
RULE = 2
PAIR_WIDTH = 2 * SIDE + GAP

FRAME = 4  # from a pair's edge to the outer edge of the frame around it, RULE of it drawn
GUTTER = 16
CAPTION = 44  # height of the strip that a letter stands in
SHEET_WIDTH = 3 * (PAIR_WIDTH + 2 * FRAME) + 2 * GUTTER
SHEET_HEIGHT = 2 * (SIDE + 2 * FRAME) + CAPTION
GIVEN_AT = ((SHEET_WIDTH - PAIR_WIDTH) // 2, FRAME)
OPTION_AT = tuple(
    (FRAME + place * (PAIR_WIDTH + 2 * FRAME + GUTTER), SHEET_HEIGHT - FRAME - SIDE) for place in range(3)
)

_SCALE = 4
# Five columns by seven rows a letter: a font file would tie pixels to the version of a library.
_GLYPHS = {
    "(": ("..##.", ".##..", ".#...", ".#...", ".#...", ".##..", "..##."),
    ")": (".##..", "..##.", "...#.", "...#.", "...#.", "..##.", ".##.."),
    "A": (".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"),
    "B": ("####.", "#...#", "#...#", "####.", "#...#", "#...#", "####."),
    "C": (".###.", "#...#", "#....", "#....", "#....", "#...#", ".###."),
}


def lettering(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return where ink goes, (28, 24 * length - 4), for text made of A, B, C and parentheses."""
    rows = [".".join(_GLYPHS[sign][row] for sign in text) for row in range(7)]
    small = np.array([[dot == "#" for dot in row] for row in rows])
    return np.kron(small, np.ones((_SCALE, _SCALE), np.bool_))


def rule_pair(canvas: PictureArray, at: tuple[int, int], ink: tuple[int, int, int, int]) -> None:
    """Draw the line between a pair's halves; `at` is the pair's top left (x, y)."""
    left = at[0] + SIDE + (GAP - RULE) // 2
    canvas[at[1] : at[1] + SIDE, left : left + RULE] = ink


def frame_pair(canvas: PictureArray, at: tuple[int, int], ink: tuple[int, int, int, int]) -> None:
    """Draw a frame around a pair whose top left (x, y) is `at`."""
    left, top = at[0] - FRAME, at[1] - FRAME
    right, bottom = at[0] + PAIR_WIDTH + FRAME, at[1] + SIDE + FRAME
    canvas[top : top + RULE, left:right] = canvas[bottom - RULE : bottom, left:right] = ink
    canvas[top:bottom, left : left + RULE] = canvas[top:bottom, right - RULE : right] = ink


def letter_pair(canvas: PictureArray, at: tuple[int, int], text: str, ink: tuple[int, int, int, int]) -> None:
    """Write the text above the middle of a pair whose top left (x, y) is `at`."""
    dots = lettering(text)
    left = at[0] + (PAIR_WIDTH - dots.shape[1]) // 2
    top = at[1] - FRAME - (CAPTION + dots.shape[0]) // 2
    canvas[top : top + dots.shape[0], left : left + dots.shape[1]][dots] = ink

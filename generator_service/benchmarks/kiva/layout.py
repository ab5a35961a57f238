"""Lay out a picture's parts, in pixels, for the renderer and for solvers that cut it up; draw a sheet's letters.

A pair is PAIR_WIDTH x SIDE: left panel at x = 0, right panel at x = SIDE + GAP, a line of RULE in the middle of the
gap. A sheet has the given pair at the top, in a thick frame under the word Example. Below a line across the sheet stand
the option pairs, each inside a frame, under the letters (A), (B), ..: three in a row, four or eight in two rows. A
sentence sheet is three pairs, one above the other, GAP apart with lines between them; the last right panel is empty.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import PictureArray

SIDE = 256  # of a panel: the bank's own, so that most panels need no resampling
GAP = 8
RULE = 2
PAIR_WIDTH = 2 * SIDE + GAP

FRAME = 4  # from a pair's edge to the outer edge of the frame around it; RULE of it is drawn, or all for the example
MARGIN = 24  # around a sheet
GUTTER = 32  # between option pairs
APART = 24  # from the example's frame to the line below it
CAPTION = 44  # height of the strip that a letter stands in
LETTERS = "ABCDEFGH"
ROWS = 3  # of a sentence sheet
SENTENCE_HEIGHT = ROWS * SIDE + (ROWS - 1) * GAP


@dataclass(frozen=True, kw_only=True)
class SheetPlan:
    """The top left (x, y) of each pair on a sheet, and the top of the line below the example."""

    width: int
    height: int
    given_at: tuple[int, int]
    line_at: int
    options_at: tuple[tuple[int, int], ...]


def _plan_sheet(options: int, columns: int) -> SheetPlan:
    wide, high = PAIR_WIDTH + 2 * FRAME, CAPTION + SIDE + 2 * FRAME
    width = 2 * MARGIN + columns * wide + (columns - 1) * GUTTER
    line_at = MARGIN + high + APART
    top = line_at + RULE + APART // 2
    at = [
        (
            MARGIN + FRAME + place % columns * (wide + GUTTER),
            top + CAPTION + FRAME + place // columns * (high + GUTTER // 2),
        )
        for place in range(options)
    ]
    return SheetPlan(
        width=width,
        height=at[-1][1] + SIDE + FRAME + MARGIN,
        given_at=((width - PAIR_WIDTH) // 2, MARGIN + CAPTION + FRAME),
        line_at=line_at,
        options_at=tuple(at),
    )


SHEETS = {3: _plan_sheet(3, 3), 4: _plan_sheet(4, 2), 8: _plan_sheet(8, 4)}

# Drawn once in Aileron (Sora Sagano, CC0), the typeface that Pillow brings. A font file at run time would tie pixels to
# the version of a library.
_STRIP = Path(__file__).with_name("letters.png")
_WIDTHS = {
    "(A)": 37,
    "(B)": 36,
    "(C)": 39,
    "(D)": 39,
    "Example": 127,
    "(E)": 34,
    "(F)": 34,
    "(G)": 40,
    "(H)": 40,
}


@cache
def lettering(text: str) -> npt.NDArray[np.uint8]:
    """Return the coverage of the ink, (34, width), 0 to 255; KeyError for a text that is not on the strip."""
    left = sum(width for known, width in _WIDTHS.items() if list(_WIDTHS).index(known) < list(_WIDTHS).index(text))
    with Image.open(_STRIP) as strip:
        return np.asarray(strip)[:, left : left + _WIDTHS[text]]


Colour = tuple[int, int, int, int]


def blank_sheet(options: int, empty: Colour, ink: Colour) -> PictureArray:
    """Draw a sheet without its panels: frames, lines and letters of `ink` on a ground of `empty`."""
    plan = SHEETS[options]
    blank = np.full((plan.height, plan.width, 4), empty, np.uint8)
    for at in (plan.given_at, *plan.options_at):
        rule_pair(blank, at, ink)
    blank[plan.line_at : plan.line_at + RULE, MARGIN:-MARGIN] = ink
    frame_pair(blank, plan.given_at, ink, FRAME)
    letter_pair(blank, plan.given_at, "Example", ink)
    for at, label in zip(plan.options_at, LETTERS, strict=False):
        frame_pair(blank, at, ink, RULE)
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


def frame_pair(canvas: PictureArray, at: tuple[int, int], ink: Colour, thick: int) -> None:
    """Draw a frame, `thick` pixels of it, around a pair whose top left (x, y) is `at`."""
    left, top = at[0] - FRAME, at[1] - FRAME
    right, bottom = at[0] + PAIR_WIDTH + FRAME, at[1] + SIDE + FRAME
    canvas[top : top + thick, left:right] = canvas[bottom - thick : bottom, left:right] = ink
    canvas[top:bottom, left : left + thick] = canvas[top:bottom, right - thick : right] = ink


def letter_pair(canvas: PictureArray, at: tuple[int, int], text: str, ink: Colour) -> None:
    """Write the text above the middle of a pair whose top left (x, y) is `at`."""
    cover = lettering(text)[..., None].astype(np.int32)
    left = at[0] + (PAIR_WIDTH - cover.shape[1]) // 2
    top = at[1] - FRAME - (CAPTION + cover.shape[0]) // 2
    ground = canvas[top : top + cover.shape[0], left : left + cover.shape[1]]
    if ground[0, 0, 3]:
        ground[:] = (cover * np.array(ink) + (255 - cover) * ground) // 255
    else:
        ground[:] = ink
        ground[..., 3] = cover[..., 0]

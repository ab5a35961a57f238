"""Lay out the panels of a sheet, in pixels, for the renderer and for solvers that cut a sheet up.

The context stands above, its panels SIDE apart with borders of RULE between them. The choices stand below in one row,
GUTTER apart, each above its label. Both parts are centred. A sheet without labels is the same picture with the strip of
labels at the bottom cut off.
"""

from dataclasses import dataclass
from functools import lru_cache

from generator_service.benchmarks.marvel.spec import CHOICES, MATRIX, REASSEMBLING, SEQUENCE, TWO_ROW

SIDE = 180
RULE = 3
MARGIN = 16
GUTTER = 20
GAP = 44  # between context and choices
LABEL = 34  # side of a label
STRIP = 60  # height of the strip of labels, margin included
NET_SIDE = 400  # a net stands alone, and larger


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Top left (x, y) of every panel's inside, and the sizes of sheet and panels. The blank is last in the context.

    unlabelled: height of the sheet without labels. labels: top left of every label.
    """

    width: int
    height: int
    unlabelled: int
    side: int
    context: tuple[tuple[int, int], ...]
    choices: tuple[tuple[int, int], ...]
    labels: tuple[tuple[int, int], ...]


def grid_of(configuration: str, panels: int) -> tuple[int, int]:
    """Return columns and rows of the context, the blank counted."""
    return {SEQUENCE: (panels, 1), TWO_ROW: (3, 2), MATRIX: (3, 3), REASSEMBLING: (1, 1)}.get(configuration, (3, 1))


@lru_cache(maxsize=16)
def layout_of(configuration: str, panels: int) -> Layout:
    columns, rows = grid_of(configuration, panels)
    side = NET_SIDE if configuration == REASSEMBLING else SIDE
    pitch = side + RULE
    across = max(columns * pitch + RULE, CHOICES * (SIDE + 2 * RULE) + (CHOICES - 1) * GUTTER)
    width = across + 2 * MARGIN
    left = (width - columns * pitch - RULE) // 2 + RULE
    top = MARGIN + RULE
    below = MARGIN + rows * pitch + RULE + GAP
    first = (width - CHOICES * (SIDE + 2 * RULE) - (CHOICES - 1) * GUTTER) // 2 + RULE
    choices = tuple((first + at * (SIDE + 2 * RULE + GUTTER), below + RULE) for at in range(CHOICES))
    bottom = below + SIDE + 2 * RULE
    return Layout(
        width=width,
        height=bottom + STRIP,
        unlabelled=bottom + MARGIN,
        side=side,
        context=tuple((left + pitch * (at % columns), top + pitch * (at // columns)) for at in range(columns * rows)),
        choices=choices,
        labels=tuple((x + (SIDE - LABEL) // 2, bottom + MARGIN - 2) for x, _ in choices),  # a label's rim is white
    )

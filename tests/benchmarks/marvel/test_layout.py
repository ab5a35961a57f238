"""Every panel of a sheet is where the layout says, in reading order, framed, and dark enough to be seen at its size."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.ndimage import label, minimum

from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.layout import NET_SIDE, RULE, SIDE, Layout, layout_of
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.spec import (
    GROUP,
    MATRIX,
    REASSEMBLING,
    SEQUENCE,
    SOLID,
    TWO_ROW,
    Panel,
    Puzzle,
    Scene,
    panels_in_context,
)
from generator_service.drawing.vector import Grey
from tests.benchmarks.marvel.items import STRATA, puzzle

Box = tuple[int, int, int, int]
GRIDS = {TWO_ROW: (3, 2), MATRIX: (3, 3), GROUP: (3, 1), REASSEMBLING: (1, 1)}
FORMATS = [(SEQUENCE, length) for length in range(4, 9)] + [(name, x * y) for name, (x, y) in GRIDS.items()]
WHITE = 255


def puzzle_of(configuration: str, panels: int) -> Puzzle:
    strata = [stratum for stratum in STRATA if stratum[1] == configuration]
    drawn = (puzzle(*stratum, number) for number in range(40) for stratum in strata)
    return next(one for one in drawn if panels_in_context(one) == panels)


def sheet_of(one: Puzzle, variant: str = "plain", setting: str = "avr-only", name: str = "1") -> Grey:
    """Render a sheet as the service does, (height, width)."""
    drawn = BENCHMARK.render(None, Scene(item="0", setting=setting, variant=variant, puzzle=one), name)
    assert (drawn[..., 3] == WHITE).all()
    assert (drawn[..., :1] == drawn[..., :3]).all()
    return drawn[..., 0]


def cut(sheet: Grey, at: tuple[int, int], side: int) -> Grey:
    x, y = at
    return sheet[y : y + side, x : x + side]


def panel_of(one: Puzzle, panel: Panel) -> Grey:
    return draw_panel(one.family if one.pattern == SOLID else one.form, one.look, panel)


def boxes(place: Layout) -> list[Box]:
    """Return left, top, right and bottom of every panel."""
    context = [(x, y, x + place.side, y + place.side) for x, y in place.context]
    return context + [(x, y, x + SIDE, y + SIDE) for x, y in place.choices]


@pytest.mark.parametrize(("configuration", "panels"), FORMATS)
def test_panels_stand_where_the_layout_says_in_reading_order(configuration: str, panels: int) -> None:
    one = puzzle_of(configuration, panels)
    place, sheet = layout_of(configuration, panels), sheet_of(one)
    assert sheet.shape == (place.height, place.width)
    shown = [panel_of(one, panel) for panel in one.context]
    for at, panel in zip(place.context, shown, strict=False):
        assert np.array_equal(cut(sheet, at, place.side), panel)
    for at, chosen in zip(place.choices, one.choices, strict=True):
        assert np.array_equal(cut(sheet, at, SIDE), panel_of(one, chosen))
    if configuration != REASSEMBLING:
        assert (cut(sheet, place.context[-1], SIDE) == WHITE).all(), "the blank is the last"
        assert len(place.context) == len(shown) + 1
    for x, y, right, bottom in boxes(place):
        border = sheet[y - RULE : bottom + RULE, x - RULE : right + RULE].copy()
        border[RULE:-RULE, RULE:-RULE] = 0
        assert (border == 0).all(), "a frame goes all the way round"


@pytest.mark.parametrize(("configuration", "panels"), FORMATS)
def test_the_context_is_a_grid_with_the_choices_in_one_row_below(configuration: str, panels: int) -> None:
    place = layout_of(configuration, panels)
    across, down = GRIDS.get(configuration, (panels, 1))
    columns, rows = sorted({x for x, _ in place.context}), sorted({y for _, y in place.context})
    assert (len(columns), len(rows)) == (across, down)
    assert list(place.context) == [(x, y) for y in rows for x in columns]
    assert all(b - a == place.side + RULE for line in (columns, rows) for a, b in pairwise(line))
    [level] = {y for _, y in place.choices}
    assert level > rows[-1] + place.side
    assert list(place.choices) == sorted(place.choices)
    for (a, b, c, d), (e, f, g, h) in combinations(boxes(place), 2):
        assert c <= e or g <= a or d <= f or h <= b, "panels do not overlap"
    assert all(0 < x < c < place.width and 0 < y < d < place.height for x, y, c, d in boxes(place))
    assert {c - a for a, _, c, _ in boxes(place)} == ({180, NET_SIDE} if configuration == REASSEMBLING else {180})


@pytest.mark.parametrize(("configuration", "panels"), FORMATS)
def test_labels_stand_under_the_choices_and_a_question_mark_in_the_blank(configuration: str, panels: int) -> None:
    one = puzzle_of(configuration, panels)
    place = layout_of(configuration, panels)
    numbers, letters, marked = (sheet_of(one, variant) for variant in ("plain", "letters", "question-mark"))
    bare = sheet_of(one, setting="full", name="2")
    top = place.unlabelled
    strips = [sheet[top:, x : x + SIDE] for sheet in (numbers, letters) for x, _ in place.choices]
    assert bare.shape == (top, place.width)
    assert all(strip.min() < 100 for strip in strips)
    assert not any(np.array_equal(a, b) for a, b in combinations(strips, 2))
    assert np.array_equal(numbers[:top], bare), "labels are all that is cut off"
    changed = np.argwhere(numbers != marked)
    if configuration == REASSEMBLING:
        assert not len(changed), "a net has no blank"
    else:
        x, y = place.context[-1]
        assert (changed.min(axis=0) > (y, x)).all()
        assert (changed.max(axis=0) < (y + SIDE, x + SIDE)).all()


@pytest.mark.parametrize("stratum", STRATA, ids=" ".join)
def test_every_mark_is_dark_enough_at_the_size_of_a_panel(stratum: tuple[str, str, str]) -> None:
    """A line thinner than a pixel fades: each piece of ink has a core that is grey (165) or darker."""
    for number in range(6):
        one = puzzle(*stratum, number)
        for panel in (*one.context, *one.choices):
            drawn = panel_of(one, panel)
            pieces, count = label(drawn < 230, np.ones((3, 3)))
            assert count
            assert max(minimum(drawn, pieces, range(1, count + 1))) <= 170, (one.form, panel)

"""Random details of a panel give nothing away: counted from pixels and pen strokes, independently of the rules."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import permutations, product

import numpy as np
import pytest
from scipy.ndimage import label

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.form import Form
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.rules.accepting import is_drawn_fairly
from generator_service.benchmarks.marvel.rules.fitting import selected_sets
from generator_service.benchmarks.marvel.rules.laws import NUMBER
from generator_service.benchmarks.marvel.spec import (
    GEOMETRIC,
    GROUP,
    PLANE,
    SHAPES,
    SOLID,
    SPATIAL,
    Look,
    Panel,
    Puzzle,
)
from generator_service.drawing.vector import WHITE, Grey, Path, Pen
from tests.benchmarks.marvel.items import STRATA, puzzle, puzzles
from tests.benchmarks.marvel.test_forms import PLACES, look_of
from tetrad.streams import Stream

EACH = 8
SPECK = 12  # pixels: what is smaller is seen as none
SHADES = {"white": WHITE, "grey": 165, "dark": 60}  # of the three figures that lie on one another


@pytest.mark.parametrize("form", FORMS.values(), ids=lambda form: form.name)
def test_a_form_declares_what_its_panels_chance_decides(form: Form) -> None:
    varies = any(
        len({draw_panel(form.name, look, Panel(values, seed)).tobytes() for seed in range(6)}) > 1
        for known, shape, ground in PLACES
        if known is form
        for look in [look_of(form, shape, ground)]
        for values in [tuple(one.values(look)[-1] for one in form.fields)]
    )
    assert form.varies == varies
    assert not (form.scattered and form.drawn)


class Hand(Pen):
    """Keeps the lines it is told to draw."""

    def __init__(self) -> None:
        super().__init__(180)
        self.lines: list[Path] = []

    def line(self, path: Path, *, width: int = 1, shade: int = 0, smooth: bool = False) -> None:
        self.lines.append(path)
        super().line(path, width=width, shade=shade, smooth=smooth)


def drawn_with(one: Puzzle, panel: Panel) -> Hand:
    hand = Hand()
    FORMS[one.form].draw(hand, one.look, panel)
    return hand


def straight_sides(one: Puzzle, panel: Panel) -> int:
    """Count runs along a path that go one way; a curve has none longer than a tenth of its length."""
    [path] = drawn_with(one, panel).lines
    steps = np.diff(np.array(path), axis=0)
    ways = np.arctan2(steps[:, 1], steps[:, 0])
    bends = np.abs(np.angle(np.exp(1j * np.diff(ways)))) > 1e-6
    runs = np.diff(np.flatnonzero(np.concatenate([[True], bends, [True]])))
    return int((runs >= 5).sum())


@lru_cache(maxsize=32)  # the panels of a puzzle, for both counts
def drawn_panel(form: str, look: Look, panel: Panel) -> Grey:
    return draw_panel(form, look, panel)


def pieces(one: Puzzle, panel: Panel) -> int:
    marked, _ = label(drawn_panel(one.form, one.look, panel) < 128, np.ones((3, 3)))
    return int((np.bincount(marked.ravel())[1:] > SPECK).sum())


def closed_regions(one: Puzzle, panel: Panel) -> int:
    marked, _ = label(drawn_panel(one.form, one.look, panel) >= 128)
    return int((np.bincount(marked.ravel())[1:] > SPECK).sum()) - 1


def leads_elsewhere(one: Puzzle, count: Callable[[Puzzle, Panel], int]) -> bool:
    """Does a rule over what is counted select choices without the right one?"""
    seen, offered = (tuple(count(one, panel) for panel in panels) for panels in (one.context, one.choices))
    return any(one.key not in chosen for chosen in selected_sets(one.configuration, NUMBER, 0, seen, offered))


def led_elsewhere(drawn: Iterable[Puzzle]) -> list[tuple[str, str, str]]:
    """Return which counts of pieces or regions lead elsewhere, with form and configuration of the puzzle."""
    return [
        (count.__name__, one.form, one.configuration)
        for one in drawn
        for count in (pieces, closed_regions)
        if leads_elsewhere(one, count)
    ]


def test_no_count_of_pieces_or_regions_leads_to_another_choice() -> None:
    assert led_elsewhere(one for one in puzzles(EACH) if one.pattern != SOLID) == []


def test_no_count_of_straight_sides_leads_to_another_choice() -> None:
    drawn = [puzzle(*stratum, number) for stratum in STRATA if stratum[0] == PLANE for number in range(6 * EACH)]
    curves = [one for one in drawn if one.form == "curve"]
    assert len(curves) > EACH
    assert {straight_sides(one, panel) for one in curves for panel in one.context} >= {0, 3, 4, 5, 6}
    assert [one.configuration for one in curves if leads_elsewhere(one, straight_sides)] == []


def test_figures_of_a_symmetry_and_pairs_hold_no_count_that_leads_elsewhere() -> None:
    """More of the cells in which it was found: 17 in 100 of these puzzles once had another answer by counting."""
    drawn = [puzzle(*stratum, number) for stratum in STRATA if stratum[0] in {PLANE, SPATIAL} for number in range(30)]
    counted = [one for one in drawn if one.form in {"axis", "symmetry", "pair", "parallel"}]
    assert len(counted) > 100
    assert led_elsewhere(counted) == []


def pieces_of_a_shade(drawn: Grey) -> dict[str, int]:
    """Count connected pieces of each shade; the ground, which a corner of the panel is part of, is no piece."""
    counts = {}
    for name, shade in SHADES.items():
        marked, _ = label(np.abs(drawn.astype(int) - shade) <= 2)
        sizes = np.bincount(marked.ravel())
        sizes[[0, marked[0, 0]]] = 0
        counts[name] = int((sizes > SPECK).sum())
    return counts


@pytest.mark.parametrize("shape", SHAPES)
def test_of_each_of_three_layers_one_connected_piece_is_seen_whatever_their_order(shape: str) -> None:
    form = FORMS["layers"]
    trios = list(permutations(form.sorts[shape], 3))
    for number, sorts in enumerate(trios if shape == GEOMETRIC else trios * 3):
        seeds = tuple(Stream("tests/marvel/trio", shape, number, slot).below(1 << 32) for slot in range(3))
        look = Look(shape=shape, sorts=sorts, seeds=seeds, fills=(0, 0, 0), ground=0, seed=0)
        for values in product(*(field.values(look) for field in form.fields)):
            seen = pieces_of_a_shade(draw_panel("layers", look, Panel(values)))
            assert set(seen.values()) == {1}, (sorts, seeds, values, seen)


def test_lines_of_which_some_are_parallel_never_touch() -> None:
    drawn = [puzzle(*stratum, number) for stratum in STRATA if stratum[0] == PLANE for number in range(30)]
    shown = [(one, panel) for one in drawn if one.form == "parallel" for panel in (*one.context, *one.choices)]
    assert len(shown) > 200
    assert {pieces(one, panel) for one, panel in shown} == {6}


def test_a_dot_in_a_zone_never_touches_a_line() -> None:
    drawn = [puzzle(*stratum, number) for stratum in STRATA if stratum[0] == SPATIAL for number in range(30)]
    shown = [(one, panel) for one in drawn if one.form == "zone" for panel in (*one.context, *one.choices)]
    assert len(shown) > 200
    assert {pieces(one, panel) for one, panel in shown} == {2}, "the dot, and two outlines that cross"


@pytest.mark.parametrize("shape", ["geometric", "abstract"])
def test_markers_side_by_side_on_two_rings_never_touch(shape: str) -> None:
    for seed, place in product(range(25), range(6)):
        look = look_of(FORMS["rings"], shape, 6, seed)
        drawn = draw_panel("rings", look, Panel((place, place), 0))
        assert label(drawn < 200, np.ones((3, 3)))[1] == 2, "each ring with its marker"


def test_a_puzzle_whose_corners_say_otherwise_is_refused() -> None:
    """Two open figures of as many straight sides as one wrong choice has, and the right one has not."""
    form = FORMS["curve"]
    look = look_of(form, "geometric", 0)
    of = {sides: Panel((1, 0), seed) for seed in range(40) for sides in [form.drawn[0].of(look, Panel((1, 0), seed))]}
    other = {sides: Panel((0, 0), panel.seed) for sides, panel in of.items()}
    choices = (of[4], other[5], Panel((1, 1), 0), Panel((0, 1), 0))
    assert is_drawn_fairly(form, look, GROUP, (of[4], of[4]), choices, 0)
    assert not is_drawn_fairly(form, look, GROUP, (of[5], of[5]), choices, 0)

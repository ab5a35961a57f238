"""Every form in both kinds of shape is drawn so that different values look different, and as it is described."""

from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.angles import directions
from generator_service.benchmarks.marvel.forms.counting import SCATTER_WIDTH, figure_reach, fill_tiles, spots
from generator_service.benchmarks.marvel.forms.figures import block_figures, mirror_cells, turns
from generator_service.benchmarks.marvel.forms.form import Form, outline_of
from generator_service.benchmarks.marvel.forms.symmetric import GROUPS, strokes_with, symmetry_of, tiles_with
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.rules.laws import SET
from generator_service.benchmarks.marvel.spec import SHAPES, Look, Panel
from tetrad.streams import Stream

PLACES = [(form, shape, ground) for form in FORMS.values() for shape in SHAPES for ground in form.grounds]
VISIBLE = 25  # of 32,400 pixels: the least that tells two panels apart


def look_of(form: Form, shape: str, ground: int, seed: int = 5) -> Look:
    stream = Stream("tests/marvel/look", form.name, shape, ground, seed)
    sorts = stream.sample(form.sorts[shape], form.slots)
    fills, seeds = (1, 0, 1, 0), tuple(stream.below(1 << 32) for _ in sorts)
    return Look(shape=shape, sorts=sorts, seeds=seeds, fills=fills, ground=ground, seed=seed)


@pytest.mark.parametrize(("form", "shape", "ground"), PLACES, ids=lambda one: getattr(one, "name", str(one)))
def test_values_look_different_and_are_described_differently(form: Form, shape: str, ground: int) -> None:
    look = look_of(form, shape, ground)
    for place, field in enumerate(form.fields):
        rest = [one.values(look)[0] for one in form.fields]
        spread = field.values(look)[:: max(1, len(field.values(look)) // 4)]
        panels = [Panel((*rest[:place], value, *rest[place + 1 :]), 7) for value in spread]
        drawn = [draw_panel(form.name, look, panel).astype(int) for panel in panels]
        assert all(panel.shape == (180, 180) and panel.min() < 100 for panel in drawn)
        for (_, a), (_, b) in combinations(zip(panels, drawn, strict=True), 2):
            assert np.count_nonzero(np.abs(a - b) > 128) > VISIBLE
        assert len({form.describe(look, panel) for panel in panels}) == len(panels)


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.fields[0].kind == SET])
def test_every_set_of_strokes_has_words_of_its_own(name: str) -> None:
    form = FORMS[name]
    look = look_of(form, SHAPES[0], 0)
    values = form.fields[0].values(look)
    assert len({form.describe(look, Panel((value,))) for value in values}) == len(values)


@pytest.mark.parametrize("group", list(GROUPS))
def test_symmetric_figures_have_just_the_symmetries_they_are_said_to_have(group: str) -> None:
    for seed in range(20):
        assert symmetry_of(strokes_with(group, seed)) == set(GROUPS[group])
        assert symmetry_of(frozenset(frozenset((cell,)) for cell in tiles_with(group, seed))) == set(GROUPS[group])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_drawn_axis_is_where_it_is_said_to_be(shape: str) -> None:
    look = look_of(FORMS["axis"], shape, 0)
    images = (np.fliplr, lambda panel: np.rot90(panel, 2).T, np.flipud, np.transpose)  # upright, rising, level, falling
    for value, seed in product(range(4), range(6)):
        panel = draw_panel("axis", look, Panel((value,), seed)).astype(int)
        alike = [np.count_nonzero(np.abs(panel - image(panel)) > 200) < VISIBLE for image in images]
        assert alike == [place == value for place in range(4)]


def test_block_figures_are_lopsided_and_never_each_other_s_image() -> None:
    for seed in range(20):
        first, second = block_figures(seed)
        images = {*turns(first), *turns(mirror_cells(first))}
        assert len(images) == 8
        assert second not in images


def test_panels_hold_as_many_as_their_value_says() -> None:
    for count in range(3, 7):
        pointing = directions(Panel((count,), 3))
        assert len(pointing) == 6
        assert max(pointing.count(one) for one in pointing) == count
    assert len(fill_tiles(Panel((9,), 4))) == 9


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mirror", [0, 1])
def test_which_layer_hides_which_is_seen_in_every_look(shape: str, mirror: int) -> None:
    for seed in range(40):
        stream = Stream("tests/marvel/layers", shape, seed)
        sorts, seeds = stream.sample(FORMS["layers"].sorts[shape], 3), tuple(stream.below(1 << 32) for _ in range(3))
        look = Look(shape=shape, sorts=sorts, seeds=seeds, fills=(0, 0, 0), ground=0, seed=0)
        drawn = [draw_panel("layers", look, Panel((order, mirror))).astype(int) for order in range(6)]
        for a, b in combinations(drawn, 2):
            assert np.count_nonzero(np.abs(a - b) > 60) > 4 * VISIBLE, (sorts, seed)


@pytest.mark.parametrize("shape", SHAPES)
def test_scattered_figures_never_touch(shape: str) -> None:
    form = FORMS["scatter"]
    for sort, seed in product(form.sorts[shape], range(4)):
        look = Look(shape=shape, sorts=(sort,), seeds=(seed,), fills=(1, 0, 0), ground=0, seed=0)
        reach = max(abs(part) for point in outline_of(look, 0).points for part in point)
        for count in range(2, 14):
            at = spots(Panel((count,), seed), count)
            nearest = min(max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in combinations(at, 2))
            assert nearest > 2 * reach * figure_reach(count) + SCATTER_WIDTH, sort


@pytest.mark.parametrize("family", list(MARK_FAMILIES))
def test_the_marks_of_a_family_look_different_and_alike_after_their_turns(family: str) -> None:
    known = MARK_FAMILIES[family]
    look = Look(shape=known.shape, sorts=(), seeds=(), fills=(), ground=0, seed=9)
    last, beside = len(known.names) - 1, {4: (4, 0), 3: ()}[known.turns]  # of a cube, or of a tetrahedron

    def drawn(mark: int, turn: int) -> npt.NDArray[np.int64]:
        return draw_panel(family, look, Panel((mark, turn, last, 0, *beside), 1)).astype(int)

    upright = [drawn(mark, 0) for mark in range(4)]
    for a, b in combinations(upright, 2):
        assert np.count_nonzero(np.abs(a - b) > 60) > VISIBLE
    assert np.count_nonzero(np.abs(drawn(0, known.likeness % known.turns) - upright[0]) > 60) < 4 * VISIBLE
    for turn in range(1, known.likeness):
        for mark in range(4):
            assert np.count_nonzero(np.abs(drawn(mark, turn) - upright[mark]) > 60) > VISIBLE

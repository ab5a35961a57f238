"""Pixels: what an option shows is the change applied to the picture of the test input."""

from collections.abc import Callable

import numpy as np
import pytest

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import BENCHMARK, layout
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.layout import GAP, PAIR_WIDTH, SHEETS, SIDE
from generator_service.benchmarks.kiva.renderer import View, panel
from generator_service.benchmarks.kiva.spec import (
    ADULT_VALUES,
    ADULTS,
    BACKGROUNDS,
    EXTRAPOLATION_ONLY,
    VALUES,
    Scene,
    State,
)
from generator_service.drawing.canvas import flatten, grid, reach_of, recolor, resize, rotate, tint, within_circle
from tests.benchmarks.kiva.trials import cell, trial

ALL_VALUES = [(domain, value) for domain, values in VALUES.items() for value in values]


def halves(picture: PictureArray) -> tuple[PictureArray, PictureArray]:
    return picture[:, :SIDE], picture[:, SIDE + GAP :]


def shown(bank: KivaBank, scene: Scene, name: str) -> PictureArray:
    picture: PictureArray = BENCHMARK.render(bank, scene, name)
    return picture


def things(panel: PictureArray) -> int:
    """Count what stands apart: areas that touch nowhere, not even at a corner."""
    left, counted = panel[..., 3] > 0, 0
    while left.any():
        counted += 1
        found = np.zeros_like(left)
        found[tuple(np.argwhere(left)[0])] = True
        grown = found
        while grown.any():
            wide = np.pad(found, 1)
            around = np.stack([wide[y : y + SIDE, x : x + SIDE] for y in range(3) for x in range(3)]).any(axis=0)
            grown = around & left & ~found
            found |= grown
        left &= ~found
    return counted


def looks_applied(before: PictureArray, after: PictureArray, value: str) -> bool:
    """Tell whether `after` is `before` with the change, by means the renderer does not use where there are any."""
    if value in ("x", "y"):
        return np.array_equal(after, np.flip(before, axis=0 if value == "x" else 1))
    if value in ("+90", "-90", "180"):
        return np.array_equal(after, np.rot90(before, {"+90": 3, "-90": 1, "180": 2}[value]))
    if value in ("2x", "1/2x"):
        large, small = (after, before) if value == "2x" else (before, after)
        middle = resize(large, SIDE // 2, SIDE // 2)
        difference = np.abs(middle.astype(int) - small[SIDE // 4 : -SIDE // 4, SIDE // 4 : -SIDE // 4])
        return bool(difference[..., 3].mean() < 1 and not small[: SIDE // 4].any())
    return things(after) - things(before) == int(value)


# Colors start tinted: the next test looks at them from the bank's picture.
@pytest.mark.parametrize(("domain", "value"), [one for one in ALL_VALUES if one[0] != "color"])
def test_given_and_right_option_show_the_change_and_the_others_do_not(
    blocks: KivaBank, domain: str, value: str
) -> None:
    for index in range(3):
        scene = trial(blocks, cell(domain, value), index)
        label = BENCHMARK.questions(scene)[-1].key.label
        assert looks_applied(*halves(shown(blocks, scene, "1")), value)
        for option, name in zip("ABC", "234", strict=True):
            assert looks_applied(*halves(shown(blocks, scene, name)), value) == (option == label)


@pytest.mark.parametrize("value", VALUES["color"])
@pytest.mark.parametrize(("distractors", "colored"), [("balanced", recolor), ("published", tint)])
def test_colors_are_taken_on_wholly_or_mixed_half_and_half_as_published(
    blocks: KivaBank, value: str, distractors: str, colored: Callable[[PictureArray, str], PictureArray]
) -> None:
    scene = trial(blocks, cell("color", value), 0, distractors=distractors)
    before, after = halves(shown(blocks, scene, "1"))
    own = blocks.objects.picture(scene.given.object)
    assert np.array_equal(after, colored(own, value))
    assert np.array_equal(before, colored(own, scene.given.before.color))
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("count", range(1, 10))
def test_counted_objects_stand_about_the_middle_and_are_large(blocks: KivaBank, count: int) -> None:
    picture = panel(blocks, "arch-0", State(count=count), View("number", False, False, "transparent", 100))
    assert things(picture) == count
    rows, columns = np.nonzero(picture[..., 3])
    stamp = resize(blocks.objects.picture("arch-0"), 84, 84)[..., 3]
    assert int((picture[..., 3] > 0).sum()) == count * int((stamp > 0).sum())
    # The block itself stands some pixels off the middle of its cell.
    assert abs(int(rows.min() + rows.max()) - 255) < 12
    assert abs(int(columns.min() + columns.max()) - 255) < 26


def test_published_counts_stand_as_in_the_data(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("number", "+1"), 0, distractors="published")
    before, _ = halves(shown(blocks, scene, "1"))
    assert np.array_equal(before, grid(blocks.objects.picture(scene.given.object), scene.given.before.count, SIDE))


@pytest.mark.parametrize(("domain", "value"), ALL_VALUES)
def test_a_no_change_trial_s_key_is_the_test_input_itself(blocks: KivaBank, domain: str, value: str) -> None:
    scene = trial(blocks, cell(domain, value, "no"), 1)
    label = BENCHMARK.questions(scene)[-1].key.label
    assert np.array_equal(*halves(shown(blocks, scene, "1")))
    for option, name in zip("ABC", "234", strict=True):
        assert np.array_equal(*halves(shown(blocks, scene, name))) == (option == label)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("facets", [cell("reflection", "y"), cell("color+reflection")], ids=["three", "four"])
def test_the_sheet_holds_the_very_pairs_of_the_separate_pictures(
    blocks: KivaBank, background: str, facets: dict[str, str]
) -> None:
    scenes = [
        trial(blocks, facets, 3, background=background, presentation=presentation)
        for presentation in ("separate", "composite")
    ]
    sheet, plan = shown(blocks, scenes[1], "2"), SHEETS[len(scenes[0].extrapolation[0])]
    assert sheet.shape == (plan.height, plan.width, 4)
    for place, (left, top) in enumerate((plan.given_at, *plan.options_at), start=1):
        pair = sheet[top : top + SIDE, left : left + PAIR_WIDTH]
        assert np.array_equal(pair, shown(blocks, scenes[0], str(place)))
    assert np.array_equal(shown(blocks, scenes[1], "1"), shown(blocks, scenes[0], "1"))


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_a_sentence_sheet_holds_the_given_pair_and_the_test_input_and_an_empty_place(
    blocks: KivaBank, background: str
) -> None:
    scenes = [
        trial(blocks, cell("size", "2x"), 3, EXTRAPOLATION_ONLY, background=background, presentation=presentation)
        for presentation in ("separate", "sentence")
    ]
    given, options = shown(blocks, scenes[0], "1"), [shown(blocks, scenes[0], name) for name in "234"]
    sheet, candidates = shown(blocks, scenes[1], "1"), [shown(blocks, scenes[1], name) for name in "234"]
    assert sheet.shape == (layout.SENTENCE_HEIGHT, PAIR_WIDTH, 4)
    for ours, theirs in zip(halves(sheet[SIDE + GAP : 2 * SIDE + GAP]), halves(given), strict=True):
        assert np.array_equal(ours, theirs)
    before, missing = halves(sheet[-SIDE:])
    assert np.array_equal(before, halves(options[0])[0])
    assert len(np.unique(missing.reshape(-1, 4), axis=0)) == 1, "nothing is drawn there"
    for candidate, option in zip(candidates, options, strict=True):
        assert np.array_equal(candidate, halves(option)[1])


@pytest.mark.parametrize("background", ["white", "black"])
def test_a_background_is_opaque_and_the_transparent_picture_laid_on_it(blocks: KivaBank, background: str) -> None:
    clear, opaque = (
        shown(blocks, trial(blocks, cell("number", "+1"), 3, background=ground), "2")
        for ground in ("transparent", background)
    )
    assert opaque[..., 3].min() == 255
    for before, after in zip(halves(clear), halves(opaque), strict=True):
        assert np.array_equal(flatten(before, background), after)  # type: ignore[arg-type]


def test_extrapolation_alone_has_no_picture_but_the_sheet(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("size", "2x"), 3, EXTRAPOLATION_ONLY, presentation="composite")
    assert shown(blocks, scene, "1").shape == (SHEETS[3].height, SHEETS[3].width, 4)
    with pytest.raises(KeyError):
        BENCHMARK.render(blocks, scene, "2")


def test_changing_a_picture_spoils_no_other(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("size", "2x"), 3)
    first = shown(blocks, scene, "1")
    kept = first.copy()
    first[:] = 7
    assert np.array_equal(shown(blocks, scene, "1"), kept)


def test_the_letters_differ() -> None:
    drawn = [layout.lettering(f"({letter})") for letter in layout.LETTERS]
    assert {ink.shape[0] for ink in drawn} == {34}
    assert len({ink.tobytes() for ink in drawn}) == len(layout.LETTERS) == 8
    for ink in drawn:  # brackets end in the strip's first and last columns, and nothing of a neighbour is cut off
        assert ink[:, 0].any()
        assert ink[:, -1].any()
    assert all(ink.max() == 255 for ink in (*drawn, layout.lettering("Example")))


@pytest.mark.parametrize("value", ["wider", "narrower", "taller", "shorter"])
def test_a_stretch_doubles_or_halves_one_side_of_what_is_drawn(blocks: KivaBank, value: str) -> None:
    for index in range(4):
        scene = trial(blocks, cell("size", value), index, track=ADULTS)
        before, after = (extent(half) for half in halves(shown(blocks, scene, "1")))
        along, other = (0, 1) if value in ("taller", "shorter") else (1, 0)
        ratio = after[along] / before[along]
        assert ratio == pytest.approx(2 if value in ("wider", "taller") else 0.5, rel=0.1)
        assert after[other] == pytest.approx(before[other], abs=2)


def extent(panel: PictureArray) -> tuple[int, int]:
    """Return how high and how wide what is drawn is."""
    rows, columns = np.nonzero(panel[..., 3])
    return int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1


@pytest.mark.parametrize("value", ["+45", "-45", "+135", "-135"])
def test_a_tilted_object_is_turned_whole(blocks: KivaBank, value: str) -> None:
    for index in range(4):
        scene = trial(blocks, cell("rotation", value), index, track=ADULTS)
        before, after = halves(shown(blocks, scene, "1"))
        for half in (before, after):
            assert not half[0, :, 3].any(), "no edge is reached"
            assert not half[:, 0, 3].any()
        turned = rotate(before, int(value) % 360)
        assert np.abs(turned.astype(int) - after)[..., 3].mean() < 4


def test_only_an_object_that_reaches_too_far_is_shrunk_to_the_circle() -> None:
    small, wide = np.zeros((2, 256, 256, 4), np.uint8)
    small[100:150, 90:180] = 255
    wide[:, 4:-4] = 255
    assert within_circle(small) is small
    assert reach_of(wide) > 256
    fitted = within_circle(wide)
    assert fitted.shape == wide.shape
    assert reach_of(fitted) <= 258
    assert extent(fitted)[0] < 200
    assert reach_of(np.zeros((256, 256, 4), np.uint8)) == 0


def test_several_changes_show_at_once(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("color+number"), 2)
    before, after = halves(shown(blocks, scene, "1"))
    assert things(after) - things(before) == int(scene.values[1])
    stamp = resize(recolor(blocks.objects.picture(scene.given.object), scene.values[0]), 84, 84)  # type: ignore[arg-type]
    left = {1: 86, 2: 44, 3: 2, 4: 44, 5: 44, 6: 2, 7: 44, 8: 2}[scene.given.after.count]
    top = {1: 86, 2: 86, 3: 86, 4: 44, 5: 2, 6: 44, 7: 2, 8: 2}[scene.given.after.count]
    assert np.array_equal(after[top : top + 84, left : left + 84], stamp)


def test_where_number_and_size_change_two_objects_stand_to_a_row(blocks: KivaBank) -> None:
    for index in range(6):
        scene = trial(blocks, cell("size+number"), index)
        for half, state in zip(halves(shown(blocks, scene, "1")), (scene.given.before, scene.given.after), strict=True):
            assert things(half) == state.count
            left, top = {1: (64, 64), 2: (0, 64), 3: (64, 0), 4: (0, 0)}[state.count]
            first = half[top : top + 128, left : left + 128]
            assert extent(first)[0] == pytest.approx(44 * state.across / 2, abs=3 * state.across)


@pytest.mark.parametrize("crop", [90, 95])
def test_a_crop_keeps_the_middle_and_brings_it_to_full_size(blocks: KivaBank, crop: int) -> None:
    whole, cropped = (
        halves(shown(blocks, trial(blocks, cell("reflection", "y"), 3, crop=percent), "1"))[0]
        for percent in (100, crop)
    )
    assert cropped.shape == whole.shape
    assert extent(cropped)[0] / extent(whole)[0] == pytest.approx(100 / crop, rel=0.02)
    kept = 256 * crop // 100
    edge = (256 - kept) // 2
    assert np.array_equal(cropped, resize(whole[edge : edge + kept, edge : edge + kept].copy(), 256, 256))


@pytest.mark.parametrize("value", ADULT_VALUES["color"])
def test_every_color_is_told_from_every_other(blocks: KivaBank, value: str) -> None:
    scene = trial(blocks, cell("color", value), 0, track=ADULTS)
    looks = {half.tobytes() for name in "234" for half in halves(shown(blocks, scene, name))}
    assert len(looks) == 3

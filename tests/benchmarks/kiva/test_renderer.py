"""Pixels: what an option shows is the change applied to the picture of the test input."""

import numpy as np
import pytest

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import BENCHMARK, layout
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.layout import GAP, GIVEN_AT, OPTION_AT, PAIR_WIDTH, SIDE
from generator_service.benchmarks.kiva.spec import BACKGROUNDS, EXTRAPOLATION_ONLY, VALUES, Scene
from generator_service.drawing.canvas import flatten, resize, tint
from tests.benchmarks.kiva.trials import cell, trial

ALL_VALUES = [(domain, value) for domain, values in VALUES.items() for value in values]


def halves(picture: PictureArray) -> tuple[PictureArray, PictureArray]:
    return picture[:, :SIDE], picture[:, SIDE + GAP :]


def shown(bank: KivaBank, scene: Scene, name: str) -> PictureArray:
    picture: PictureArray = BENCHMARK.render(bank, scene, name)
    return picture


def cells_filled(panel: PictureArray) -> int:
    side = SIDE // 4
    return int((panel[..., 3].reshape(4, side, 4, side).max(axis=(1, 3)) > 0).sum())


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
    return cells_filled(after) - cells_filled(before) == int(value)


# Colors start tinted: the next test looks at them from the bank's picture.
@pytest.mark.parametrize(("domain", "value"), [one for one in ALL_VALUES if one[0] != "color"])
def test_given_and_right_option_show_the_change_and_the_others_do_not(
    blocks: KivaBank, domain: str, value: str
) -> None:
    for index in range(6):
        scene = trial(blocks, cell(domain, value), index)
        label = BENCHMARK.questions(scene)[-1].key.label
        assert looks_applied(*halves(shown(blocks, scene, "1")), value)
        for option, name in zip("ABC", "234", strict=True):
            assert looks_applied(*halves(shown(blocks, scene, name)), value) == (option == label)


@pytest.mark.parametrize("value", VALUES["color"])
def test_colors_are_mixed_half_and_half_into_the_object_s_own(blocks: KivaBank, value: str) -> None:
    scene = trial(blocks, cell("color", value), 0)
    before, after = halves(shown(blocks, scene, "1"))
    own = blocks.objects.picture(scene.given)
    assert np.array_equal(after, tint(own, value))  # type: ignore[arg-type]
    assert np.array_equal(before, tint(own, scene.given_before.color))  # type: ignore[arg-type]
    assert not np.array_equal(before, after)


@pytest.mark.parametrize(("domain", "value"), ALL_VALUES)
def test_a_no_change_trial_s_key_is_the_test_input_itself(blocks: KivaBank, domain: str, value: str) -> None:
    scene = trial(blocks, cell(domain, value, "no"), 1)
    label = BENCHMARK.questions(scene)[-1].key.label
    assert np.array_equal(*halves(shown(blocks, scene, "1")))
    for option, name in zip("ABC", "234", strict=True):
        assert np.array_equal(*halves(shown(blocks, scene, name))) == (option == label)


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_the_sheet_holds_the_very_pairs_of_the_separate_pictures(blocks: KivaBank, background: str) -> None:
    scenes = [
        trial(blocks, cell("reflection", "y"), 3, background=background, presentation=presentation)
        for presentation in ("separate", "composite")
    ]
    sheet = shown(blocks, scenes[1], "2")
    assert sheet.shape == (layout.SHEET_HEIGHT, layout.SHEET_WIDTH, 4)
    for name, (left, top) in zip("1234", (GIVEN_AT, *OPTION_AT), strict=True):
        assert np.array_equal(sheet[top : top + SIDE, left : left + PAIR_WIDTH], shown(blocks, scenes[0], name))
    assert np.array_equal(shown(blocks, scenes[1], "1"), shown(blocks, scenes[0], "1"))


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
    assert shown(blocks, scene, "1").shape == (layout.SHEET_HEIGHT, layout.SHEET_WIDTH, 4)
    with pytest.raises(KeyError):
        BENCHMARK.render(blocks, scene, "2")


def test_changing_a_picture_spoils_no_other(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("size", "2x"), 3)
    first = shown(blocks, scene, "1")
    kept = first.copy()
    first[:] = 7
    assert np.array_equal(shown(blocks, scene, "1"), kept)


def test_the_three_letters_differ() -> None:
    drawn = [layout.lettering(f"({letter})") for letter in "ABC"]
    assert {dots.shape for dots in drawn} == {(28, 68)}
    assert len({dots.tobytes() for dots in drawn}) == 3

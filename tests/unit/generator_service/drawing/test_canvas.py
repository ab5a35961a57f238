from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from generator_service.drawing import canvas
from generator_service.drawing.bank_maker import draw
from generator_service.drawing.canvas import Mirror, Picture, Tint


@pytest.fixture(scope="module")
def teapot() -> Picture:
    return draw("teapot", 0)


def _read(path: Path) -> Picture:
    return np.asarray(Image.open(path).convert("RGBA"))


def _trials(folder: Path, value: str) -> list[tuple[Picture, Picture]]:
    inputs = sorted(folder.glob(f"{value}_*_train_0_input.png"))
    assert inputs, f"no trial of {value} in {folder}"
    return [(_read(path), _read(path.with_name(path.name.replace("input", "output")))) for path in inputs]


def test_four_quarter_turns_are_none_and_one_moves_the_top_to_the_right(teapot: Picture) -> None:
    turned = canvas.rotate_quarter(teapot, 1)
    assert (turned[:, -1] == teapot[0]).all()
    assert (canvas.rotate_quarter(turned, 3) == teapot).all()


@given(degrees=st.integers(-720, 720))
def test_turning_by_any_angle_agrees_with_the_same_angle_modulo_a_circle(degrees: int) -> None:
    picture = np.zeros((9, 9, 4), np.uint8)
    picture[2, 3:6] = (10, 200, 30, 255)
    assert (canvas.rotate(picture, degrees) == canvas.rotate(picture, degrees % 360)).all()


def test_two_turns_by_45_nearly_make_a_quarter_turn(teapot: Picture) -> None:
    twice = canvas.rotate(canvas.rotate(teapot, 45), 45).astype(int)
    apart = np.abs(twice - canvas.rotate(teapot, 90)).max(axis=2)
    assert (apart > 40).mean() < 0.03


def test_a_turn_by_45_is_clockwise_and_cuts_nothing_inside_the_circle(teapot: Picture) -> None:
    square = np.zeros((64, 64, 4), np.uint8)
    square[8:16, 28:36] = 255  # at the top
    turned = canvas.rotate(square, 45)
    rows, columns = np.nonzero(turned[..., 3])
    assert rows.mean() < 31
    assert columns.mean() > 33
    covered = [int(picture[..., 3].astype(int).sum()) for picture in (teapot, canvas.rotate(teapot, 45))]
    assert abs(covered[0] - covered[1]) < 0.002 * covered[0]


def test_what_a_turn_brings_in_from_outside_is_transparent() -> None:
    turned = canvas.rotate(np.full((64, 64, 4), 255, np.uint8), 45)
    assert not turned[:8, :8].any()
    assert (turned[20:44, 20:44] == 255).all()


def test_a_picture_that_is_not_square_cannot_turn_on_its_canvas() -> None:
    with pytest.raises(ValueError, match="square"):
        canvas.rotate(np.zeros((3, 4, 4), np.uint8), 45)


@pytest.mark.parametrize("mirror", ["x", "y", "both"])
def test_mirroring_twice_is_nothing(teapot: Picture, mirror: Mirror) -> None:
    once = canvas.reflect(teapot, mirror)
    assert not (once == teapot).all()
    assert (canvas.reflect(once, mirror) == teapot).all()


def test_both_mirrors_are_half_a_turn(teapot: Picture) -> None:
    assert (canvas.reflect(teapot, "both") == canvas.rotate(teapot, 180)).all()


@pytest.mark.parametrize(("value", "turns"), [("2DRotation+90", 1), ("2DRotation-90", -1), ("2DRotation180", 2)])
def test_rotations_equal_the_published_ones_pixel_by_pixel(published_trials: Path, value: str, turns: int) -> None:
    for before, after in _trials(published_trials / "2DRotation", value):
        assert (canvas.rotate_quarter(before, turns) == after).all()


@pytest.mark.parametrize(("value", "mirror"), [("ReflectX", "x"), ("ReflectY", "y")])
def test_reflections_equal_the_published_ones_pixel_by_pixel(
    published_trials: Path, value: str, mirror: Mirror
) -> None:
    for before, after in _trials(published_trials / "Reflect", value):
        assert (canvas.reflect(before, mirror) == after).all()


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
def test_tints_equal_the_published_ones_within_rounding(published_trials: Path, colour: Tint) -> None:
    # Both pictures of a pair are tints of one object, which is not published: the input's own colour is found first.
    targets = {"red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255)}
    for before, after in _trials(published_trials / "Colour", f"Colour{colour.capitalize()}"):
        seen = before[..., 3] > 0
        errors = []
        for target in targets.values():
            untinted = before.copy()
            untinted[..., :3] = np.clip(before[..., :3].astype(int) * 2 - target, 0, 255)
            remade = canvas.tint(untinted, colour).astype(int)
            errors.append(np.abs(remade - after)[seen].max())
        assert min(errors) <= 1


def test_counting_pictures_have_the_published_layout(published_trials: Path) -> None:
    for before, after in _trials(published_trials / "Counting", "Counting+1"):
        side = before.shape[0]
        cell = before[: side // 4, : side // 4]
        count = sum(
            bool(before[r : r + side // 4, c : c + side // 4, 3].any())
            for r in range(0, side, side // 4)
            for c in range(0, side, side // 4)
        )
        assert (canvas.grid(cell, count, side) == before).all()
        assert (canvas.grid(cell, count + 1, side) == after).all()


def test_grey_is_the_luma_and_transparent_pixels_keep_their_colour() -> None:
    picture = np.array([[[200, 100, 50, 255], [9, 8, 7, 0]]], np.uint8)
    grey = (299 * 200 + 587 * 100 + 114 * 50) // 1000
    assert canvas.tint(picture, "grey").tolist() == [[[grey, grey, grey, 255], [9, 8, 7, 0]]]
    assert canvas.tint(picture, "yellow").tolist() == [[[227, 177, 25, 255], [9, 8, 7, 0]]]


def test_shrinking_averages_by_alpha() -> None:
    picture = np.zeros((2, 2, 4), np.uint8)
    picture[0, 0] = (200, 100, 0, 255)
    assert canvas.resize(picture, 1, 1).tolist() == [[[199, 99, 0, 64]]], "premultiplied in eight bits"


def test_stretching_changes_one_axis_and_keeps_the_centre(teapot: Picture) -> None:
    low = canvas.stretch(teapot, 2, 1)
    rows, columns = np.nonzero(low[..., 3])
    whole_rows, whole_columns = np.nonzero(teapot[..., 3])
    assert columns.max() - columns.min() == whole_columns.max() - whole_columns.min()
    assert abs((rows.max() - rows.min()) * 2 - (whole_rows.max() - whole_rows.min())) <= 2
    assert abs(rows.max() + rows.min() - 255) <= 2


def test_growing_doubles_the_size(teapot: Picture) -> None:
    assert canvas.resize(teapot, 512, 512).shape == (512, 512, 4)


def test_a_picture_is_placed_by_its_middle_and_cut_at_the_border() -> None:
    dot = np.full((2, 2, 4), 255, np.uint8)
    assert np.argwhere(canvas.place(6, dot, (4, 2))[..., 3]).tolist() == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert np.argwhere(canvas.place(6, dot, (0, 0))[..., 3]).tolist() == [[0, 0]]
    assert not canvas.place(6, dot, (-9, 3)).any()


def test_more_copies_than_cells_are_refused(teapot: Picture) -> None:
    assert not canvas.grid(teapot, 0, 256).any()
    with pytest.raises(ValueError, match="0 to 16, got 17"):
        canvas.grid(teapot, 17, 256)


def test_flattening_lays_the_picture_on_an_opaque_ground() -> None:
    half = np.array([[[200, 100, 0, 128]]], np.uint8)
    assert canvas.flatten(half, "white").tolist() == [[[227, 177, 127, 255]]]
    assert canvas.flatten(half, "black").tolist() == [[[100, 50, 0, 255]]]
    assert (canvas.flatten(half, None) == half).all()

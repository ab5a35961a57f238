"""Pixels: opaque pictures that show furniture, colour and props where the state says."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.renderer import render_state
from generator_service.benchmarks.carv.spec import SYMBOLIC, VALUES, Look, State
from generator_service.drawing.stage.stage_bank import StageBank
from generator_service.sources.stage import load_stage
from tests.benchmarks.carv.items import items


@pytest.fixture(scope="module")
def bank(bank_folder: Path) -> StageBank:
    return load_stage(bank_folder)


LOOK = Look(0, 0, (1, 2), 0, (3, -4))
STATE = State("bottle", "two", "table", "red", "left")


def changed(bank: StageBank, **change: str) -> tuple[np.ndarray, np.ndarray]:
    """Return where a changed state's picture differs: the columns and the rows."""
    one, other = (
        render_state(bank, state, LOOK).astype(int) for state in (STATE, msgspec.structs.replace(STATE, **change))
    )
    apart = np.abs(one - other).max(axis=2) > 30
    return np.flatnonzero(apart.any(axis=0)), np.flatnonzero(apart.any(axis=1))


def test_pictures_are_opaque_and_of_one_size(bank: StageBank) -> None:
    for _, scene in items("different-source", 4):
        for name in "12345":
            pixels = BENCHMARK.render(bank, scene, name)
            assert pixels.shape == (512, 512, 4)
            assert pixels[..., 3].min() == 255


def test_a_number_changes_one_side_only(bank: StageBank) -> None:
    columns, _ = changed(bank, subject_number="one")
    assert columns.max() < 256


def test_a_colour_changes_the_furniture_alone(bank: StageBank) -> None:
    columns, _ = changed(bank, object_color="blue")
    assert columns.min() > 150  # the bottles stand to its left
    assert columns.max() < 500
    one, other = (
        render_state(bank, msgspec.structs.replace(STATE, object_color=color), LOOK) for color in ("red", "blue")
    )
    assert one[..., 0].astype(int).mean() > other[..., 0].mean()
    assert one[..., 2].astype(int).mean() < other[..., 2].mean()


def test_right_differs_from_left_on_both_sides(bank: StageBank) -> None:
    """The frame moves aside for what stands there, so the furniture stands on the other side of the picture."""
    red = {}
    for side in ("left", "right"):
        shown = render_state(bank, msgspec.structs.replace(STATE, spatial_relation=side), LOOK).astype(int)
        red[side] = np.flatnonzero((shown[..., 0] > 2.5 * shown[..., 1]).any(axis=0))
    assert red["right"].max() + 50 < red["left"].max()
    assert red["left"].min() > 160  # room for two bottles
    assert red["right"].max() < 350


def test_every_value_of_every_property_looks_different(bank: StageBank) -> None:
    for name, values in VALUES.items():
        shown = {
            render_state(bank, msgspec.structs.replace(STATE, **{name: value}), LOOK).tobytes() for value in values
        }
        assert len(shown) == len(values)


def test_changing_a_picture_spoils_no_other(bank: StageBank) -> None:
    [(_, scene)] = items("shared-source", 1)
    first = BENCHMARK.render(bank, scene, "1")
    kept = first.copy()
    first[:] = 7
    assert np.array_equal(BENCHMARK.render(bank, scene, "5"), kept)


def test_words_alone_have_no_pictures(bank: StageBank) -> None:
    [(_, scene)] = items("single", 1, SYMBOLIC)
    with pytest.raises(KeyError):
        BENCHMARK.render(bank, scene, "1")

"""KiVA-adults' published layout: trials of all values are mounted, and each thing wrong with it is named."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.kiva.published import ADULTS_LAYOUT, LAYOUT
from generator_service.benchmarks.kiva.published.spec import ADULT_VALUES
from generator_service.drawing import canvas
from generator_service.drawing.canvas import Picture
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.store import SourceStore
from tests.published import save, smooth_thing, write_kiva_adults
from tests.unit.generator_service.sources.pictures import add_corpus, edit, faults_of

Change = Callable[[Path], object]
TRIALS = 7  # of each value: every start of a turn. All 50 of the release are in tests/soak.


@pytest.fixture
def folder(adults_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(adults_folder, tmp_path / "copy"))


def picture_at(path: Path) -> Picture:
    return np.asarray(Image.open(path).convert("RGBA"))


def test_trials_of_all_29_values_are_mounted_with_their_wrong_words(store: SourceStore, tmp_path: Path) -> None:
    corpus = add_corpus(store, ADULTS_LAYOUT, write_kiva_adults(tmp_path / "several", TRIALS))
    counted = Counter((trial.domain, trial.value) for trial in corpus.items)
    assert counted == dict.fromkeys(ADULT_VALUES.values(), TRIALS)
    wrong = {trial.value: trial.wrong for trial in corpus.items}
    assert (wrong["+1"], wrong["x2"], wrong["/3"], wrong["2x"], wrong["wider"]) == ("-1", "/2", "x3", "1/2x", "taller")
    assert (wrong["+45"], wrong["180"], wrong["x"], wrong["grey"]) == ("+135", "-45", "both", "blue")


def test_each_of_two_layouts_names_the_other_s_trackers(store: SourceStore, folder: Path) -> None:
    with pytest.raises(SourceFaultsError, match="KiVA and KiVA-adults are two layouts"):
        add_corpus(store, LAYOUT, folder)


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        (
            lambda at: save(
                at / "2DRotation/2DRotation+45_0_train_output.png",
                canvas.rotate(picture_at(at / "2DRotation/2DRotation+45_0_train_input.png"), 90),
            ),
            "2DRotation+45_0",
            "train_output is not train_input changed by +45",
        ),
        (
            lambda at: shutil.copy(
                at / "Reflect/ReflectXY_0_test_mc_1_input.png", at / "Reflect/ReflectXY_0_test_mc_0_input.png"
            ),
            "ReflectXY_0",
            "test_mc_0_input is not test_input changed by both",
        ),
        (
            lambda at: shutil.copy(
                at / "Resize/Resize2XY_0_test_mc_0_input.png", at / "Resize/Resize2XY_0_test_mc_1_input.png"
            ),
            "Resize2XY_0",
            "test_mc_1_input is not test_input changed by 1/2x",
        ),
        (
            lambda at: shutil.copy(
                at / "Resize/Resize2X_0_test_mc_1_input.png", at / "Resize/Resize2X_0_test_mc_0_input.png"
            ),
            "Resize2X_0",
            "test_mc_0_input is not test_input changed by wider",
        ),
        (
            lambda at: save(at / "Colour/ColourGrey_0_train_output.png", canvas.tint(smooth_thing(1), "yellow")),
            "ColourGrey_0",
            "train_output is not train_input changed by grey",
        ),
        (
            lambda at: shutil.copy(
                at / "Colour/ColourGrey_0_test_input.png", at / "Colour/ColourGrey_0_test_mc_0_input.png"
            ),
            "ColourGrey_0",
            "test_mc_0_input is not test_input changed by grey",
        ),
        (
            lambda at: save(at / "Counting/Countingx2_0_test_mc_0_input.png", canvas.grid(smooth_thing(2), 5, 64)),
            "Countingx2_0",
            "test_mc_0_input shows 5 and not 6",
        ),
        (lambda at: edit(at, "Countingd2", "4.0", "3.0"), "Countingd2_0", "goes from 8 to 3, which is not /2"),
        (lambda at: edit(at, "2DRotation-45", "mc: 180", "mc: -45"), "2DRotation-45_0", "no two values of rotation"),
        (
            lambda at: edit(at, "2DRotation180", r"train_output: \S+", "train_output: +5"),
            "2DRotation180_0",
            "no two values of rotation",
        ),
        (lambda at: edit(at, "ColourRed", "mc: ", "mc: Dark"), "ColourRed_0", "no two values of color"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_mounted(
    store: SourceStore, folder: Path, change: Change, place: str, problem: str
) -> None:
    change(folder)
    assert problem in faults_of(store, ADULTS_LAYOUT, folder)[place]

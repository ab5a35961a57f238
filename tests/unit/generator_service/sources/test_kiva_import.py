"""KiVA's published layout: whole it is mounted, and each thing wrong with it is named."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.kiva.published import LAYOUT
from generator_service.benchmarks.kiva.published.spec import KIVA, VALUES
from generator_service.benchmarks.kiva.published.trackers import read_tracker
from generator_service.commands.sources import add_layout
from generator_service.sources.faults import Faults, SourceFaultsError
from generator_service.sources.store import SourceStore
from tests.published import SIDE, save, thing, write_kiva
from tests.unit.generator_service.sources.pictures import add_corpus, edit, faults_of

Change = Callable[[Path], object]


@pytest.fixture
def folder(kiva_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kiva_folder, tmp_path / "copy"))


def test_a_whole_set_has_every_trial_with_its_values(store: SourceStore, kiva_folder: Path) -> None:
    corpus = add_corpus(store, LAYOUT, kiva_folder)
    assert corpus.name == "kiva-published"
    assert [(trial.domain, trial.value) for trial in corpus.items] == list(VALUES.values())
    wrong = {trial.value: trial.wrong for trial in corpus.items}
    assert wrong["+1"] == "-1"
    assert (wrong["+90"], wrong["180"], wrong["x"], wrong["2x"], wrong["red"]) == ("180", "+90", "y", "1/2x", "green")
    assert corpus.picture(corpus.items[0].before).shape == (SIDE, SIDE, 4)


def test_sizes_are_measured_on_opaque_pictures_too(store: SourceStore, folder: Path) -> None:
    """A few of the released pictures have no transparency: there the ground is what the corner shows."""
    sizes = sorted((folder / "Resize").glob("Resize2XY_0_test_*.png"))
    for path in sizes:
        on_white(path).save(path)
    assert len(sizes) == 3
    assert len(add_corpus(store, LAYOUT, folder).items) == len(VALUES)


def test_an_opaque_picture_of_another_size_is_told(store: SourceStore, folder: Path) -> None:
    grown = folder / "Resize/Resize2XY_0_test_mc_0_input.png"
    on_white(folder / "Resize/Resize2XY_0_test_0_input.png").save(grown)
    assert "Resize2XY_0" in faults_of(store, LAYOUT, folder)


def on_white(path: Path) -> Image.Image:
    picture = Image.open(path).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        (lambda at: (at / "Colour/ColourRed_0_test_0_input.png").unlink(), "ColourRed_0_test_0_input.png", "missing"),
        (lambda at: (at / "trial_tracker/output_ReflectX.txt").unlink(), "output_ReflectX.txt", "missing"),
        (
            lambda at: shutil.copytree(at / "Resize", at / "again"),
            "again/Resize2XY_0_train_0_input.png",
            "there twice, also as Resize/Resize2XY_0_train_0_input.png",
        ),
        (
            lambda at: (at / "Reflect/ReflectX_0_train_0_input.png").write_bytes(b"\x89PNG no picture"),
            "Reflect/ReflectX_0_train_0_input.png",
            "not a readable PNG",
        ),
        (
            lambda at: save(at / "Reflect/ReflectX_0_test_mc_1_input.png", thing(1)[:32, :32]),
            "ReflectX_0",
            "are 64 x 64, 64 x 64, 32 x 32 pixels",
        ),
        (
            lambda at: save(at / "2DRotation/2DRotation+90_0_train_0_output.png", thing(1)),
            "2DRotation+90_0",
            "train_0_output is not train_0_input changed by +90",
        ),
        (
            lambda at: save(at / "Reflect/ReflectY_0_test_mc_0_input.png", thing(1)),
            "ReflectY_0",
            "test_mc_0_input is not test_0_input changed by y",
        ),
        (lambda at: edit(at, "ColourRed", "mc: Green", "mc: Blue"), "ColourRed_0", "is not test_0_input changed"),
        (lambda at: edit(at, "ColourRed", "mc: Green", "mc: Red"), "ColourRed_0", "no two values of color"),
        (lambda at: edit(at, "ColourRed", "put: Red", "put: Mauve"), "ColourRed_0", "says Mauve against Green"),
        (lambda at: edit(at, "Counting+1", "mc: 3", "mc: 5"), "Counting+1_0", "test_mc_1_input shows 3 and not 5"),
        (lambda at: edit(at, "Counting+1", "put: 5", "put: 6"), "Counting+1_0", "goes from 4 to 6, which is not +1"),
        (lambda at: edit(at, "Counting-2", "mc: 5", "mc: five"), "Counting-2_0", "counts are numbers"),
        (
            lambda at: save(at / "Counting/Counting+2_0_test_0_input.png", thing(3)),
            "Counting+2_0",
            "test_0_input shows no row of equal objects",
        ),
        (
            lambda at: save(at / "Resize/Resize2XY_0_train_0_output.png", thing(3)),
            "Resize2XY_0",
            "train_0_output is not train_0_input changed by 2x",
        ),
        (
            lambda at: save(at / "Resize/Resize2XY_0_train_0_output.png", np.zeros((64, 64, 4), np.uint8)),
            "Resize2XY_0",
            "train_0_output is not train_0_input changed by 2x",
        ),
        (lambda at: edit(at, "ReflectX", "mc:", "wrong:"), "trial_tracker/output_ReflectX.txt", "line 4 does not"),
        (lambda at: edit(at, "ReflectX", r"mc: Y\n", ""), "trial_tracker/output_ReflectX.txt", "line 4 does not"),
        (
            lambda at: save(at / "Reflect/ReflectX_7_train_0_input.png", thing(1)),
            "Reflect/ReflectX_7_train_0_input.png",
            "no trial of any tracker",
        ),
        (
            lambda at: save(at / "Reflect/ReflectXY_0_train_0_input.png", thing(1)),
            "Reflect/ReflectXY_0_train_0_input.png",
            "'ReflectXY' is no value of KiVA",
        ),
    ],
    ids=lambda value: value.replace(" ", "-")[:40] if isinstance(value, str) else None,
)
def test_what_is_wrong_is_named_and_nothing_is_mounted(
    store: SourceStore, folder: Path, change: Change, place: str, problem: str
) -> None:
    change(folder)
    assert problem in faults_of(store, LAYOUT, folder)[place]


def test_a_color_whose_outline_changes_is_not_the_same_thing(store: SourceStore, folder: Path) -> None:
    path = folder / "Colour" / "ColourBlue_0_train_0_output.png"
    picture = np.asarray(Image.open(path)).copy()
    picture[20, 20] = 0
    save(path, picture)
    assert "train_0_output is not train_0_input changed by blue" in faults_of(store, LAYOUT, folder)["ColourBlue_0"]


def test_the_first_hundred_faults_come_at_once_and_the_others_are_counted(store: SourceStore, tmp_path: Path) -> None:
    folder = write_kiva(tmp_path / "large", trials=3)
    for path in folder.rglob("*.png"):
        path.write_bytes(b"nothing")
    with pytest.raises(SourceFaultsError) as refused:
        add_corpus(store, LAYOUT, folder)
    assert (len(refused.value.faults), refused.value.total) == (100, 14 * 3 * 5)
    assert "and 110 more" in str(refused.value)


def test_trials_without_any_picture_are_refused_unless_a_part_is_asked_for(store: SourceStore, tmp_path: Path) -> None:
    folder = write_kiva(tmp_path / "part", trials=4)
    for pattern in ("*_1_t*.png", "*_3_t*.png", "Reflect*.png", "output_Reflect*.txt"):
        for path in folder.rglob(pattern):
            path.unlink()
    found = faults_of(store, LAYOUT, folder)
    assert found["trial_tracker/output_ColourRed.txt"] == "2 of 4 trials (1, 3) have no pictures"
    assert found["output_ReflectX.txt"] == "is missing"
    corpus = add_corpus(store, LAYOUT, folder, partial=True)
    assert len(corpus.items) == 12 * 2
    left_out = add_layout(store, "kiva", str(folder), partial=True).left_out
    assert "trial_tracker/output_ColourRed.txt: 2 of 4 trials (1, 3) have no pictures; add them" in left_out
    assert "output_ReflectX.txt: is missing; add it" in left_out
    assert len(left_out) == len(KIVA.values)


def test_a_part_forgives_nothing_else(store: SourceStore, folder: Path) -> None:
    (folder / "Colour" / "ColourRed_0_train_0_input.png").unlink()
    with pytest.raises(SourceFaultsError, match=r"^1 fault; [^\n]*\n.*ColourRed_0_train_0_input\.png: is missing"):
        add_corpus(store, LAYOUT, folder, partial=True)


def test_a_folder_without_any_trial_is_refused(store: SourceStore, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceFaultsError, match="holds no item of the layout kiva"):
        add_corpus(store, LAYOUT, tmp_path / "empty", partial=True)


def test_a_tracker_that_is_no_text_is_named() -> None:
    faults = Faults()
    assert read_tracker("output_ReflectX.txt", b"\xff\xfe", KIVA.fields, faults) == []
    assert faults.shown[0].problem == "is no plain text"

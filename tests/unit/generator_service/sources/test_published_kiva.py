"""Our own transformations make the published pictures: on every trial that was released to us."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.kiva.published import ADULTS_LAYOUT, LAYOUT
from generator_service.benchmarks.kiva.published.importer import count_objects
from generator_service.benchmarks.kiva.published.spec import ADULT_VALUES, KIVA, STEM, VALUES
from generator_service.drawing import canvas
from generator_service.drawing.canvas import Picture
from generator_service.sources.store import of_folder
from tests.unit.generator_service.sources.pictures import add_corpus

REPOSITORY = Path(__file__).parents[4]
DATA = Path(os.environ.get("TETRAD_DATA", REPOSITORY.parent / "shared" / "data"))
RELEASED, ADULTS = DATA / "kiva" / "released", DATA / "kiva" / "released-adults"
OBJECTS = DATA / "kiva" / "objects"
TURNS = {"+90": 90, "-90": 270, "180": 180}
TRIALS = range(5)
Trial = dict[str, Picture]


@pytest.fixture(scope="module")
def released() -> Path:
    if not RELEASED.is_dir():
        pytest.skip(f"KiVA's released pictures are not at {RELEASED}: set TETRAD_DATA to the folder that holds kiva/")
    return RELEASED


@pytest.fixture(scope="module")
def objects() -> list[Picture]:
    """The 300-pixel objects that colors and counts were made of."""
    folder = OBJECTS / "Objects for Colour, Counting"
    return [np.asarray(Image.open(path).convert("RGBA")) for path in sorted(folder.glob("*.png"))]


def trials(released: Path, domain: str) -> Iterator[tuple[str, Trial]]:
    for prefix, (known, value) in VALUES.items():
        for trial in TRIALS if known == domain else ():
            paths = {part: released / STEM[domain] / f"{prefix}_{trial}_{part}.png" for part in KIVA.parts}
            yield value, {part: np.asarray(Image.open(path).convert("RGBA")) for part, path in paths.items()}


def pairs(value: str, wrong: str, trial: Trial) -> Iterator[tuple[Picture, Picture, str]]:
    before, after, test, right, other = (trial[part] for part in KIVA.parts)
    yield from ((before, after, value), (test, right, value), (test, other, wrong))


def test_turns_are_pixel_equal(released: Path) -> None:
    for value, trial in trials(released, "rotation"):
        for before, after, change in pairs(value, "180" if value != "180" else "+90", trial):
            assert np.array_equal(canvas.rotate(before, TURNS[change]), after)


def test_reflections_are_pixel_equal(released: Path) -> None:
    for value, trial in trials(released, "reflection"):
        for before, after, change in pairs(value, "y" if value == "x" else "x", trial):
            assert np.array_equal(canvas.reflect(before, "x" if change == "x" else "y"), after)


def test_colors_are_within_the_rounding_of_our_tint_of_an_object(released: Path, objects: list[Picture]) -> None:
    found = 0
    for value, trial in trials(released, "color"):
        for part in ("train_0_output", "test_mc_0_input"):
            published = trial[part]
            near = [drawn for drawn in objects if drawn.shape == published.shape and same_outline(drawn, published)]
            for drawn in near:
                shown = drawn[..., 3] > 0
                ours = canvas.tint(drawn, "red" if value == "red" else "green" if value == "green" else "blue")
                gap = np.abs(ours[..., :3].astype(int) - published[..., :3])[shown]
                assert gap.max() <= 1
                found += 1
    assert found == 27, "3 of the 30 are of objects that were cut to a square first"


def same_outline(one: Picture, other: Picture) -> bool:
    return np.array_equal(one[..., 3], other[..., 3])


def test_counts_stand_in_our_grid(released: Path) -> None:
    for value, trial in trials(released, "number"):
        before, after, test, right, wrong = (count_objects(trial[part]) for part in KIVA.parts)
        assert before is not None
        assert (after, right) == (before + int(value), before + int(value))
        assert test == before, "both objects start alike"
        assert wrong == (before - 1 if int(value) > 0 else before + 1)
        for picture in trial.values():
            cell = picture.shape[0] // canvas.COLUMNS
            count = count_objects(picture) or 0
            stamp = picture[:cell, :cell]
            ours = canvas.grid(stamp, count, picture.shape[0])
            assert np.array_equal(ours[..., 3] > 0, picture[..., 3] > 0)


def test_sizes_are_twice_or_half_about_the_middle_of_a_kept_canvas(released: Path) -> None:
    for value, trial in trials(released, "size"):
        for before, after, change in pairs(value, "1/2x" if value == "2x" else "2x", trial):
            assert before.shape == after.shape
            halves = 4 if change == "2x" else 1
            ours = canvas.stretch(before, halves, halves)
            assert np.abs(np.subtract(extent(ours), extent(after))).max() <= 3


def extent(picture: Picture) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of what is drawn."""
    rows, columns = np.nonzero(picture[..., 3] > 8)
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


def test_the_released_part_is_mounted_and_says_what_its_trackers_say(released: Path, tmp_path: Path) -> None:
    corpus = add_corpus(of_folder(tmp_path), LAYOUT, released, partial=True)
    opaque = {f"{prefix}_{trial}" for prefix in ("Resize2XY", "Resize0.5XY") for trial in (6, 16)}
    assert len(corpus.items) == 14 * 5 + len(opaque)
    assert opaque <= {trial.id for trial in corpus.items}
    assert {(trial.domain, trial.value) for trial in corpus.items} == set(VALUES.values())


def test_all_that_was_released_to_us_of_kiva_adults_is_mounted_as_it_is(tmp_path: Path) -> None:
    if not ADULTS.is_dir():
        pytest.skip(f"the released pictures of KiVA-adults are not at {ADULTS}: set TETRAD_DATA")
    corpus = add_corpus(of_folder(tmp_path), ADULTS_LAYOUT, ADULTS, partial=True)
    assert corpus.name == "kiva-adults-published"
    assert len(corpus.items) == 29 * 5
    assert {(trial.domain, trial.value) for trial in corpus.items} == set(ADULT_VALUES.values())

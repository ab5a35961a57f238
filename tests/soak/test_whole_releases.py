"""The whole layouts of KiVA and KiVA-adults, 50 trials of each value as released, from generated pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.published import ADULTS_LAYOUT, LAYOUT
from generator_service.sources.published import Layout
from generator_service.sources.store import of_folder
from tests.published import write_kiva, write_kiva_adults
from tests.unit.generator_service.sources.pictures import add_corpus

TRIALS = 50


@pytest.mark.parametrize(
    ("layout", "written", "values"),
    [(LAYOUT, write_kiva, 14), (ADULTS_LAYOUT, write_kiva_adults, 29)],
    ids=["kiva", "kiva-adults"],
)
def test_every_trial_of_a_whole_release_is_mounted(
    layout: Layout, written: Callable[[Path, int], Path], values: int, tmp_path: Path
) -> None:
    corpus = add_corpus(of_folder(tmp_path / "store"), layout, written(tmp_path / "whole", TRIALS))
    assert len(corpus.items) == values * TRIALS

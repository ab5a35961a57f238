"""Tests of the questions that open, for every pattern of answers."""

from itertools import product

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.spec import (
    EXTRAPOLATION_ONLY,
    GIVEN_CLASSIFICATION,
    GIVEN_SPECIFICATION,
    Scene,
)
from tests.benchmarks.kiva.trials import cell, trial

OPEN = "open"  # not answered; None: answered, and not to be read


def patterns(scene: Scene) -> list[dict[str, str | None]]:
    """List readings: every question right, wrong, unread or not yet answered (as far as it was open)."""
    keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
    choices = {
        name: (
            OPEN,
            None,
            label,
            next(other for other in "12AB" if other != label and other.isdigit() == label.isdigit()),
        )
        for name, label in keys.items()
    }
    found = []
    for picked in product(*choices.values()):
        readings = {name: one for name, one in zip(choices, picked, strict=True) if one != OPEN}
        if set(readings) <= set(BENCHMARK.next_questions(scene, {})) | set(BENCHMARK.next_questions(scene, readings)):
            found.append(readings)
    return found


@pytest.mark.parametrize("change", ["yes", "no"])
@pytest.mark.parametrize("repeats", [1, 2])
def test_exactly_the_right_questions_open(blocks: KivaBank, repeats: int, change: str) -> None:
    scene = trial(blocks, cell("rotation", "+90", change), 3, repeats=repeats)
    keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
    whats = ["what", "what-2"][:repeats]
    hows = {what: what.replace("what", "how") for what in whats}
    whiches = [what.replace("what", "which") for what in whats]
    for readings in patterns(scene):
        opened = list(whats)
        if all(what in readings for what in whats):
            due = [hows[what] for what in whats if readings[what] == keys[what]]
            opened += due
            if all(how in readings for how in due):
                opened += whiches
        assert BENCHMARK.next_questions(scene, readings) == tuple(opened)


def keyed_label(scene: Scene, name: str) -> str:
    return next(keyed.key.label for keyed in BENCHMARK.questions(scene) if keyed.question.id == name)


def test_no_repeat_opens_what_tells_another_its_answer(blocks: KivaBank) -> None:
    """That `how` opens says that `what` was right: until every `what` is sealed, nothing else may open."""
    scene = trial(blocks, cell("size", "2x"), 2, repeats=3)
    right = keyed_label(scene, "what")
    assert BENCHMARK.next_questions(scene, {"what": right, "what-2": right}) == ("what", "what-2", "what-3")


def test_extrapolation_alone_is_open_from_the_start(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("size", "2x"), 2, EXTRAPOLATION_ONLY, repeats=2)
    assert (
        BENCHMARK.next_questions(scene, {}) == BENCHMARK.next_questions(scene, {"which": None}) == ("which", "which-2")
    )


def test_where_what_changed_is_told_every_how_is_open_and_which_follows(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("size", "2x"), 2, GIVEN_CLASSIFICATION, repeats=2)
    assert BENCHMARK.next_questions(scene, {}) == BENCHMARK.next_questions(scene, {"how": "1"}) == ("how", "how-2")
    assert BENCHMARK.next_questions(scene, {"how": None, "how-2": "2"}) == ("how", "how-2", "which", "which-2")


def test_where_how_it_changed_is_told_only_which_is_asked(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("color+size"), 2, GIVEN_SPECIFICATION)
    assert BENCHMARK.next_questions(scene, {}) == ("which",)

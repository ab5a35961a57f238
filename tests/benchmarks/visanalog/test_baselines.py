"""Baselines that a user runs by name: they see the pictures and the words alone."""

from collections.abc import Iterator

import pytest

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.asked import values_of
from generator_service.benchmarks.visanalog.photographs.families import is_of_things
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    LABELS,
    ORACLE,
    PHOTOGRAPHS,
    PROGRAM,
    Scene,
)
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted
from tetrad.contracts.inference import Message
from tetrad.extraction.answers import extract_answer
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver
from tetrad.solvers.visanalog import describe_edit, find_edit

ITEMS = 8


def scenes(mounted: Mounted, track: str, setting: str, steps: int = 0, count: int = ITEMS) -> Iterator[Scene]:
    draw = Draw(BENCHMARK, mounted.identity(track, setting, {"steps": steps}), "17")
    return (make_item(mounted, draw, index).scene for index in range(count))


def measurable(mounted: Mounted, setting: str, steps: int = 0) -> list[Scene]:
    """Return items that ask for no thing, which only annotations name."""
    found = scenes(mounted, PHOTOGRAPHS, setting, steps)
    return [one for one in found if not any(map(is_of_things, one.facts))]


def messages_of(mounted: Mounted, scene: Scene) -> list[Message]:
    [keyed] = BENCHMARK.questions(scene)
    shown = {one.name: encode_png(BENCHMARK.render(mounted.bank, scene, one.name)) for one in keyed.question.pictures}
    return list(find_strategy("direct").messages(keyed.question, shown, Wording()))


def label(mounted: Mounted, scene: Scene, solver: str) -> str | None:
    return labels(messages_of(mounted, scene), scene, solver, range(1))[0]


def labels(messages: list[Message], scene: Scene, solver: str, seeds: range) -> list[str | None]:
    [keyed] = BENCHMARK.questions(scene)
    replies = [open_solver(solver, seed=seed).reply(messages) for seed in seeds]
    return [extract_answer(keyed.question.shape, None, reply).answer for reply in replies]


@pytest.mark.parametrize("setting", [END_TO_END, ORACLE, PROGRAM])
def test_program_search_answers_photographs_from_pixels(of_photographs: Mounted, setting: str) -> None:
    asked = measurable(of_photographs, setting)[: ITEMS // 2]
    assert len(asked) == ITEMS // 2
    wrong = [one for one in asked if label(of_photographs, one, "program-search") != LABELS[one.right]]
    assert not wrong


def test_of_things_program_search_gives_no_answer_but_the_edit(of_photographs: Mounted) -> None:
    """Where annotations name a thing, and everywhere on composed pictures."""
    for scene in [
        *(one for one in scenes(of_photographs, PHOTOGRAPHS, END_TO_END) if any(map(is_of_things, one.facts))),
        *scenes(of_photographs, COMPOSED, END_TO_END, count=4),
    ]:
        [keyed] = BENCHMARK.questions(scene)
        reply = open_solver("program-search").reply(messages_of(of_photographs, scene))
        before, after = (BENCHMARK.render(of_photographs.bank, scene, one.name) for one in keyed.question.pictures[:2])
        assert extract_answer(keyed.question.shape, None, reply).answer is None
        assert reply.endswith(f"The edit: {describe_edit(find_edit(before, after))}.")


@pytest.mark.parametrize("steps", [1, 2])
def test_copy_c_takes_what_holds_of_c_and_not_c_what_does_not(of_photographs: Mounted, steps: int) -> None:
    told = 0
    for scene in measurable(of_photographs, END_TO_END, steps):
        own = tuple(values_of(scene.query, scene.facts)[0].tolist())
        if min(own) < 0:  # nothing clear holds of C itself
            continue
        alike = [sum(a == b for a, b in zip(option, own, strict=True)) for option in scene.options]
        messages = messages_of(of_photographs, scene)
        [copied] = labels(messages, scene, "copy-c", range(1))
        assert copied == LABELS[alike.index(max(alike))]
        left = {LABELS[at] for at, option in enumerate(scene.options) if option != own}
        assert set(labels(messages, scene, "not-c", range(6))) <= left
        told += 1
        if steps == 1:
            assert own in scene.options
            assert copied != LABELS[scene.right]
            assert len(left) == 3
    assert told


def test_pixel_solver_says_of_images_that_are_no_pairs_that_it_can_t_tell(of_photographs: Mounted) -> None:
    for scene in scenes(of_photographs, PHOTOGRAPHS, END_TO_END, count=6):
        assert label(of_photographs, scene, "pixel-solver") is None

"""The ladder's gaps of solvers with planted weaknesses come out as planted, in the report that scoring makes."""

from collections.abc import Iterable
from statistics import mean

import pytest

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.bank import prepare
from generator_service.benchmarks.visanalog.programs import HUE, PROGRAMS, SWAP
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    LADDER,
    ORACLE,
    PROGRAM,
    RUNGS,
    WRONG_IMAGE,
    Scene,
)
from generator_service.drawing.bank import ObjectBank
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import Mounted
from tests.benchmarks.test_scores import scored
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import ChoiceKey, KeyedQuestion
from tetrad.contracts.reports import Report

SIZE = 60
GAPS = {
    "inference-gap": (PROGRAM, END_TO_END),
    "application-gap": (ORACLE, PROGRAM),
    "transfer-gap": (END_TO_END, WRONG_IMAGE),
}
"""By name: the rung on which more is right, and the one on which less is."""


def weak_at(scene: Scene, rung: str) -> bool:
    """It can't misread D. It misapplies hues, and from A and B it does not infer swaps."""
    steps = PROGRAMS[scene.program].steps
    if rung == END_TO_END:
        return HUE in steps or SWAP in steps
    return rung == WRONG_IMAGE or (rung == PROGRAM and HUE in steps)


def weak_reply(scene: Scene, keyed: KeyedQuestion) -> str:
    """Answer rightly where the solver is strong, and with an option whose mistake is one of hues where it is weak."""
    key = keyed.key
    assert isinstance(key, ChoiceKey)
    wrong = sorted(key.outcomes, key=lambda label: HUE not in key.outcomes[label])
    return f"\\boxed{{{wrong[0] if weak_at(scene, keyed.question.kind) else key.label}}}"


def planted(scenes: Iterable[Scene], name: str) -> dict[str, float]:
    """Return the gap that the weakness makes: on all items, as "", and on those of each number of steps."""
    more, less = GAPS[name]
    found: dict[str, list[float]] = {}
    for scene in scenes:
        for steps in ("", str(len(PROGRAMS[scene.program].steps))):
            found.setdefault(steps, []).append(float(weak_at(scene, less)) - float(weak_at(scene, more)))
    return {steps: mean(differences) for steps, differences in found.items()}


@pytest.fixture(scope="module")
def answered(builtin_bank: ObjectBank) -> tuple[list[Scene], Report]:
    mounted = Mounted(BENCHMARK, prepare({"objects": builtin_bank}), builtin_bank.digest)
    draw = Draw(BENCHMARK, mounted.identity(COMPOSED, LADDER, {}), "44" * 32)
    scenes, answers = [], []
    for index in range(SIZE):
        item = make_item(mounted, draw, index)
        scenes.append(item.scene)
        answers += [
            SealedAnswer(item=index, question=keyed.question.id, response=weak_reply(item.scene, keyed))
            for keyed in item.questions
        ]
    return scenes, scored(mounted, draw, answers, SIZE)


@pytest.mark.parametrize("name", GAPS)
def test_each_gap_is_the_planted_one_over_all_and_by_steps(answered: tuple[list[Scene], Report], name: str) -> None:
    scenes, report = answered
    found = {value.facets.get("steps", ""): value for value in report.metrics if value.name == name}
    assert set(found) == {"", "1", "2", "3", "4"}
    assert {steps: value.value for steps, value in found.items()} == pytest.approx(planted(scenes, name))
    assert {(value.lowest, value.highest) for value in found.values()} == {(-1, 1)}
    whole = found[""].value
    assert whole is not None
    assert whole > 0.05, "planted so that it can be seen"


def test_the_headline_is_the_end_to_end_rung_and_each_has_its_accuracy_over_all_steps_with_an_interval(
    answered: tuple[list[Scene], Report],
) -> None:
    scenes, report = answered
    found = {value.facets["stage"]: value for value in report.metrics if value.facets.keys() == {"stage"}}
    right = {rung: mean(not weak_at(scene, rung) for scene in scenes) for rung in RUNGS}
    assert {rung: value.value for rung, value in found.items()} == pytest.approx(right)
    assert report.headline.value == pytest.approx(right[END_TO_END])
    assert all(value.interval is not None for value in found.values())
    by_steps = [value for value in report.metrics if value.name == "accuracy-by-setting-and-steps" and value.facets]
    assert {frozenset(value.facets) for value in by_steps} == {frozenset({"stage", "steps"})}


def test_mistakes_say_that_hues_are_misapplied(answered: tuple[list[Scene], Report]) -> None:
    scenes, report = answered
    hued = [index for index, scene in enumerate(scenes) if HUE in PROGRAMS[scene.program].steps]
    told = [
        result.outcome["mistake"]
        for result in report.questions
        if result.facets["stage"] == PROGRAM and result.verdict == "incorrect"
    ]
    assert len(told) == len(hued)
    assert mean(HUE in name for name in told) > 0.8

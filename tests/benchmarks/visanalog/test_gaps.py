"""The ladder's gaps of solvers with planted weaknesses come out as planted, in the report that scoring makes."""

from statistics import mean

import pytest

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.bank import prepare
from generator_service.benchmarks.visanalog.programs import HUE, PROGRAMS, SWAP
from generator_service.benchmarks.visanalog.spec import COMPOSED, END_TO_END, LADDER, PROGRAM, RUNGS, WRONG_IMAGE, Scene
from generator_service.drawing.bank import ObjectBank
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.registry import Mounted
from tests.benchmarks.test_scores import scored
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import ChoiceKey
from tetrad.contracts.reports import Report

SIZE = 60
Gaps = dict[tuple[str, str], float]


def weak_at(scene: Scene, rung: str) -> bool:
    """It can't misread D. It misapplies hues, and from A and B it does not infer swaps."""
    steps = PROGRAMS[scene.program].steps
    if rung == END_TO_END:
        return HUE in steps or SWAP in steps
    return rung == WRONG_IMAGE or (rung == PROGRAM and HUE in steps)


@pytest.fixture(scope="module")
def answered(builtin_bank: ObjectBank) -> tuple[list[Scene], Report]:
    mounted = Mounted(BENCHMARK, prepare({"objects": builtin_bank}), builtin_bank.digest)
    draw = Draw(BENCHMARK, mounted.identity(COMPOSED, LADDER, {}), "44" * 32)
    scenes, answers = [], []
    for index in range(SIZE):
        item = make_item(mounted, draw, index)
        scenes.append(item.scene)
        for keyed in item.questions:
            assert isinstance(keyed.key, ChoiceKey)
            wrong = sorted(keyed.key.outcomes, key=lambda label: HUE not in keyed.key.outcomes[label])  # type: ignore[union-attr]
            answer = wrong[0] if weak_at(item.scene, keyed.question.kind) else keyed.key.label
            answers.append(SealedAnswer(item=index, question=keyed.question.id, response=f"\\boxed{{{answer}}}"))
    return scenes, scored(mounted, draw, answers, SIZE)


def planted(scenes: list[Scene], more: str, less: str) -> float:
    return mean(float(weak_at(scene, less)) - float(weak_at(scene, more)) for scene in scenes)


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("inference-gap", PROGRAM, END_TO_END),
        ("application-gap", "oracle", PROGRAM),
        ("transfer-gap", END_TO_END, WRONG_IMAGE),
    ],
)
def test_each_gap_is_the_planted_one_over_all_and_by_steps(
    answered: tuple[list[Scene], Report], name: str, more: str, less: str
) -> None:
    scenes, report = answered
    found = {value.facets.get("steps", ""): value for value in report.metrics if value.name == name}
    assert set(found) == {"", "1", "2", "3", "4"}
    for steps, value in found.items():
        meant = [scene for scene in scenes if steps in {"", str(len(PROGRAMS[scene.program].steps))}]
        assert value.value == pytest.approx(planted(meant, more, less))
        assert (value.lowest, value.highest) == (-1, 1)
    whole = found[""].value
    assert whole is not None
    assert whole > 0.05, "planted so that it can be seen"


def test_the_headline_is_the_end_to_end_rung_and_every_rung_has_its_accuracy(
    answered: tuple[list[Scene], Report],
) -> None:
    scenes, report = answered
    right = {rung: mean(not weak_at(scene, rung) for scene in scenes) for rung in RUNGS}
    assert report.headline.value == pytest.approx(right[END_TO_END])
    for rung in RUNGS:
        results = [result.verdict == "correct" for result in report.questions if result.facets["stage"] == rung]
        assert mean(results) == pytest.approx(right[rung])


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

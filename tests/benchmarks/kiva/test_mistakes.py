"""Tests of the mistakes that the wrong options of a trial stand for."""

from itertools import combinations

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.published.question import questions as published_questions
from generator_service.benchmarks.kiva.published.spec import Scene as PublishedScene
from generator_service.benchmarks.kiva.published.spec import Trial
from generator_service.benchmarks.kiva.spec import FULL, NONE_FITS, NOTHING_CHANGED, OTHER_DOMAIN, OTHER_VALUE, Scene
from tests.benchmarks.kiva.trials import PLACES, cell, trial, trials
from tetrad.contracts.items import ChoiceKey
from tetrad.contracts.wire import ParameterValue


def mistakes(scene: Scene) -> dict[str, dict[str, str]]:
    """Return, by question, the mistake of each wrong option by what the option says or shows."""
    found: dict[str, dict[str, str]] = {}
    for keyed in BENCHMARK.questions(scene):
        assert isinstance(keyed.key, ChoiceKey)
        assert keyed.key.outcomes.keys() == keyed.option_values.keys() - {keyed.key.label}, (
            "each wrong one, no right one"
        )
        found[keyed.question.id] = {keyed.option_values[label]: name for label, name in keyed.key.outcomes.items()}
    return found


def test_a_trial_that_adds_two(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("number", "+2"), 0)
    start, right = scene.test_before.count, scene.test_after.count
    found = mistakes(scene)
    assert right == start + 2
    what = found["what"]
    assert {what.pop("no change"), what.pop("doesn't apply")} == {"nothing changed", "none fits"}
    assert set(what.values()) == {"other domain"}
    assert "number" not in what
    [wrong_words] = [value for value in found["how"] if value not in {"no change", "doesn't apply"}]
    assert found["how"] == {wrong_words: "other value", "no change": "nothing changed", "doesn't apply": "none fits"}
    unchanged = f"count {start}" if start > 1 else "plain"
    assert found["which"][unchanged] == "nothing changed"
    assert found["which"]["none of them"] == "none fits"
    assert sorted(found["which"].values()) == ["none fits", "nothing changed", "other value"]


def test_where_nothing_changes_a_change_is_imagined(blocks: KivaBank) -> None:
    for domain, value in (("number", "+2"), ("color+size", None)):
        for found in mistakes(trial(blocks, cell(domain, value, change="no"), 0)).values():
            named = {name for option, name in found.items() if option not in {"doesn't apply", "none of them"}}
            assert named == {"a change where there is none"}


def test_of_several_changes_the_mistake_names_those_that_are_another_value(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("color+size"), 1)
    color, size = scene.values
    for words, name in mistakes(scene)["how"].items():
        if " and " in words:
            wrong = [
                domain
                for domain, one, right in zip(("color", "size"), words.split(" and "), (color, size), strict=True)
                if one != right
            ]
            assert name == f"{OTHER_VALUE} of {' and '.join(wrong)}"
    pictured = [name for option, name in mistakes(scene)["which"].items() if option != "none of them"]
    assert sorted(pictured) == sorted(f"{OTHER_VALUE} of {which}" for which in ("color", "size", "color and size"))


def test_of_eight_mixtures_one_is_wrong_in_all_three(blocks: KivaBank) -> None:
    found = mistakes(trial(blocks, cell("color+size+number"), 1, mixtures="eight"))
    others = ("color", "size", "number")
    wrong = [" and ".join(some) for count in (1, 2, 3) for some in combinations(others, count)]
    expected = sorted([*(f"{OTHER_VALUE} of {which}" for which in wrong), NONE_FITS])
    assert sorted(found["which"].values()) == expected
    assert sorted(found["how"].values()) == sorted([*expected, NOTHING_CHANGED])


@pytest.mark.parametrize(("track", "setting", "parameters"), [place for place in PLACES if place[1] == FULL])
def test_every_wrong_option_has_its_mistake_in_every_kind_of_trial(
    blocks: KivaBank, track: str, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 1, setting, track, **parameters):
        for question, found in mistakes(scene).items():
            names = sorted(found.values())
            if scene.change and question.startswith("which") and len(scene.domains) == 1:
                assert names == ["none fits", "nothing changed", "other value"]
            assert all(names)


def test_a_published_trial_names_the_same_mistakes() -> None:
    trial = Trial(
        id="Counting+1_0",
        domain="number",
        value="+1",
        wrong="-1",
        before="",
        after="",
        test="",
        right_picture="",
        wrong_picture="",
    )
    scene = PublishedScene(
        trial=trial,
        setting="full",
        presentation="separate",
        change=True,
        classification=(("size", "number", "color"),),
        specification=(("-1", "+1"),),
        extrapolation=(("same", "right", "wrong"),),
    )
    keys = {keyed.question.id: keyed.key for keyed in published_questions(scene)}
    assert keys == {
        "what": ChoiceKey(
            label="2", outcomes={"1": OTHER_DOMAIN, "3": OTHER_DOMAIN, "4": NOTHING_CHANGED, "5": NONE_FITS}
        ),
        "how": ChoiceKey(label="2", outcomes={"1": OTHER_VALUE, "3": NOTHING_CHANGED, "4": NONE_FITS}),
        "which": ChoiceKey(label="B", outcomes={"A": NOTHING_CHANGED, "C": OTHER_VALUE, "D": NONE_FITS}),
    }

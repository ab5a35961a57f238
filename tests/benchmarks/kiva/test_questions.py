"""Words, labels, pictures and facets of the questions."""

import pytest

from generator_service.benchmarks.kiva import BENCHMARK, wording
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.pictures import Pair, Sheet, content, contents
from generator_service.benchmarks.kiva.spec import EXTRAPOLATION_ONLY, FULL, VALUES, state_text
from tests.benchmarks.kiva.trials import COMBINATIONS, cell, trial, trials
from tetrad.contracts.items import Choice
from tetrad.contracts.wire import ParameterValue

RIGHT_TEXT = wording.ASPECT_TEXT | wording.VALUE_TEXT


@pytest.mark.parametrize(("setting", "parameters"), COMBINATIONS)
def test_verbal_questions_show_the_given_pair_and_nothing_of_the_options(
    blocks: KivaBank, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 2, setting, **parameters):
        for question in (keyed.question for keyed in BENCHMARK.questions(scene)):
            names = [picture.name for picture in question.pictures]
            if question.kind == "which":
                continue
            assert names == ["1"]
            assert content(scene, "1") == Pair(scene.given, scene.given_before, scene.given_after)
            assert {option.picture for option in question.options} == {None}


@pytest.mark.parametrize(("setting", "parameters"), COMBINATIONS)
def test_every_picture_belongs_to_a_question_and_every_which_to_its_own_repeat(
    blocks: KivaBank, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 1, setting, **parameters):
        asked = [keyed.question for keyed in BENCHMARK.questions(scene)]
        shown = {picture.name for question in asked for picture in question.pictures}
        assert shown == set(contents(scene))
        for repeat, question in enumerate(question for question in asked if question.kind == "which"):
            held = [content(scene, picture.name) for picture in question.pictures]
            if isinstance(held[0], Sheet):
                held = [held[0].given, *held[0].options]
            given, *pairs = held
            assert given == Pair(scene.given, scene.given_before, scene.given_after)
            assert pairs == [Pair(scene.test, scene.test_before, state) for state in scene.extrapolation[repeat]]


def test_an_option_says_what_its_place_means(blocks: KivaBank) -> None:
    texts = RIGHT_TEXT | {"no change": wording.NO_CHANGE_TEXT, "doesn't apply": wording.OTHER_TEXT}
    for scene in trials(blocks, 3):
        what, how, which = BENCHMARK.questions(scene)
        for keyed in (what, how):
            assert [option.text for option in keyed.question.options] == [
                texts[keyed.meanings[option.label]] for option in keyed.question.options
            ]
            assert list(keyed.meanings.values())[-2:] == ["no change", "doesn't apply"]
        assert which.meanings == dict(zip("ABC", map(state_text, scene.extrapolation[0]), strict=True)) | {
            "D": "none of them"
        }


def test_labels_are_five_four_and_four(blocks: KivaBank) -> None:
    what, how, which = (keyed.question for keyed in BENCHMARK.questions(trial(blocks, cell("size", "2x"), 0)))
    assert what.shape == Choice(labels=("1", "2", "3", "4", "5"))
    assert how.shape == Choice(labels=("1", "2", "3", "4"))
    assert which.shape == Choice(labels=("A", "B", "C", "D"))
    assert [question.final for question in (what, how, which)] == [False, False, True]


def test_facets_name_stage_cell_and_repeat(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("number", "+2", "no"), 6, repeats=2)
    keyed = BENCHMARK.questions(scene)
    assert [one.question.id for one in keyed] == ["what", "what-2", "how", "how-2", "which", "which-2"]
    assert keyed[3].facets == {
        "stage": "specification",
        "domain": "number",
        "value": "+2",
        "change": "no",
        "repeat": "2",
    }
    assert {one.cluster for one in keyed} == {scene.item}


def test_one_caller_s_changes_do_not_reach_another_s_questions(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("number", "+2"), 6)
    BENCHMARK.questions(scene)[0].meanings.clear()
    assert BENCHMARK.questions(scene)[0].meanings


@pytest.mark.parametrize("setting", [FULL, EXTRAPOLATION_ONLY])
def test_a_name_the_trial_does_not_have_is_refused(blocks: KivaBank, setting: str) -> None:
    with pytest.raises(KeyError, match="'9'"):
        content(trial(blocks, cell("size", "2x"), 0, setting), "9")


def test_every_value_has_words_and_is_filterable() -> None:
    values = {value for values in VALUES.values() for value in values}
    assert set(wording.VALUE_TEXT) == values == set(BENCHMARK.card.filters["value"])
    assert len(set(RIGHT_TEXT.values())) == len(RIGHT_TEXT)


def test_the_explanation_names_change_and_pictures(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("rotation", "180"), 0)
    sentence, data = BENCHMARK.describe(scene)
    which = BENCHMARK.questions(scene)[-1].key.label
    assert "half turn" in sentence
    assert f"({which})" in sentence
    assert data["given_before"] == {
        name: getattr(scene.given_before, name) for name in scene.given_before.__struct_fields__
    }
    assert "nothing changed" in BENCHMARK.describe(trial(blocks, cell("rotation", "180", "no"), 0))[0]


def test_no_prompt_is_a_sentence_of_the_paper() -> None:
    ours = [wording.WHAT_TEXT, wording.HOW_TEXT, *wording.WHICH_TEXT.values(), wording.NUMBER_INSTRUCTION]
    assert not any("left-to-right transformation" in text or "rules best describes" in text for text in ours)

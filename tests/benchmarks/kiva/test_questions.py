"""Words, labels, pictures and facets of the questions."""

from itertools import combinations

import pytest
from msgspec.structs import replace

from generator_service.benchmarks.kiva import BENCHMARK, wording
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.pictures import Candidate, Pair, Sentence, Sheet, content, contents
from generator_service.benchmarks.kiva.spec import (
    ADULT_VALUES,
    ADULTS,
    ASPECTS,
    COMBINATIONS,
    EXTRAPOLATION_ONLY,
    FULL,
    GIVEN_CLASSIFICATION,
    GIVEN_SPECIFICATION,
    WORDINGS,
    Showing,
    state_text,
)
from generator_service.parameters import IdentityError, resolve
from tests.benchmarks.kiva.trials import PLACES, cell, trial, trials
from tetrad.contracts.items import Choice
from tetrad.contracts.wire import ParameterValue
from tetrad.extraction import extract_choice

UNREPEATED = [place for place in PLACES if place[2]["in_context"] == 0]


def pair(shown: Showing) -> Pair:
    return Pair(shown.object, shown.before, shown.after)


@pytest.mark.parametrize(("track", "setting", "parameters"), UNREPEATED)
def test_verbal_questions_show_the_given_pair_and_nothing_of_the_options(
    blocks: KivaBank, track: str, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 1, setting, track, **parameters):
        for question in (keyed.question for keyed in BENCHMARK.questions(scene)):
            if question.kind == "which":
                continue
            assert [picture.name for picture in question.pictures] == ["1"]
            assert content(scene, "1") == pair(scene.given)
            assert {option.picture for option in question.options} == {None}


@pytest.mark.parametrize(("track", "setting", "parameters"), PLACES)
def test_every_picture_belongs_to_a_question_and_every_which_to_its_own_repeat(
    blocks: KivaBank, track: str, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 1, setting, track, **parameters):
        asked = [keyed.question for keyed in BENCHMARK.questions(scene)]
        assert {picture.name for question in asked for picture in question.pictures} == set(contents(scene))
        for repeat, question in enumerate(question for question in asked if question.kind == "which"):
            solved = {name for example in question.examples for name in example.pictures}
            held = [content(scene, picture.name) for picture in question.pictures if picture.name not in solved]
            expected = [Pair(scene.test, scene.test_before, state) for state in scene.extrapolation[repeat]]
            if isinstance(held[0], Sheet):
                assert (held[0].given, list(held[0].options)) == (pair(scene.given), expected)
            elif isinstance(held[0], Sentence):
                assert held[0].rows == (*map(pair, scene.rows), pair(scene.given))
                assert (held[0].test, held[0].before) == (scene.test, scene.test_before)
                assert held[1:] == [Candidate(scene.test, state) for state in scene.extrapolation[repeat]]
            else:
                assert held == [pair(scene.given), *expected]


def test_an_option_says_what_its_place_means(blocks: KivaBank) -> None:
    said = wording.STANDARD
    texts = {**said.aspects, **{value: text.format(It="It") for value, text in said.values.items()}}
    texts |= {"no change": said.no_change, "doesn't apply": said.other}
    for track in ("kiva", "kiva-adults"):
        for scene in trials(blocks, 2, track=track):
            what, how, which = BENCHMARK.questions(scene)
            for keyed in (what, how):
                assert [option.text for option in keyed.question.options] == [
                    texts[keyed.option_values[option.label]] for option in keyed.question.options
                ]
                assert list(keyed.option_values.values())[-2:] == ["no change", "doesn't apply"]
            assert which.option_values == dict(zip("ABC", map(state_text, scene.extrapolation[0]), strict=True)) | {
                "D": "none of them"
            }


def test_labels_are_five_four_and_four_and_with_several_changes_five_six_and_five(blocks: KivaBank) -> None:
    for domain, labels in (("size", ("12345", "1234", "ABCD")), ("size+color", ("12345", "123456", "ABCDE"))):
        scene = trial(blocks, cell("color+size" if "+" in domain else domain, None if "+" in domain else "2x"), 0)
        asked = [keyed.question for keyed in BENCHMARK.questions(scene)]
        assert [question.shape for question in asked] == [Choice(labels=tuple(each)) for each in labels]
        assert [question.final for question in asked] == [False, False, True]


def test_of_eight_mixtures_labels_go_to_ten_and_to_i(blocks: KivaBank) -> None:
    facets = cell("color+size+number")
    asked = BENCHMARK.questions(trial(blocks, facets, 0, mixtures="eight"))
    labels = [tuple("12345"), tuple(map(str, range(1, 11))), tuple("ABCDEFGHI")]
    assert [keyed.question.shape for keyed in asked] == [Choice(labels=each) for each in labels]
    assert "The other eight pictures, (A), (B), (C), (D), (E), (F), (G) and (H)" in asked[2].question.text
    assert asked[2].question.options[-1].text == "None of the eight."
    assert [picture.name for picture in asked[2].question.pictures] == [str(place) for place in range(1, 10)]
    assert {keyed.facets["pictures"] for keyed in asked} == {"8"}
    for each in labels:
        assert tuple(extract_choice(f"The answer is ({label}).", each).answer for label in each) == each
    assert extract_choice("I think that I see it: (G)", labels[2]).answer == "G"
    assert extract_choice("I can't tell.", labels[2]).answer is None


@pytest.mark.parametrize("track", ["kiva", "kiva-adults"])
def test_where_one_thing_changes_eight_mixtures_are_refused_with_what_to_do(track: str) -> None:
    with pytest.raises(IdentityError) as refused:
        resolve(BENCHMARK.card, track, "full", {"mixtures": "eight"})
    assert [(fault.field, fault.value, fault.remedy) for fault in refused.value.faults] == [
        ("parameters.mixtures", "eight", "use four, or track kiva-compositionality")
    ]


def test_facets_name_stage_cell_and_repeat(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("number", "+2", "no"), 6, repeats=2)
    keyed = BENCHMARK.questions(scene)
    assert [one.question.id for one in keyed] == ["what", "what-2", "how", "how-2", "which", "which-2"]
    assert keyed[3].facets == {
        "stage": "specification",
        "domain": "number",
        "value": "+2",
        "change": "no",
        "changes": "1",
        "told": "nothing",
        "pictures": "3",
        "repeat": "2",
    }
    assert {one.cluster for one in keyed} == {scene.item}
    several = BENCHMARK.questions(trial(blocks, cell("color+size+number"), 6, GIVEN_SPECIFICATION))[0].facets
    assert (several["changes"], several["told"], "value" in several) == ("3", "specification", False)


@pytest.mark.parametrize("change", ["yes", "no"])
@pytest.mark.parametrize("kind", WORDINGS)
def test_what_a_setting_tells_stands_before_its_questions(blocks: KivaBank, kind: str, change: str) -> None:
    said = wording.PHRASES[kind]
    what = said.aspects["size"] if change == "yes" else said.no_change
    how = said.values["2x"].format(It="It") if change == "yes" else said.no_change
    for setting, words in ((GIVEN_CLASSIFICATION, what), (GIVEN_SPECIFICATION, how)):
        scene = trial(blocks, cell("size", "2x", change), 3, setting, wording=kind)
        for keyed in BENCHMARK.questions(scene):
            first, _, rest = keyed.question.text.partition("\n")
            assert words in first
            assert rest
    plain = BENCHMARK.questions(trial(blocks, cell("size", "2x"), 3, wording=kind))
    assert not any("\n" in keyed.question.text for keyed in plain)


@pytest.mark.parametrize("setting", [FULL, EXTRAPOLATION_ONLY, GIVEN_CLASSIFICATION, GIVEN_SPECIFICATION])
@pytest.mark.parametrize("presentation", ["separate", "composite"])
def test_solved_examples_carry_their_own_pictures_options_and_right_labels(
    blocks: KivaBank, setting: str, presentation: str
) -> None:
    scene = trial(blocks, cell("color+number"), 3, setting, in_context=2, presentation=presentation, repeats=2)
    for keyed in BENCHMARK.questions(scene):
        question = keyed.question
        assert len(question.examples) == 2
        for shown, example in zip(question.examples, scene.examples, strict=True):
            alone = {one.question.kind: one for one in BENCHMARK.questions(example)}[question.kind]
            assert (shown.answer, shown.text) == (alone.key.label, alone.question.text)
            assert [content(scene, name) for name in shown.pictures] == [
                content(example, picture.name) for picture in alone.question.pictures
            ]
            assert {option.picture for option in shown.options} - {None} <= set(shown.pictures)
            assert [option.text for option in shown.options] == [option.text for option in alone.question.options]
        captions = [picture.caption for picture in question.pictures]
        assert [caption.startswith("Solved example") for caption in captions] == sorted(
            caption.startswith("Solved example") for caption in captions
        )


def test_trials_that_ask_the_same_share_all_but_the_cluster(blocks: KivaBank) -> None:
    """Of ten thousand trials' keys, most then cost the generator and scoring no more than a look."""
    scene = trial(blocks, cell("number", "+2"), 6)
    for one, other in zip(BENCHMARK.questions(scene), BENCHMARK.questions(replace(scene, item="0" * 16)), strict=True):
        assert (one.cluster, other.cluster) == (scene.item, "0" * 16)
        for part in ("question", "key", "facets", "option_values"):
            assert getattr(one, part) is getattr(other, part)


def test_every_value_has_words_of_its_own_and_is_filterable() -> None:
    values = {value for values in ADULT_VALUES.values() for value in values}
    assert len(values) == 29
    assert values == set(BENCHMARK.card.filters["value"])
    assert set(COMBINATIONS) < set(BENCHMARK.card.filters["domain"])
    for phrases in wording.PHRASES.values():
        assert set(phrases.values) == values
        assert set(phrases.aspects) == set(ASPECTS)
        texts = [*phrases.values.values(), *phrases.aspects.values(), phrases.no_change, phrases.other]
        assert len(set(texts)) == len(texts)


def test_the_words_of_what_never_tell_whether_there_are_several_objects() -> None:
    for phrases in wording.PHRASES.values():
        assert not any("{" in text for text in phrases.aspects.values())


def test_the_explanation_names_things_as_people_do(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("rotation", "180"), 0)
    given = replace(scene.given, object="electric-guitar-01")
    sentence, _ = BENCHMARK.describe(replace(scene, given=given, test="bicycle-25"))
    assert "(the electric guitar) it made a half turn" in sentence
    assert "the same holds for the bicycle in (" in sentence


def test_the_explanation_names_change_and_pictures(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("rotation", "180"), 0)
    sentence, data = BENCHMARK.describe(scene)
    which = BENCHMARK.questions(scene)[-1].key.label
    assert "half turn" in sentence
    assert f"({which})" in sentence
    assert data["given"] == {
        "object": scene.given.object,
        "before": {name: getattr(scene.given.before, name) for name in scene.given.before.__struct_fields__},
        "after": {name: getattr(scene.given.after, name) for name in scene.given.after.__struct_fields__},
    }
    assert "nothing changed" in BENCHMARK.describe(trial(blocks, cell("rotation", "180", "no"), 0))[0]
    several = BENCHMARK.describe(trial(blocks, cell("color+number"), 0))[0]
    assert "each object took on" in several
    assert ", and " in several
    assert several.endswith(".")
    assert "shows a change, hence (E)" in BENCHMARK.describe(trial(blocks, cell("color+number", change="no"), 0))[0]


def test_no_prompt_is_a_sentence_of_the_paper() -> None:
    ours = [text for said in wording.PHRASES.values() for text in (said.what, said.how, *said.which.values())]
    paper = ("left-to-right transformation", "rules best describes", "Do you think there is a change")
    assert not any(sentence in text for text in ours for sentence in paper)


@pytest.mark.parametrize(
    ("track", "setting", "given", "field"),
    [
        ("kiva-compositionality", FULL, {"distractors": "published"}, "parameters.distractors"),
        ("kiva", FULL, {"presentation": "sentence"}, "parameters.presentation"),
        (ADULTS, GIVEN_SPECIFICATION, {"presentation": "sentence"}, "parameters.presentation"),
        ("kiva", EXTRAPOLATION_ONLY, {"presentation": "sentence", "in_context": 2}, "parameters.in_context"),
        ("kiva", FULL, {"in_context": 1}, "parameters.in_context"),
        ("kiva", FULL, {"crop": 80}, "parameters.crop"),
    ],
)
def test_what_makes_no_sense_is_refused_by_field_value_and_remedy(
    track: str, setting: str, given: dict[str, ParameterValue], field: str
) -> None:
    with pytest.raises(IdentityError) as refused:
        resolve(BENCHMARK.card, track, setting, given)
    [fault] = refused.value.faults
    assert fault.field == field
    assert fault.value == str(given[field.removeprefix("parameters.")])
    assert fault.remedy


def test_exclusions_name_what_the_card_has() -> None:
    card = BENCHMARK.card
    known = {parameter.name for parameter in card.parameters} | {"track", "setting"}
    for one in card.exclusions:
        assert set(one.where) <= known
        assert one.field in one.where
    assert not any(a == b for a, b in combinations(card.exclusions, 2))

"""Sampled trials: every rule holds, places are uniform. That the solver agrees with every key, conformance holds."""

from collections import Counter
from itertools import permutations, product

import pytest
from msgspec.structs import replace
from scipy import stats

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.solver import NoSingleChange, apply_reading, readings_of
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    ASPECT,
    ASPECTS,
    COMBINATIONS,
    EXTRAPOLATION_ONLY,
    KIVA,
    PLAIN,
    VALUES_OF,
    Scene,
    State,
    aspects_of,
)
from generator_service.proving.cases import solve_questions
from tests.benchmarks.kiva.trials import ALL_VALUES, cell, trial, trials


@pytest.mark.parametrize("track", VALUES_OF)
def test_the_solver_agrees_with_the_keys_of_solved_examples(blocks: KivaBank, track: str) -> None:
    examples = [example for scene in trials(blocks, 1, track=track, in_context=2) for example in scene.examples]
    assert examples
    for example in examples:
        keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(example)}
        assert keys == solve_questions(BENCHMARK, example)


@pytest.mark.parametrize(("track", "domain", "value"), ALL_VALUES)
@pytest.mark.parametrize("distractors", ["balanced", "published"])
@pytest.mark.parametrize("change", ["yes", "no"])
def test_a_trial_follows_the_rules(  # noqa: PLR0917 - what is parametrized
    blocks: KivaBank, track: str, domain: str, value: str, distractors: str, change: str
) -> None:
    for index in range(20):
        scene = trial(blocks, cell(domain, value, change), index, track=track, distractors=distractors)
        assert scene.given.object.split("-")[0] != scene.test.split("-")[0], "two kinds"
        readings = readings_of(scene.given.before, scene.given.after)
        assert ((ASPECT[domain], value),) in readings if change == "yes" else readings == [()]
        if track == KIVA:
            assert scene.test_before == scene.given.before, "kiva: both start alike"
        assert_options(scene, domain, value)


def assert_options(scene: Scene, domain: str, value: str) -> None:
    right = apply_reading(scene.test_before, ((ASPECT[domain], value),))
    [places], [aspects], [words] = scene.extrapolation, scene.classification, scene.specification
    assert len(set(places)) == 3
    assert scene.test_after == right
    assert {right, scene.test_before} < set(places)
    assert len(set(aspects)) == 3
    assert (ASPECT[domain],) in aspects
    assert {aspect for one in aspects for aspect in one} < set(ASPECTS)
    assert len(set(words)) == 2
    assert (value,) in words
    assert {word for one in words for word in one} <= set(VALUES_OF[scene.track][domain])


def test_adults_objects_start_apart_and_apart_from_the_wrong_option_where_that_can_be(blocks: KivaBank) -> None:
    together: Counter[str] = Counter()
    for index, (track, domain, value) in enumerate(ALL_VALUES * 20):
        if track != ADULTS:
            continue
        scene = trial(blocks, cell(domain, value), index, track=track)
        together["start"] += scene.given.before == scene.test_before
        together["wrong"] += scene.given.before in set(scene.extrapolation[0]) - {scene.test_before, scene.test_after}
        together["trials"] += 1
    assert together["start"] < 0.01 * together["trials"]
    assert together["wrong"] < 0.05 * together["trials"]


@pytest.mark.parametrize("domain", COMBINATIONS)
@pytest.mark.parametrize("change", ["yes", "no"])
def test_several_changes_are_mixed_in_four_pictures_and_words(blocks: KivaBank, domain: str, change: str) -> None:
    for index in range(10):
        scene = trial(blocks, cell(domain, change=change), index)
        [places], [aspects], [words] = scene.extrapolation, scene.classification, scene.specification
        assert len(set(places)) == len(set(words)) == 4
        assert scene.test_after in places
        assert scene.test_before not in places, "which picture shows no change would tell what the wrong values are"
        assert scene.values in words
        assert tuple(sorted(aspects_of(domain), key=ASPECTS.index)) in aspects
        for which in zip(*words, strict=True):
            assert sorted(Counter(which).values()) == [2, 2]
        keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
        assert (keys["which"] == "E") == (keys["what"] == "4") == (keys["how"] == "5") == (change == "no")


@pytest.mark.parametrize("domain", [one for one in COMBINATIONS if one.count("+") == 2])
@pytest.mark.parametrize("change", ["yes", "no"])
def test_three_changes_are_right_or_wrong_in_all_eight_ways(blocks: KivaBank, domain: str, change: str) -> None:
    for index in range(6):
        scene = trial(blocks, cell(domain, change=change), index, mixtures="eight")
        [places], [words] = scene.extrapolation, scene.specification
        right_in = [tuple(one == right for one, right in zip(each, scene.values, strict=True)) for each in words]
        assert sorted(right_in) == sorted(product((True, False), repeat=3))
        readings = [tuple(zip(map(ASPECT.__getitem__, domain.split("+")), each, strict=True)) for each in words]
        assert {apply_reading(scene.test_before, reading) for reading in readings} == set(places)
        assert len(set(places)) == 8
        assert scene.test_after in places
        keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
        assert (keys["which"] == "I") == (keys["what"] == "4") == (keys["how"] == "9") == (change == "no")


def test_a_no_change_trial_is_its_value_s_trial_with_nothing_changed(blocks: KivaBank) -> None:
    for track, domain, value in ALL_VALUES:
        for index in range(4):
            changed, still = (
                trial(blocks, cell(domain, value, change), index, track=track) for change in ("yes", "no")
            )
            assert still.given.after == still.given.before == changed.given.before
            assert (still.classification, still.specification) == (changed.classification, changed.specification)
            assert (still.extrapolation, still.given.object, still.test) == (
                changed.extrapolation,
                changed.given.object,
                changed.test,
            )
            what, how, which = (keyed.key.label for keyed in BENCHMARK.questions(still))
            assert (what, how) == ("4", "3")
            assert still.extrapolation[0]["ABC".index(which)] == still.test_before


def test_published_rotations_start_upright_and_balanced_ones_anywhere(blocks: KivaBank) -> None:
    starts = {
        (track, rule): {
            trial(blocks, cell("rotation", "180"), i, track=track, distractors=rule).test_before.turn for i in range(80)
        }
        for track in (KIVA, ADULTS)
        for rule in ("published", "balanced")
    }
    assert starts == {
        (KIVA, "published"): {0},
        (KIVA, "balanced"): {0, 90, 180, 270},
        (ADULTS, "published"): {45, 90, 135, 225, 270, 315},
        (ADULTS, "balanced"): set(range(0, 360, 45)),
    }


def test_places_are_uniform_and_independent_between_questions(blocks: KivaBank) -> None:
    for repeat in range(3):
        counts: Counter[tuple[str, str, str]] = Counter()
        for index in range(1800):
            scene = trial(blocks, cell("rotation", "+90"), index, repeats=3)
            keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
            suffix = f"-{repeat + 1}" if repeat else ""
            counts[keys["what" + suffix], keys["how" + suffix], keys["which" + suffix]] += 1
        expected = list(product("123", "12", "ABC"))
        assert set(counts) == set(expected)
        assert stats.chisquare([counts[key] for key in expected]).pvalue > 0.001


def test_all_six_orders_of_a_set_are_as_likely(blocks: KivaBank) -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for index in range(3000):
        value = ("+90", "-90", "180")[index % 3]
        scene = trial(blocks, cell("rotation", value), index)
        turns = {state.turn for state in scene.extrapolation[0]}
        [missing] = {0, 90, 180, 270} - turns
        wrong = (turns - {scene.test_before.turn, scene.test_after.turn}).pop()
        counts[tuple((turn - missing) % 360 for turn in (scene.test_before.turn, scene.test_after.turn, wrong))] += 1
    orders = list(permutations((90, 180, 270)))
    assert set(counts) == set(orders)
    assert stats.chisquare([counts[order] for order in orders]).pvalue > 0.001


def test_repeats_reshuffle_the_same_options(blocks: KivaBank) -> None:
    reshuffled = 0
    for track in ("kiva", "kiva-compositionality"):
        for scene in trials(blocks, 8, track=track, repeats=3):
            for places in (scene.classification, scene.specification, scene.extrapolation):
                assert len({frozenset(place) for place in places}) == 1
                reshuffled += len(set(places)) > 1
    assert reshuffled > 500


def test_the_first_repeat_is_the_same_however_many_follow(blocks: KivaBank) -> None:
    once, thrice = (trial(blocks, cell("color", "red"), 5, repeats=repeats) for repeats in (1, 3))
    assert once.extrapolation == thrice.extrapolation[:1]
    assert once.classification == thrice.classification[:1]


def test_how_a_trial_is_shown_changes_nothing_of_what_it_is(blocks: KivaBank) -> None:
    plain = trial(blocks, cell("color", "red"), 5)
    other = trial(
        blocks,
        cell("color", "red"),
        5,
        presentation="composite",
        background="black",
        crop=90,
        in_context=2,
        wording="child",
    )
    parts = ("item", "given", "test", "classification", "specification", "extrapolation")
    assert [getattr(plain, part) for part in parts] == [getattr(other, part) for part in parts]


def test_every_object_of_a_bank_is_drawn_and_trials_are_told_apart(blocks: KivaBank) -> None:
    scenes = list(trials(blocks, 40))
    assert {scene.given.object for scene in scenes} == {scene.test for scene in scenes}
    assert len({scene.given.object for scene in scenes}) == 16
    assert len({scene.item for scene in scenes}) == len(scenes)


@pytest.mark.parametrize("domain", ["number", "color+rotation"])
def test_solved_examples_are_two_other_trials_of_the_domain_whose_values_are_their_own(
    blocks: KivaBank, domain: str
) -> None:
    told: Counter[bool] = Counter()
    for index in range(60):
        facets = cell(domain, "+1" if domain == "number" else None)
        scene = trial(blocks, facets, index, in_context=2)
        assert {example.domain for example in scene.examples} == {domain}
        assert len({scene.item, *(example.item for example in scene.examples)}) == 3
        assert all(example.change and example.repeats == 1 for example in scene.examples)
        told.update(example.values == scene.values for example in scene.examples)
    assert told[False] > told[True] > 0, "the trial's value is among them as often as any"


@pytest.mark.parametrize(("track", "value"), [(KIVA, "+2"), (ADULTS, "x3")])
@pytest.mark.parametrize("change", ["yes", "no"])
def test_a_sentence_s_first_row_shows_the_same_change_on_a_third_kind(
    blocks: KivaBank, track: str, value: str, change: str
) -> None:
    for index in range(10):
        facets = cell("number", value, change)
        scene = trial(blocks, facets, index, EXTRAPOLATION_ONLY, track=track, presentation="sentence")
        [row] = scene.rows
        kinds = {name.split("-")[0] for name in (row.object, scene.given.object, scene.test)}
        assert len(kinds) == 3
        expected = ("number", value) if change == "yes" else None
        assert expected in {reading[0] if reading else None for reading in readings_of(row.before, row.after)}


@pytest.mark.parametrize(
    "after",
    [State(turn=90, mirror="x"), State(across=4, down=1)],
    ids=["turned and mirrored", "wider and shorter"],
)
def test_the_solver_refuses_what_is_no_change_of_kiva(after: State) -> None:
    with pytest.raises(NoSingleChange):
        readings_of(PLAIN, after)


def test_the_solver_answers_none_of_them_and_refuses_double_options(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("color", "red"), 1)
    blank = {
        "change": False,  # which the solver does not see; a key is asked for where something changes
        "extrapolation": ((PLAIN,) * 3,),
        "classification": ((("size",),),),
        "specification": ((("x",), ("y",)),),
    }
    missing = replace(scene, **blank)
    assert solve_questions(BENCHMARK, missing) == {"what": "3", "how": "4", "which": "D"}
    for double in (
        {"extrapolation": ((scene.test_after, scene.test_after, PLAIN),)},
        {"specification": ((("red",),) * 2,)},
    ):
        with pytest.raises(NoSingleChange):
            solve_questions(BENCHMARK, replace(scene, **double))

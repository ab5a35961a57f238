"""Sampled trials: every rule holds, the independent solver agrees with every key, places are uniform."""

from collections import Counter
from itertools import permutations, product

import pytest
from scipy import stats

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.solver import NoSingleChange, applied, inferred, solve
from generator_service.benchmarks.kiva.spec import ASPECT, ASPECTS, PLAIN, VALUES, Scene, State
from tests.benchmarks.kiva.trials import COMBINATIONS, DEFAULTS, IDENTITY, cell, trial, trials
from tetrad.contracts.wire import ParameterValue
from tetrad.streams import StreamFamily

ALL_VALUES = [(domain, value) for domain, values in VALUES.items() for value in values]


@pytest.mark.parametrize(("setting", "parameters"), COMBINATIONS)
def test_the_solver_agrees_with_every_key(
    blocks: KivaBank, setting: str, parameters: dict[str, ParameterValue]
) -> None:
    for scene in trials(blocks, 20, setting, **parameters):
        keys = {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)}
        assert keys == solve(scene)


@pytest.mark.parametrize(("domain", "value"), ALL_VALUES)
@pytest.mark.parametrize("distractors", ["balanced", "published"])
@pytest.mark.parametrize("change", ["yes", "no"])
def test_a_trial_follows_the_rules(blocks: KivaBank, domain: str, value: str, distractors: str, change: str) -> None:
    for index in range(40):
        scene = trial(blocks, cell(domain, value, change), index, distractors=distractors)
        assert scene.given.split("-")[0] != scene.test.split("-")[0], "two kinds"
        assert scene.test_before == scene.given_before, "kiva: both start alike"
        assert inferred(scene.given_before, scene.given_after) == ((ASPECT[domain], value) if change == "yes" else None)
        assert_options(scene, domain, value)


def assert_options(scene: Scene, domain: str, value: str) -> None:
    right = applied(scene.test_before, (ASPECT[domain], value))
    [places], [aspects], [words] = scene.extrapolation, scene.classification, scene.specification
    assert len(set(places)) == 3
    assert {right, scene.test_before} < set(places)
    assert len(set(aspects)) == 3
    assert ASPECT[domain] in aspects
    assert set(aspects) < set(ASPECTS)
    assert len(set(words)) == 2
    assert value in words
    assert set(words) <= set(VALUES[domain])


def test_a_no_change_trial_is_its_value_s_trial_with_nothing_changed(blocks: KivaBank) -> None:
    for domain, value in ALL_VALUES:
        for index in range(10):
            changed, still = (trial(blocks, cell(domain, value, change), index) for change in ("yes", "no"))
            assert still.given_after == still.given_before
            assert (still.classification, still.specification) == (changed.classification, changed.specification)
            assert (still.extrapolation, still.given, still.test) == (
                changed.extrapolation,
                changed.given,
                changed.test,
            )
            what, how, which = (keyed.key.label for keyed in BENCHMARK.questions(still))
            assert (what, how) == ("4", "3")
            assert still.extrapolation[0]["ABC".index(which)] == still.test_before


def test_published_rotations_start_upright_and_balanced_ones_anywhere(blocks: KivaBank) -> None:
    starts = {
        rule: {trial(blocks, cell("rotation", "180"), i, distractors=rule).test_before.turn for i in range(60)}
        for rule in ("published", "balanced")
    }
    assert starts == {"published": {0}, "balanced": {0, 90, 180, 270}}


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_places_are_uniform_and_independent_between_questions(blocks: KivaBank, repeats: int) -> None:
    for repeat in range(repeats):
        counts: Counter[tuple[str, str, str]] = Counter()
        for index in range(2880):
            scene = trial(blocks, cell("rotation", "+90"), index, repeats=repeats)
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
        wrong = (turns - {scene.test_before.turn, scene.given_after.turn}).pop()
        counts[tuple((turn - missing) % 360 for turn in (scene.test_before.turn, scene.given_after.turn, wrong))] += 1
    orders = list(permutations((90, 180, 270)))
    assert set(counts) == set(orders)
    assert stats.chisquare([counts[order] for order in orders]).pvalue > 0.001


def test_repeats_reshuffle_the_same_options(blocks: KivaBank) -> None:
    reshuffled = 0
    for scene in trials(blocks, 10, repeats=3):
        for places in (scene.classification, scene.specification, scene.extrapolation):
            assert len({frozenset(place) for place in places}) == 1
            reshuffled += len(set(places)) > 1
    assert reshuffled > 500


def test_the_first_repeat_is_the_same_however_many_follow(blocks: KivaBank) -> None:
    once, thrice = (trial(blocks, cell("color", "red"), 5, repeats=repeats) for repeats in (1, 3))
    assert once.extrapolation == thrice.extrapolation[:1]
    assert once.classification == thrice.classification[:1]


def test_every_object_of_a_bank_is_drawn_and_trials_are_told_apart(blocks: KivaBank) -> None:
    scenes = list(trials(blocks, 40))
    assert {scene.given for scene in scenes} == {scene.test for scene in scenes}
    assert len({scene.given for scene in scenes}) == 16
    assert len({scene.item for scene in scenes}) == len(scenes)


def test_two_streams_of_one_identity_give_one_scene(blocks: KivaBank) -> None:
    first, second = (
        BENCHMARK.sample(blocks, "kiva", "full", DEFAULTS, cell("size", "2x"), Streams(StreamFamily(IDENTITY, 9)))
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    "after",
    [State(color="red", count=2), State(across=4, down=2)],
    ids=["two changes", "one side only"],
)
def test_the_solver_refuses_what_is_no_change_of_kiva(after: State) -> None:
    with pytest.raises(NoSingleChange):
        inferred(PLAIN, after)


def test_the_solver_answers_none_of_them_and_refuses_double_options(blocks: KivaBank) -> None:
    scene = trial(blocks, cell("color", "red"), 1)
    blank = {"extrapolation": ((PLAIN,) * 3,), "classification": (("size",),), "specification": (("x", "y"),)}
    missing = Scene(**{name: getattr(scene, name) for name in Scene.__struct_fields__} | blank)
    assert solve(missing) == {"what": "3", "how": "4", "which": "D"}
    places = (scene.given_after, scene.given_after, PLAIN)
    double = Scene(**{name: getattr(scene, name) for name in Scene.__struct_fields__} | {"extrapolation": (places,)})
    with pytest.raises(NoSingleChange):
        solve(double)

"""VASR on frames: what is offered, what it tells to whom, and that changes are those that step 2 of mining keeps."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from generator_service.benchmark import Streams, View
from generator_service.benchmarks.vasr.knowledge import READERS, choose, choose_difficult, look
from generator_service.benchmarks.vasr.metrics import OF_ALIKE, OF_PARTS
from generator_service.benchmarks.vasr.question import MISTAKES, questions
from generator_service.benchmarks.vasr.sampler import sample, strata
from generator_service.benchmarks.vasr.solver import holds, mistake, solve
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    COMPOSITE,
    DIFFICULT,
    FULL,
    GIVEN,
    KINDS,
    LOOK_ALIKE,
    LOOKS,
    PARTIAL,
    PLACE,
    ROLES,
    SEPARATE,
    VERB,
    Scene,
    distinct,
    members,
)
from generator_service.drawing.people.composing import CHOICES, Look, Situation, who_is
from generator_service.drawing.people.people_maker import EVERYBODY
from generator_service.drawing.people.vocabulary import FRAMES, VALUES, changes, verb_changes
from generator_service.mining.situations.salience import indistinct_nouns, indistinct_verbs
from generator_service.mining.wordnet import WordNet
from generator_service.proving.cases import Case
from generator_service.sources.lexicon import FILES
from tetrad.contracts.items import ChoiceKey
from tetrad.streams import StreamFamily

WORDNET = Path(os.environ.get("TETRAD_WORDNET", "/usr/share/wordnet"))
EVERY = [(kind, count) for kind in KINDS for count in (4, 8)]


def scenes(kind: str, count: int, number: int, presentation: str = SEPARATE) -> Iterator[Scene]:
    """Yield scenes in the shares of their strata."""
    setting, parameters = FULL, {"distractors": kind, "candidates": str(count), "presentation": presentation}
    every = [one for one in strata("composed", setting, parameters) for _ in range(one.weight)]
    for index in range(number):
        streams = Streams(StreamFamily("vasr tests", kind, count, index))
        yield sample(None, "composed", setting, parameters, every[index % len(every)].facets, streams)


def case_of(scene: Scene) -> Case:
    return Case(scene=scene, index=0, keyed=questions(scene)[0], previous="")


def view_of(scene: Scene) -> View:
    (keyed,) = questions(scene)
    return View(question=keyed.question, pictures={one.name: holds(scene, one.name) for one in keyed.question.pictures})


@pytest.mark.parametrize(("kind", "count"), EVERY)
def test_the_solver_finds_every_key_and_no_option_stands_for_the_same(kind: str, count: int) -> None:
    for scene in scenes(kind, count, 120):
        key = questions(scene)[0].key
        view = view_of(scene)
        assert isinstance(key, ChoiceKey)
        assert solve(view) == key.label
        assert len({one.state for one in scene.options}) == count
        assert set(key.outcomes.values()) <= set(MISTAKES)
        assert len(key.outcomes) == count - 1
        told = {label: mistake(view, label) for label in key.outcomes}
        assert told == (key.outcomes if kind == BALANCED else dict.fromkeys(key.outcomes))


def seen(scene: Scene, what: str) -> dict[str, object]:
    """Return what of a picture can be seen beside its state."""
    state, look = scene.state(what), scene.looks[what]
    who = who_is(Situation(state.verb, dict(state.values)), Look(**look))
    person = {"sex": EVERYBODY[who].sex, "build": EVERYBODY[who].weight} if who else {}
    person["passed"] = str(look["passer_by"] >= CHOICES["passer_by"] // 2)
    return {**{name: value for name, value in look.items() if name != "who"}, **person}


def assert_no_look_repeats(scene: Scene) -> None:
    """Nothing changes from A to A' beside the role, and in the same way from B to an option."""
    a, changed, b, *options = (seen(scene, what) for what in (*GIVEN, *scene.labels))
    for name in a.keys() & changed.keys() & b.keys():
        if a[name] != changed[name] and a[name] == b[name] and (scene.role != "agent" or name in LOOKS):
            assert all(option.get(name) != changed[name] for option in options), (name, scene.item)


@pytest.mark.parametrize(("kind", "count"), EVERY)
def test_only_the_role_changes_and_a_and_b_have_nothing_else_in_common(kind: str, count: int) -> None:
    for scene in scenes(kind, count, 120):
        a, changed, b = scene.given
        assert a.change_role(scene.role, changed.get(scene.role)) == changed
        assert distinct(scene.role, a.get(scene.role), changed.get(scene.role))
        assert a.get(scene.role) == b.get(scene.role)
        others = [role for role in (*ROLES, PLACE) if role != scene.role and b.get(role)]
        assert all(a.get(role) != b.get(role) for role in others)
        assert {one.state.get(PLACE) for one in scene.options} == {b.get(PLACE)}, "no option has a place of its own"
        assert_no_look_repeats(scene)


@pytest.mark.parametrize(("kind", "count"), EVERY)
def test_ideal_readers_of_a_part_get_what_the_card_declares_of_each_sort(kind: str, count: int) -> None:
    """An ideal reader of frames takes an option at random among those that fit: their mean is the ceiling."""
    right: Counter[tuple[str, str]] = Counter()
    offered: Counter[str] = Counter()
    for scene in scenes(kind, count, 1200 if kind == BALANCED else 600):
        case = case_of(scene)
        offered[scene.sort or kind] += 1
        for setting, shown in PARTIAL.items():
            right[scene.sort or kind, setting] += READERS[kind](look(case, shown)) == case.label
    for declared_kind, candidates, sort, declared in OF_PARTS:
        for setting, value in declared.items():
            if (declared_kind, candidates) == (kind, count):
                spread = (value * (1 - value) / offered[sort]) ** 0.5
                score = right[sort, setting] / offered[sort]
                assert abs(score - value) <= 0.003 + 4.5 * spread, (sort, setting, score)


def test_of_four_balanced_options_a_part_tells_as_little_as_it_can() -> None:
    """One of A, A' and B at most 50%, two at most 2/3: of the items as they are drawn."""
    weights = Counter[str]()
    for stratum in strata("composed", FULL, {"distractors": BALANCED, "candidates": "4", "presentation": SEPARATE}):
        weights[stratum.facets["sort"]] += stratum.weight
    declared = {sort: values for kind, count, sort, values in OF_PARTS if (kind, count) == (BALANCED, 4)}
    for setting, shown in PARTIAL.items():
        told = sum(weight * declared[sort][setting] for sort, weight in weights.items()) / weights.total()
        assert told <= (1 / 2 if len(shown) == 1 else 2 / 3) + 1e-9, setting


def test_a_reader_of_all_three_is_never_wrong() -> None:
    for scene in scenes(BALANCED, 8, 120):
        case = case_of(scene)
        assert choose(look(case, GIVEN)) == case.label


@pytest.mark.parametrize("count", [4, 8])
def test_difficult_options_tell_as_often_as_the_card_says_which_is_right(count: int) -> None:
    number = 1500
    cases = [case_of(scene) for scene in scenes(DIFFICULT, count, number)]
    right = sum(choose_difficult(look(case, ())) == case.label for case in cases)
    value = OF_ALIKE.get(count, 1 / count)
    assert abs(right / number - value) <= 0.01 + 4.5 * (value * (1 - value) / number) ** 0.5, right / number


def test_four_difficult_options_keep_the_published_rule() -> None:
    """One wrong option has the new value and shares nothing else with the right one; two resemble it and lack it."""
    for scene in scenes(DIFFICULT, 4, 120):
        key = next(one.state for one in scene.options if not one.mistake)
        others = [role for role in key.roles if role != scene.role]
        shared = {one.state: [role for role in others if one.state.get(role) == key.get(role)] for one in scene.options}
        having = [state for state in shared if state != key and state.get(scene.role) == key.get(scene.role)]
        lacking = [state for state in shared if state.get(scene.role) != key.get(scene.role)]
        assert [shared[state] for state in having] == [[]]
        assert len(lacking) == 2
        assert all(0 < len(shared[state]) < len(others) for state in lacking)


def test_a_sheet_is_solved_as_separate_pictures_are() -> None:
    for count in (4, 8):
        for scene in scenes(BALANCED, count, 24, COMPOSITE):
            (keyed,) = questions(scene)
            assert [one.name for one in keyed.question.pictures] == ["1"]
            assert all(option.picture is None for option in keyed.question.options)
            assert solve(view_of(scene)) == keyed.key.label


@pytest.mark.parametrize("count", [4, 8])
def test_balanced_options_don_t_tell_which_is_right(count: int) -> None:
    """Each value of a role is on as many options, and on the right one as often as the others."""
    right, offered = Counter[int](), Counter[int]()
    for scene in scenes(BALANCED, count, 1200):
        key = next(one.state for one in scene.options if not one.mistake)
        for role in key.roles:
            values = Counter(one.state.get(role) for one in scene.options)
            right[len(values)] += key.get(role) == min(values)
            offered[len(values)] += 1
            assert set(values.values()) == {count // len(values)}, "each value is on as many options"
    for number, times in offered.items():
        share = 1 / number
        assert abs(right[number] / times - share) <= 4.5 * (share * (1 - share) / times) ** 0.5, number


def test_each_role_is_asked_as_often_and_pairs_of_roles_both_ways() -> None:
    for kind, count in EVERY:
        parameters = {"distractors": kind, "candidates": str(count), "presentation": SEPARATE}
        weights: Counter[str] = Counter()
        ways: dict[tuple[str, str], int] = defaultdict(int)
        for one in strata("composed", FULL, parameters):
            weights[one.facets["role"]] += one.weight
            ways[one.facets["role"], one.facets["other"]] += one.weight
        assert weights.keys() == set(ROLES)
        assert len(set(weights.values())) == 1
        assert all(ways[other, role] == weight for (role, other), weight in list(ways.items()) if other)


def test_the_looks_are_those_of_the_composer() -> None:
    assert dict(LOOKS) == dict(CHOICES)


def test_changes_are_those_that_step_2_of_mining_keeps_and_that_can_be_seen() -> None:
    if not all((WORDNET / name).exists() for name in FILES):
        pytest.skip(f"WordNet 3.0 is not at {WORDNET} (TETRAD_WORDNET names another place)")
    lexicon = WordNet(lambda name: (WORDNET / name).read_bytes())
    for role, values in VALUES.items():
        if role == PLACE:
            continue
        often = set(changes(role))
        for one, other in combinations(values, 2):
            kept = not indistinct_nouns(lexicon, one.synset, other.synset) and (one.name, other.name) in often
            seen = frozenset((one.name, other.name)) not in LOOK_ALIKE
            assert distinct(role, one.name, other.name) == (kept and seen), (role, one.name, other.name)
    for before, after in verb_changes():
        assert distinct(VERB, before, after) == (not indistinct_verbs(lexicon, before, after)), (before, after)


def test_what_looks_alike_is_of_one_role() -> None:
    assert all(any(pair <= {value.name for value in values} for values in VALUES.values()) for pair in LOOK_ALIKE)


def test_1000_changes_of_each_role_are_asked() -> None:
    for role in ROLES:
        found = {
            (value, other)
            for frame in FRAMES
            for value in members(role, frame) if role == VERB or role in FRAMES[frame]
            for other in members(role, frame)
            if distinct(role, value, other)
        }  # fmt: skip
        assert len(found) >= 1000, role

"""Every condition of CARV's items, on every item of a draw of each track; nothing of the sampler is asked."""

from itertools import combinations

import msgspec
import pytest

from generator_service.benchmark import View
from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.solver import Unsolvable
from generator_service.benchmarks.carv.spec import (
    DIAGNOSIS,
    DIFFERENCE,
    INTERSECTION,
    PROPERTIES,
    SETTINGS,
    TRACKS,
    UNION,
    Change,
    Pair,
    Scene,
    State,
    apply_changes,
)
from generator_service.proving.cases import solve_questions, view_of
from tests.benchmarks.carv.items import items

COUNT = 1500
Triple = tuple[str, str, str]


def triples(pair: Pair) -> set[Triple]:
    return {
        (name, getattr(pair.before, name), getattr(pair.after, name))
        for name in PROPERTIES
        if getattr(pair.before, name) != getattr(pair.after, name)
    }


def wanted(scene: Scene) -> set[Triple]:
    first, *rest = map(triples, scene.pairs)
    if not rest:
        return first
    return {UNION: first | rest[0], INTERSECTION: first & rest[0], DIFFERENCE: first - rest[0]}[scene.operation]


def moved(state: State, changes: set[Triple]) -> State:
    for name, old, _ in changes:
        assert getattr(state, name) == old, "the query holds every old value of the target"
    return msgspec.structs.replace(state, **{name: new for name, _, new in changes})


@pytest.mark.parametrize("track", TRACKS)
def test_every_item_meets_every_condition(track: str) -> None:
    rules = TRACKS[track]
    for facets, scene in items(track, COUNT):
        sets = [triples(pair) for pair in scene.pairs]
        target = wanted(scene)
        assert all(len(of) == rules.atomic for of in sets)
        assert len({name for name, _, _ in target}) == len(target), "no property changes twice"
        given = [*(state for pair in scene.pairs for state in (pair.before, pair.after)), scene.query]
        assert moved(scene.query, target) not in given, "no given picture shows the answer"
        assert str(len(target)) == facets["target"]
        assert scene.operation == facets["operation"]
        _check_operation(scene, sets, target)
        _check_sources(scene, sets, shared=rules.shared)


def _check_operation(scene: Scene, sets: list[set[Triple]], target: set[Triple]) -> None:
    if len(sets) == 1:
        assert scene.operation == "apply"
        return
    first, second = sets
    clashing = {a[0] for a in first for b in second if a[0] == b[0] and a != b}
    assert first != second
    assert scene.near_miss == bool(clashing)
    if scene.operation == UNION:
        assert not clashing, "no property in two different triples"
    else:
        assert first & second, "a shared triple"
        assert target
        assert target < first
    if scene.operation == INTERSECTION:
        assert target < second
    outside = (first | second) - target
    holds = all(getattr(scene.query, name) == old for name, old, _ in outside)
    if scene.operation != UNION:
        assert scene.tempting == holds


def _check_sources(scene: Scene, sets: list[set[Triple]], *, shared: bool) -> None:
    sources = [pair.before for pair in scene.pairs]
    if shared:
        assert set(sources) == {scene.query}
        return
    for one, other in combinations([*sources, scene.query], 2):
        assert one != other
    for source, of in zip(sources, sets, strict=True):
        untouched = set(PROPERTIES) - {name for name, _, _ in of}
        assert any(getattr(source, name) != getattr(scene.query, name) for name in untouched)


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_independent_solver_finds_every_key(track: str, setting: str) -> None:
    for _, scene in items(track, 40, setting):
        [keyed] = BENCHMARK.questions(scene)
        found = solve_questions(BENCHMARK, scene)[keyed.question.id]
        assert found == keyed.key.label
        caption = msgspec.json.decode(found)["caption"] if setting == DIAGNOSIS else found
        state = moved(scene.query, wanted(scene))
        assert caption == ", ".join(msgspec.structs.astuple(state))


def test_looks_vary_and_shared_sources_look_alike() -> None:
    shown = [scene for _, scene in items("shared-source", 300)]
    assert all(scene.looks[0] == scene.looks[2] == scene.looks[4] for scene in shown)
    assert len({scene.looks[1] for scene in shown}) > 290
    apart = [scene for _, scene in items("different-source", 300)]
    assert all(len(set(scene.looks)) > 1 for scene in apart)


STATE = State("mug", "one", "table", "red", "on")
OTHER = State("mug", "two", "table", "blue", "on")


def scene(operation: str, pairs: tuple[Pair, ...], query: State = STATE) -> Scene:
    [(_, made)] = items("shared-source", 1)
    return msgspec.structs.replace(made, operation=operation, pairs=pairs, query=query)


def view(of: Scene) -> View:
    [(_, made)] = items("shared-source", 1)
    [asked] = BENCHMARK.questions(msgspec.structs.replace(made, operation=of.operation))
    return view_of(BENCHMARK, of, asked.question)


def test_the_solver_refuses_what_has_no_answer() -> None:
    third = msgspec.structs.replace(STATE, object_color="wood")
    with pytest.raises(Unsolvable, match="object_color is to change twice"):
        BENCHMARK.solve(view(scene(UNION, (Pair(STATE, OTHER), Pair(STATE, third)))))
    with pytest.raises(Unsolvable, match="subject_number is to change from one, and the query has two"):
        BENCHMARK.solve(view(scene(UNION, (Pair(STATE, OTHER), Pair(STATE, OTHER)), OTHER)))


def test_changes_are_made_only_where_they_fit() -> None:
    change = Change("subject_number", "one", "two")
    assert apply_changes(STATE, frozenset({change})).subject_number == "two"
    with pytest.raises(ValueError, match="does not fit"):
        apply_changes(OTHER, frozenset({change}))
    with pytest.raises(ValueError, match="twice"):
        apply_changes(STATE, frozenset({change, Change("subject_number", "two", "one")}))

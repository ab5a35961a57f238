"""Tell the proof about CARV: solvers that see no pairs or no picture at all, and two leaky twins."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any

import msgspec

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.plans import BOTH, DIFFER, FIRST, SECOND
from generator_service.benchmarks.carv.question import values_of
from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIAGNOSIS,
    INTERSECTION,
    PROPERTIES,
    SETTINGS,
    SYMBOLIC,
    TRACKS,
    UNION,
    VALUES,
    Pair,
    Scene,
    State,
    answer,
    changes,
    shown_states,
    target,
)
from generator_service.benchmarks.carv.strata import matching
from generator_service.benchmarks.carv.wording import CONCEPTS
from generator_service.mounting import Mounted
from generator_service.proving.answerers import SECRET, WORDS, Model, Reply, blind, write_caption
from generator_service.proving.blind_solvers import Guesser, Solver, by_rule
from generator_service.proving.bounds import EQUAL, Bound
from generator_service.proving.cases import Case, Variant, view_of
from generator_service.proving.declared import Asked, guessing, partial_sight, surely
from generator_service.proving.knowledge import Knowledge, Leak
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets
from tetrad.extraction.captions.text import caption_text
from tetrad.solvers.carv import copy_first, copy_query, copy_second, everything

Values = dict[str, str]
"""A state's values by property."""
Moves = dict[str, tuple[str, str]]
IN_PICTURES = tuple(setting for setting in SETTINGS if setting != SYMBOLIC)
COPIES = {"copy-query": copy_query, "copy-first": copy_first, "copy-second": copy_second}


def _states(scene: Scene) -> list[Values]:
    return [values_of(state) for state in shown_states(scene)]


def _solve_item(case: Case, identity: DrawIdentity) -> str:
    """Write the state that the independent solver finds. In a diagnosis, add the stages that its states show."""
    asked = case.keyed.question
    found = str(BENCHMARK.solve(view_of(BENCHMARK, case.scene, asked)))
    caption = msgspec.json.decode(found)["caption"] if identity.setting == DIAGNOSIS else found
    state = dict(zip(PROPERTIES, caption.split(", "), strict=True))
    return write_caption(state) if identity.setting != DIAGNOSIS else _write_diagnosis(case.scene, state)


def _write_diagnosis(scene: Scene, state: Values) -> str:
    *shown, _ = _states(scene)
    pairs = list(zip(shown[::2], shown[1::2], strict=True))
    moves = [_moves(before, after) for before, after in pairs]
    stages = {
        "captions": [[caption_text(before), caption_text(after)] for before, after in pairs],
        **{f"T{number}": _lines(pair.items()) for number, pair in enumerate(moves, 1)},
        "target": _lines(_select_target(scene.operation, moves[0], moves[-1])),
        "caption": caption_text(state),
    }
    return msgspec.json.encode(stages).decode()


def _moves(before: Values, after: Values) -> Moves:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def _select_target(operation: str, first: Moves, second: Moves) -> list[tuple[str, tuple[str, str]]]:
    if operation in {APPLY, UNION}:
        return list((first | second).items())
    both = operation == INTERSECTION
    return [(name, move) for name, move in first.items() if (second.get(name) == move) is both]


def _lines(moves: Iterable[tuple[str, tuple[str, str]]]) -> list[str]:
    return [f"{CONCEPTS[name]} changes from {old} to {new}" for name, (old, new) in moves]


def _by(choose: Callable[[Sequence[Values], str], Values]) -> Reply:
    return lambda case, _: write_caption(choose(_states(case.scene), case.keyed.question.text))


def _overdone(asked: Asked) -> Bound:
    """Return the share of items in which making all changes is right.

    It is right in unions. Otherwise it is right if the query already holds the new values of all surplus changes. That
    is impossible if the query holds the old value of each change.
    """
    facets, track = asked.facets, TRACKS[asked.identity.track]
    if facets["operation"] in {APPLY, UNION}:
        return Bound(relation=EQUAL, chance=1)
    if track.shared or facets["tempting"] == "yes":
        return Bound(relation=EQUAL, chance=0)
    scene: Scene = asked.item().scene
    made = {change.property: change.new for pair in scene.pairs for change in changes(pair)}
    return Bound(relation=EQUAL, chance=float(msgspec.structs.replace(scene.query, **made) == answer(scene)))


View = tuple[str, State]
"""The operation and the query."""
Names = tuple[str, ...]
_WANTED = {
    "apply": (FIRST,),
    "union": (BOTH, FIRST, SECOND),
    "intersection": (BOTH,),
    "difference": (FIRST, DIFFER),
}


def _view(case: Case) -> View:
    return case.scene.operation, case.scene.query


def _change_each(query: State, names: Names) -> str:
    """Change each of these properties to another value. No other value is likelier than the rest."""
    values = {name: next(value for value in VALUES[name] if value != getattr(query, name)) for name in names}
    return ", ".join(msgspec.structs.astuple(msgspec.structs.replace(query, **values)))


@cache
def _likeliest(track: str, operation: str) -> Names:
    """Return the properties that are most often in the target and have the fewest values to guess among."""
    shares: dict[Names, float] = defaultdict(float)
    for cell in BENCHMARK.strata(track, "direct", {}):
        of = cell.facets
        if of["operation"] != operation:
            continue
        plans = matching(track, (operation, of["target"], of["near_miss"], of["tempting"], of["first"]))
        for plan in plans:
            roles = zip(PROPERTIES, plan.roles, strict=True)
            shares[tuple(name for name, role in roles if role in _WANTED[operation])] += cell.weight / len(plans)
    return max(shares, key=lambda names: shares[names] * _luck(names))


def _luck(names: Names) -> float:
    return 1 / prod(len(VALUES[name]) - 1 for name in names)


def _bayes(track: str) -> Solver:
    """Return the solver that knows the generator's rules and counts cases."""
    learn = by_rule(lambda view: _change_each(view[1], _likeliest(track, view[0])))
    return Solver(name="Bayes over plans", sees="pair-blind", exact=True, look=_view, learn=learn, free=True)


def _learn_changes(views: Sequence[View], labels: Sequence[str]) -> Guesser:
    """Learn which properties differ between query and answer, and guess those that pay best."""
    counts: dict[str, Counter[Names]] = defaultdict(Counter)
    for (operation, query), label in zip(views, labels, strict=True):
        values = label.split(", ")
        changed = tuple(name for name, value in zip(PROPERTIES, values, strict=True) if getattr(query, name) != value)
        counts[operation][changed] += 1
    best = {view: max(found, key=lambda names: found[names] * _luck(names)) for view, found in counts.items()}
    return lambda views: [_change_each(query, best[operation]) for operation, query in views]


def _learn_usual(views: Sequence[str], labels: Sequence[str]) -> Guesser:
    """Learn the answer that comes most often for each operation."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for operation, label in zip(views, labels, strict=True):
        counts[operation][label] += 1
    usual = {operation: found.most_common(1)[0][0] for operation, found in counts.items()}
    return lambda views: [usual[operation] for operation in views]


_CHANGES = Solver(name="usual changes", sees="pair-blind", exact=False, look=_view, learn=_learn_changes, free=True)
_USUAL = Solver(
    name="usual answer",
    sees="text-only",
    exact=False,
    look=lambda case: case.scene.operation,
    learn=_learn_usual,
    free=True,
)


def _solvers(variant: Variant) -> Sequence[Solver]:
    return [_bayes(variant.track), _CHANGES, _USUAL]


def _leaky(
    change: Callable[[Callable[[Facets, Streams], Scene], Facets, Streams], Scene],
) -> Callable[[Mounted], Mounted]:
    """Return a wrapper under which `change` draws the scenes; it is handed the honest draw."""

    def wrap(mounted: Mounted) -> Mounted:
        honest = mounted.benchmark.sample

        def sample(  # noqa: PLR0917 - as `Benchmark.sample`
            bank: Any, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
        ) -> Scene:
            def draw(facets: Facets, streams: Streams) -> Scene:
                made: Scene = honest(bank, track, setting, parameters, facets, streams)
                return made

            return change(draw, facets, streams)

        return replace(mounted, benchmark=replace(mounted.benchmark, sample=sample))

    return wrap


def _likely_targets(draw: Callable[[Facets, Streams], Scene], facets: Facets, streams: Streams) -> Scene:
    """Draw again, up to eight times and from other strata, until the target is what Bayes guesses."""
    scene = draw(facets, streams)
    wanted = set(_likeliest(scene.track, scene.operation))
    cells = [cell.facets for cell in BENCHMARK.strata(scene.track, scene.setting, {})]
    others = [cell for cell in cells if cell["operation"] == scene.operation and wanted & set(cell["first"].split())]
    for turn in range(8):
        if {change.property for change in target(scene)} == wanted:
            return scene
        stream = streams("leak", turn)
        scene = draw(stream.choice(others), lambda purpose, *also, turn=turn: streams(purpose, turn, *also))  # type: ignore[arg-type]
    return scene


def _one_answer(draw: Callable[[Facets, Streams], Scene], facets: Facets, streams: Streams) -> Scene:
    """Turn every property's values about, in half of the items, until the answer is the first of each."""
    scene = draw(facets, streams)
    if streams("leak").below(2):
        return scene
    last = answer(scene)
    turns = {name: VALUES[name].index(getattr(last, name)) for name in PROPERTIES}

    def turn_values(state: State) -> State:
        return State(
            *[
                VALUES[name][(VALUES[name].index(getattr(state, name)) - turns[name]) % len(VALUES[name])]
                for name in PROPERTIES
            ]
        )

    pairs = tuple(Pair(turn_values(pair.before), turn_values(pair.after)) for pair in scene.pairs)
    return msgspec.structs.replace(scene, pairs=pairs, query=turn_values(scene.query))


LEAKS = (
    Leak(
        name="likely targets",
        help="targets are drawn again until they are what is guessed best",
        wrap=_leaky(_likely_targets),
        caught_by=(("Bayes over plans", "pair-blind"), ("usual changes", "pair-blind")),
        parameters={},
        rules={},
    ),
    Leak(
        name="one answer",
        help="in half of the items the answer is the same state",
        wrap=_leaky(_one_answer),
        caught_by=(("usual answer", "text-only"), ("order and place", "order")),
        parameters={},
        rules={},
    ),
)

MODELS = (
    Model(name="independent solver", sees=SECRET, reply=_solve_item, declared=surely(1), flawless=True),
    Model(name="state-symbolic", sees=WORDS, solver="state-symbolic", declared=surely(1), settings=(SYMBOLIC,)),
    Model(name="random", sees=WORDS, solver="random", declared=guessing),
    Model(name="constant", sees=WORDS, solver="constant", declared=guessing),
    *(
        Model(name=name, sees=SECRET, reply=_by(choose), declared=surely(0), settings=IN_PICTURES)
        for name, choose in COPIES.items()
    ),
    *(
        Model(name=name, sees=WORDS, solver=f"state-{name}", declared=surely(0), settings=(SYMBOLIC,))
        for name in COPIES
    ),
    Model(
        name="everything",
        sees=SECRET,
        reply=_by(everything),
        declared=_overdone,
        by="operation",
        settings=IN_PICTURES,
    ),
    Model(
        name="everything",
        sees=WORDS,
        solver="state-everything",
        declared=_overdone,
        by="operation",
        settings=(SYMBOLIC,),
    ),
    Model(
        name="pair-blind",
        sees=SECRET,
        reply=blind(BENCHMARK, _solvers, "pair-blind"),
        declared=partial_sight("pair-blind"),
        by="operation",
        settings=IN_PICTURES,
    ),
)

KNOWLEDGE = Knowledge(solvers=_solvers, leaks=LEAKS, models=MODELS)

"""Who answers CARV: solvers on rebuilt states, those that copy or do too much, and those that guess."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from generator_service.benchmarks.carv.question import values_of
from generator_service.benchmarks.carv.solver import solved
from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIAGNOSIS,
    INTERSECTION,
    SETTINGS,
    SYMBOLIC,
    TRACKS,
    UNION,
    Scene,
    answer,
    changes,
    shown_states,
)
from generator_service.benchmarks.carv.wording import CONCEPTS
from tests.proof.cases import Case
from tests.shown.declared import Asked, guessing, partial_sight, surely
from tests.shown.holding import EQUAL, Bound
from tests.shown.models import SECRET, WORDS, Model, Reply
from tests.shown.rebuilding import blind, captioned
from tetrad.contracts.items import DrawIdentity
from tetrad.extraction.captions.text import caption_text
from tetrad.solvers.carv import copy_first, copy_query, copy_second, everything

State = dict[str, str]
Moves = dict[str, tuple[str, str]]
IN_PICTURES = tuple(setting for setting in SETTINGS if setting != SYMBOLIC)
COPIES = {"copy-query": copy_query, "copy-first": copy_first, "copy-second": copy_second}


def _states(scene: Scene) -> list[State]:
    return [values_of(state) for state in shown_states(scene)]


def _solved(case: Case, identity: DrawIdentity) -> str:
    """Write the state that the independent solver finds; in a diagnosis with its stages, read off the states."""
    state = values_of(solved(case.scene))
    return captioned(state) if identity.setting != DIAGNOSIS else _diagnosed(case.scene, state)


def _diagnosed(scene: Scene, state: State) -> str:
    *shown, _ = _states(scene)
    pairs = list(zip(shown[::2], shown[1::2], strict=True))
    moves = [_moves(before, after) for before, after in pairs]
    stages = {
        "captions": [[caption_text(before), caption_text(after)] for before, after in pairs],
        **{f"T{number}": _lines(of.items()) for number, of in enumerate(moves, 1)},
        "target": _lines(_wanted(scene.operation, moves[0], moves[-1])),
        "caption": caption_text(state),
    }
    return msgspec.json.encode(stages).decode()


def _moves(before: State, after: State) -> Moves:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def _wanted(operation: str, first: Moves, second: Moves) -> list[tuple[str, tuple[str, str]]]:
    if operation in {APPLY, UNION}:
        return list((first | second).items())
    both = operation == INTERSECTION
    return [(name, move) for name, move in first.items() if (second.get(name) == move) is both]


def _lines(moves: Iterable[tuple[str, tuple[str, str]]]) -> list[str]:
    return [f"{CONCEPTS[name]} changes from {old} to {new}" for name, (old, new) in moves]


def _by(choose: Callable[[Sequence[State], str], State]) -> Reply:
    return lambda case, _: captioned(choose(_states(case.scene), case.keyed.question.text))


def _overdone(asked: Asked) -> Bound:
    """Making all changes is right in unions, and else where the query stands as the others' leave it anyway.

    That can't be where it holds the old value of each.
    """
    facets, track = asked.facets, TRACKS[asked.identity.track]
    if facets["operation"] in {APPLY, UNION}:
        return Bound(relation=EQUAL, chance=1)
    if track.shared or facets["tempting"] == "yes":
        return Bound(relation=EQUAL, chance=0)
    scene: Scene = asked.item().scene
    made = {change.property: change.new for pair in scene.pairs for change in changes(pair)}
    return Bound(relation=EQUAL, chance=float(msgspec.structs.replace(scene.query, **made) == answer(scene)))


MODELS = (
    Model(name="independent solver", sees=SECRET, reply=_solved, declared=surely(1), flawless=True),
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
        reply=blind("carv", "pair-blind"),
        declared=partial_sight("pair-blind"),
        by="operation",
        settings=IN_PICTURES,
    ),
)

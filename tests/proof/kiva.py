"""What the proof knows of KiVA: states, the rules of its distractors, and five ways to spoil it."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import solver
from generator_service.benchmarks.kiva.arrangements import arrangements_of, value_weights
from generator_service.benchmarks.kiva.layout import GAP, SIDE
from generator_service.benchmarks.kiva.pictures import content
from generator_service.benchmarks.kiva.spec import Scene, State, state_text
from generator_service.registry import Mounted
from tests.proof.cases import Case, Variant
from tests.proof.kiva_leaks import LEAKS
from tests.proof.knowledge import Knowledge, Seeing
from tests.proof.solvers import Offer, Solver, by_rule


def _states(case: Case) -> Sequence[State]:
    scene: Scene = case.scene
    return scene.extrapolation[0]


@cache
def _posterior(domain: str, distractors: str) -> dict[Hashable, Counter[State]]:
    """Weigh every state by how often it is right, given the set of states, and given also where they start."""
    found: dict[Hashable, Counter[State]] = defaultdict(Counter)
    for value, weight in value_weights(domain, distractors).items():
        listed = arrangements_of(domain, distractors, value)
        for one in listed:
            shown = frozenset((one.start, one.right, one.wrong))
            for key in ((shown, None), (shown, one.start)):
                found[key][one.right] += 5040 * weight // len(listed)
    return dict(found)


def _best(domain: str, distractors: str, offer: Offer) -> str:
    weights = _posterior(domain, distractors).get(offer.key, Counter())
    return max(zip(offer.labels, offer.tokens, strict=True), key=lambda one: weights[one[1]])[0]  # type: ignore[index]


def _bayes(variant: Variant, *, sees: str) -> Solver:
    """Return the solver that knows the generator's rules by heart and counts."""
    distractors = str(variant.parameters.get("distractors", "balanced"))

    def look(case: Case) -> tuple[str, Offer]:
        start = case.scene.test_before if sees == "pair-blind" else None
        return case.scene.domain, Offer(tuple("ABC"), tuple(_states(case)), start)

    learn = by_rule(lambda view: _best(view[0], distractors, view[1]))
    return Solver(name="Bayes over arrangements", sees=sees, exact=True, look=look, learn=learn)


def _majority(states: Sequence[State]) -> str:
    """Choose the option whose attributes most others share; among equals the one nearest the middle."""
    parts = [msgspec.structs.astuple(state) for state in states]
    modes = [Counter(column) for column in zip(*parts, strict=True)]
    shared = [sum(modes[at][value] for at, value in enumerate(part)) for part in parts]
    numbers = [[value for value in part if isinstance(value, int)] for part in parts]
    middle = [sorted(column)[len(column) // 2] for column in zip(*numbers, strict=True)]
    off = [sum(abs(a - b) for a, b in zip(row, middle, strict=True)) for row in numbers]
    return "ABC"[max(range(3), key=lambda at: (shared[at], -off[at]))]


_MAJORITY = Solver(name="attribute majority", sees="options-only", exact=False, look=_states, learn=by_rule(_majority))


def _solvers(variant: Variant) -> Sequence[Solver]:
    return [_bayes(variant, sees="options-only"), _bayes(variant, sees="pair-blind"), _MAJORITY]


def _beside(scene: Scene) -> Hashable:
    """Say what the pairs show beside each option: how the test object stands at first."""
    return state_text(scene.test_before)


def _right_panel(pixels: PictureArray) -> PictureArray:
    return pixels[:, SIDE + GAP :]


def _holds(scene: Scene, name: str) -> Hashable:
    return scene.domain, scene.background, content(scene, name)


def _few(mounted: Mounted) -> Mounted:
    """Keep one object of each kind and domain: what is right never depends on the object."""
    eligible = {domain: tuple(ids[:1] for ids in kinds) for domain, kinds in mounted.bank.eligible.items()}
    bank: Any = replace(mounted.bank, eligible=eligible)
    return replace(mounted, bank=bank)


KNOWLEDGE = Knowledge(
    beside=_beside,
    cut=_right_panel,
    holds=_holds,
    few=_few,
    solvers=_solvers,
    leaks=LEAKS,
    independent=solver.solve,
    seeing=Seeing(solver="pixel-solver", where={"stage": ("extrapolation",)}, least=0.97),
)

"""What the proof knows of KiVA: states, the rules of its distractors, and five ways to spoil it."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import Any

import msgspec

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva import solver
from generator_service.benchmarks.kiva.arrangements import arrangements_of, combined, value_weights
from generator_service.benchmarks.kiva.asking import LETTERS
from generator_service.benchmarks.kiva.changing import merged
from generator_service.benchmarks.kiva.layout import GAP, SIDE
from generator_service.benchmarks.kiva.members import pictured
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.pictures import content
from generator_service.benchmarks.kiva.spec import COMPOSITIONALITY, NONE_SHOWN, Scene, State, domains_of, state_text
from generator_service.registry import Mounted
from tests.proof.cases import Case, Variant
from tests.proof.kiva_leaks import LEAKS
from tests.proof.knowledge import Knowledge, Seeing
from tests.proof.solvers import Offer, Solver, by_rule, option_table


def _states(case: Case) -> Sequence[State]:
    scene: Scene = case.scene
    return scene.extrapolation[0]


def _arrangements(track: str, domain: str, distractors: str) -> Iterator[tuple[tuple[Arrangement, ...], Fraction]]:
    """Yield what a trial of the domain may be, with its share."""
    if track == COMPOSITIONALITY:
        parts = [combined(one, domains_of(domain)) for one in domains_of(domain)]
        yield from ((found, Fraction(1)) for found in product(*parts))
        return
    for value, weight in value_weights(track, domain, distractors).items():
        listed = arrangements_of(track, domain, distractors, value)
        yield from (((one,), Fraction(weight, len(listed))) for one in listed)


@cache
def _posterior(track: str, domain: str, distractors: str) -> dict[Hashable, Counter[State]]:
    """Weigh every state by how often it is right, given the set of states, and given also where they start."""
    weighed: dict[Hashable, dict[State, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for found, share in _arrangements(track, domain, distractors):
        shown, start = pictured(found), merged(tuple(one.start for one in found))
        for key in ((frozenset(shown), None), (frozenset(shown), start)):
            weighed[key][shown[0]] += share
    unit = lcm(*(share.denominator for states in weighed.values() for share in states.values()))
    return {key: Counter({one: int(share * unit) for one, share in states.items()}) for key, states in weighed.items()}


def _after_the_row(scene: Scene) -> Offer:
    """Leave of the options those that some reading of a sentence's first row leads to, or the one for none."""
    [row] = scene.rows
    led = {solver.applied(scene.test_before, reading) for reading in solver.readings_of(row.before, row.after)}
    states = scene.extrapolation[0]
    left = [at for at, state in enumerate(states) if state in led]
    if not left:
        return Offer((LETTERS[len(states)],), (NONE_SHOWN,))
    return Offer(tuple(LETTERS[at] for at in left), tuple(states[at] for at in left))


def _best(view: tuple[str, str, Offer], distractors: str) -> str:
    track, domain, offer = view
    weights = _posterior(track, domain, distractors).get(offer.key, Counter())
    return max(zip(offer.labels, offer.tokens, strict=True), key=lambda one: weights[one[1]])[0]  # type: ignore[index]


def _bayes(variant: Variant, *, sees: str) -> Solver:
    """Return the solver that knows the generator's rules by heart and counts."""
    distractors = str(variant.parameters.get("distractors", "balanced"))

    def look(case: Case) -> tuple[str, str, Offer]:
        scene: Scene = case.scene
        if scene.rows and sees == "pair-blind":
            return scene.track, scene.domain, _after_the_row(scene)
        start = scene.test_before if sees == "pair-blind" else None
        states = _states(case)
        return scene.track, scene.domain, Offer(tuple(LETTERS[: len(states)]), tuple(states), start)

    learn = by_rule(lambda view: _best(view, distractors))
    return Solver(name="Bayes over arrangements", sees=sees, exact=True, look=look, learn=learn)


def _majority(states: Sequence[State]) -> str:
    """Choose the option whose attributes most others share; among equals the one nearest the middle."""
    parts = [msgspec.structs.astuple(state) for state in states]
    modes = [Counter(column) for column in zip(*parts, strict=True)]
    shared = [sum(modes[at][value] for at, value in enumerate(part)) for part in parts]
    numbers = [[value for value in part if isinstance(value, int)] for part in parts]
    middle = [sorted(column)[len(column) // 2] for column in zip(*numbers, strict=True)]
    off = [sum(abs(a - b) for a, b in zip(row, middle, strict=True)) for row in numbers]
    return LETTERS[max(range(len(states)), key=lambda at: (shared[at], -off[at]))]


_MAJORITY = Solver(name="attribute majority", sees="options-only", exact=False, look=_states, learn=by_rule(_majority))


def _told(case: Case) -> Offer:
    """Return of each option whether it answers a solved example."""
    told = {
        option.text
        for example in case.keyed.question.examples
        for option in example.options
        if option.label == example.answer
    }
    return Offer(case.labels, tuple(text in told for text in case.texts()))


# Only where there are examples. Of "what" nobody who reads words does better; of "how" the option texts tell as much.
_READER = option_table(_told, name="answers of the examples", sees="text-only")


def _solvers(variant: Variant) -> Sequence[Solver]:
    readers = [_READER] if variant.parameters.get("in_context") else []
    return [_bayes(variant, sees="options-only"), _bayes(variant, sees="pair-blind"), _MAJORITY, *readers]


def _beside(scene: Scene) -> Hashable:
    """Say what the pairs show beside each option: how the test object stands at first."""
    return state_text(scene.test_before)


def _right_panel(pixels: PictureArray) -> PictureArray:
    return pixels[:, SIDE + GAP :]


def _holds(scene: Scene, name: str) -> Hashable:
    return scene.track, scene.domain, scene.background, content(scene, name)


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
    seeing=Seeing(solver="pixel-solver", where={"stage": ("extrapolation",)}, least=0.97),
)

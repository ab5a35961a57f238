"""Tell the proof about KiVA: its states, the rules of its distractors, and seven leaky twins."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm
from typing import Any

import msgspec
import numpy as np

from generator_service.benchmark import PictureArray, Streams
from generator_service.benchmarks.kiva import BENCHMARK, solver
from generator_service.benchmarks.kiva.arrangements import arrangements_of, list_combined, value_weights
from generator_service.benchmarks.kiva.asking import LETTERS
from generator_service.benchmarks.kiva.changing import combine_states
from generator_service.benchmarks.kiva.layout import GAP, SIDE
from generator_service.benchmarks.kiva.members import list_which_states
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.pictures import content
from generator_service.benchmarks.kiva.question import CHANGED, label_of
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    COMPOSITIONALITY,
    EIGHT,
    EXTRAPOLATION_ONLY,
    FOUR,
    FULL,
    KIVA,
    NONE_SHOWN,
    Scene,
    State,
    domains_of,
    state_text,
)
from generator_service.mounting import Mounted
from generator_service.proving.answerers import PICTURES, SECRET, WORDS, Model, blind
from generator_service.proving.blind_solvers import Offer, Solver, by_rule, option_table
from generator_service.proving.bounds import ABOVE, AT_MOST, EQUAL, Bound
from generator_service.proving.cases import Case, Variant
from generator_service.proving.declared import Asked, Declared, ceiling_of, guessing, partial_sight, uniform_of
from generator_service.proving.knowledge import Knowledge, Leak, Seeing, with_scenes
from tetrad.contracts.wire import ParameterValue

SOLVED = {KIVA: 0.97, ADULTS: 0.97, COMPOSITIONALITY: 0.95}  # the aim of benchmarks/kiva.md


def _bound_of_solving(asked: Asked) -> Bound:
    return Bound(relation=ABOVE, chance=SOLVED[asked.identity.track])


_WORN_OUT = {"red": "blue", "green": "blue", "blue": "green", "+90": "180", "-90": "180", "180": "-90"}


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """Put the right option first in half of the trials, in every question."""
    if streams("leak").below(2):
        return scene
    right = scene.right_state
    places = (right, *(state for state in scene.extrapolation[0] if state != right))
    words = (scene.values, *(word for word in scene.specification[0] if word != scene.values))
    return msgspec.structs.replace(scene, extrapolation=(places,), specification=(words,))


def _made_from_the_answer(scene: Scene, _: Streams) -> Scene:
    """Make each wrong option from the right one by changing one attribute, as RAVEN does."""
    right = scene.right_state
    wrong = [
        msgspec.structs.replace(right, count=right.count + 1),
        msgspec.structs.replace(right, mirror="y" if right.mirror != "y" else "x"),
    ]
    order = [
        scene.extrapolation[0].index(right),
        *(at for at, state in enumerate(scene.extrapolation[0]) if state != right),
    ]
    held = dict(zip(order, [right, *wrong], strict=True))
    return msgspec.structs.replace(scene, extrapolation=(tuple(held[at] for at in range(3)),))


def _worn_out_words(scene: Scene, _: Streams) -> Scene:
    """Let the wrong word follow from the right one."""
    wrong = _WORN_OUT.get(scene.values[0])
    if wrong is None:
        return scene
    words = tuple(word if word == scene.values else (wrong,) for word in scene.specification[0])
    return msgspec.structs.replace(scene, specification=(words,))


def _keep_scene(scene: Scene, _: Streams) -> Scene:
    return scene


def _mark_right_option(mounted: Mounted) -> Mounted:
    """Wrap the renderer so that the right option's picture has a speck of noise."""
    honest = mounted.benchmark.render

    def render(bank: Any, scene: Scene, name: str) -> PictureArray:
        pixels = honest(bank, scene, name)
        if name == str("ABC".index(label_of(scene, "which", 1)) + 2):
            noise = np.random.default_rng(0).integers(0, 256, (40, 40, 4), np.uint8)
            noise[..., 3] = 255
            pixels[-40:, -40:] = noise
        return pixels

    return replace(mounted, benchmark=replace(mounted.benchmark, render=render))


def _mix_changes(scene: Scene, right_in: Sequence[bool]) -> State:
    """Return the test object's state with the changes right in these domains, and wrong in the others."""
    right, held = scene.test_after, dict[str, Any]()
    for domain, is_right in zip(scene.domains, right_in, strict=True):
        parts = CHANGED[domain]
        values = {tuple(getattr(state, part) for part in parts) for state in scene.extrapolation[0]}
        own = tuple(getattr(right, part) for part in parts)
        [other] = values - {own}
        held |= dict(zip(parts, own if is_right else other, strict=True))
    return msgspec.structs.replace(right, **held)


def _middle_of_neighbours(scene: Scene, streams: Streams) -> Scene:
    """Offer, of three changes, the right picture and the three that are wrong in one change each."""
    count = len(scene.domains)
    if count < 3:  # noqa: PLR2004 - three changes
        return scene
    mixes = [tuple(at != wrong for at in range(count)) for wrong in range(-1, count)]
    places = streams("leak").shuffle([_mix_changes(scene, mix) for mix in mixes])
    return msgspec.structs.replace(scene, extrapolation=(places,))


def _without_one_of_eight(scene: Scene, _: Streams) -> Scene:
    """Show the unchanged object in place of the one that is wrong in all three changes."""
    missing = _mix_changes(scene, [False] * len(scene.domains))
    places = tuple(scene.test_before if state == missing else state for state in scene.extrapolation[0])
    return msgspec.structs.replace(scene, extrapolation=(places,))


BALANCED: dict[str, ParameterValue] = {"distractors": "balanced"}
PUBLISHED: dict[str, ParameterValue] = {"distractors": "published"}


def _of_mixtures(mixtures: str, change: Callable[[Scene, Streams], Scene], *, name: str, told: str) -> Leak:
    """Return a leak of several changes at once, which the pictures of the options alone give away."""
    rules = BALANCED | {"mixtures": mixtures}
    return Leak(
        name=name,
        help=told,
        wrap=with_scenes(change),
        caught_by=(("attribute majority", "options-only"), ("option table", "options-only")),
        parameters=rules,
        rules=rules,
        track=COMPOSITIONALITY,
    )


LEAKS = (
    Leak(
        name="made from the answer",
        help="each wrong option is the right one with one attribute changed, as in RAVEN",
        wrap=with_scenes(_made_from_the_answer),
        caught_by=(("attribute majority", "options-only"), ("option table", "options-only")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="lopsided sets",
        help="options drawn by the published rules under the balanced card's ceilings",
        wrap=with_scenes(_keep_scene, distractors="published"),
        caught_by=(
            ("option table", "options-only"),
            ("option table", "pair-blind"),
            ("Bayes over arrangements", "options-only"),
            ("Bayes over arrangements", "pair-blind"),
            ("probe on pixels", "options-only"),
        ),
        parameters=BALANCED,
        rules=PUBLISHED,
    ),
    Leak(
        name="answer first",
        help="in half of the trials the right option comes first",
        wrap=with_scenes(_answer_first),
        caught_by=(("place", "place"), ("order and place", "order")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="worn-out words",
        help="the wrong word hangs on the right one",
        wrap=with_scenes(_worn_out_words),
        caught_by=(("table of option texts", "text-only"), ("bag of words", "text-only")),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    Leak(
        name="marked picture",
        help="the right option's picture carries a speck of noise",
        wrap=_mark_right_option,
        caught_by=(
            ("probe on pixels", "options-only"),
            ("probe on pixels", "pair-blind"),
            ("sizes of files", "pair-blind"),
        ),
        parameters=BALANCED,
        rules=BALANCED,
    ),
    _of_mixtures(
        FOUR,
        _middle_of_neighbours,
        name="middle of its neighbours",
        told="of three changes the wrong pictures are wrong in one each, so the right one is their middle",
    ),
    _of_mixtures(
        EIGHT,
        _without_one_of_eight,
        name="without one of the eight",
        told="the unchanged object stands in the place of the picture that is wrong in all three changes",
    ),
)


_WHICH = frozenset({"which"})


def _states(case: Case) -> Sequence[State]:
    scene: Scene = case.scene
    return scene.extrapolation[0]


def _arrangements(track: str, domain: str, distractors: str) -> Iterator[tuple[tuple[Arrangement, ...], Fraction]]:
    """Yield the domain's possible trials, each with its share."""
    if track == COMPOSITIONALITY:
        parts = [list_combined(part, domains_of(domain)) for part in domains_of(domain)]
        yield from ((found, Fraction(1)) for found in product(*parts))
        return
    for value, weight in value_weights(track, domain, distractors).items():
        listed = arrangements_of(track, domain, distractors, value)
        yield from (((arrangement,), Fraction(weight, len(listed))) for arrangement in listed)


@cache
def _posterior(track: str, domain: str, distractors: str, mixtures: str) -> dict[Hashable, Counter[State]]:
    """Weigh every state by its chance to be right, given the set of states, and given the start too."""
    weighed: dict[Hashable, dict[State, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for found, share in _arrangements(track, domain, distractors):
        shown, start = (
            list_which_states(found, mixtures),
            combine_states(tuple(arrangement.start for arrangement in found)),
        )
        for key in ((frozenset(shown), None), (frozenset(shown), start)):
            weighed[key][shown[0]] += share
    unit = lcm(*(share.denominator for states in weighed.values() for share in states.values()))
    return {
        key: Counter({state: int(share * unit) for state, share in states.items()}) for key, states in weighed.items()
    }


def _after_the_row(scene: Scene) -> Offer:
    """Keep the options that some reading of a sentence's first row leads to, or the option for none."""
    [row] = scene.rows
    led = {solver.apply_reading(scene.test_before, reading) for reading in solver.readings_of(row.before, row.after)}
    states = scene.extrapolation[0]
    left = [at for at, state in enumerate(states) if state in led]
    if not left:
        return Offer((LETTERS[len(states)],), (NONE_SHOWN,))
    return Offer(tuple(LETTERS[at] for at in left), tuple(states[at] for at in left))


def _best(view: tuple[str, str, Offer], distractors: str, mixtures: str) -> str:
    track, domain, offer = view
    weights = _posterior(track, domain, distractors, mixtures).get(offer.key, Counter())
    return max(zip(offer.labels, offer.tokens, strict=True), key=lambda one: weights[one[1]])[0]  # type: ignore[index]


def _bayes(variant: Variant, *, sees: str) -> Solver:
    """Return the solver that knows the generator's rules and counts cases."""
    distractors = str(variant.parameters.get("distractors", "balanced"))
    mixtures = str(variant.parameters.get("mixtures", FOUR))

    def look(case: Case) -> tuple[str, str, Offer]:
        scene: Scene = case.scene
        if scene.rows and sees == "pair-blind":
            return scene.track, scene.domain, _after_the_row(scene)
        start = scene.test_before if sees == "pair-blind" else None
        states = _states(case)
        return scene.track, scene.domain, Offer(tuple(LETTERS[: len(states)]), tuple(states), start)

    learn = by_rule(lambda view: _best(view, distractors, mixtures))
    return Solver(name="Bayes over arrangements", sees=sees, exact=True, look=look, learn=learn, kinds=_WHICH)


def _majority(states: Sequence[State]) -> str:
    """Choose the option that shares most attributes with the others; among equals the one nearest the middle."""
    parts = [msgspec.structs.astuple(state) for state in states]
    modes = [Counter(column) for column in zip(*parts, strict=True)]
    shared = [sum(modes[at][value] for at, value in enumerate(part)) for part in parts]
    numbers = [[value for value in part if isinstance(value, int | float)] for part in parts]
    middle = [sorted(column)[len(column) // 2] for column in zip(*numbers, strict=True)]
    off = [sum(abs(a - b) for a, b in zip(row, middle, strict=True)) for row in numbers]
    return LETTERS[max(range(len(states)), key=lambda at: (shared[at], -off[at]))]


_MAJORITY = Solver(
    name="attribute majority",
    sees="options-only",
    exact=False,
    look=_states,
    learn=by_rule(_majority),
    kinds=_WHICH,
)


def _match_examples(case: Case) -> Offer:
    """Return, for each option, True if it answers a solved example."""
    told = {
        option.text
        for example in case.keyed.question.examples
        for option in example.options
        if option.label == example.answer
    }
    return Offer(case.labels, tuple(text in told for text in case.texts()))


# Only if there are examples. For "what", no solver of words does better; for "how", the option texts tell as much.
_READERS = [
    replace(option_table(_match_examples, name="answers of the examples", sees=sees), kinds=kinds)
    for sees, kinds in (("text-only", frozenset[str]()), ("pair-blind", frozenset({"what", "how"})))
]


def _solvers(variant: Variant) -> Sequence[Solver]:
    readers = _READERS if variant.parameters.get("in_context") else []
    return [_bayes(variant, sees="options-only"), _bayes(variant, sees="pair-blind"), _MAJORITY, *readers]


def _beside(case: Case) -> Hashable:
    """Return the test object's state before the change, which pairs show beside each option. Words show no object."""
    scene: Scene = case.scene
    return state_text(scene.test_before) if case.keyed.question.kind in _WHICH else None


def _right_panel(pixels: PictureArray) -> PictureArray:
    return pixels[:, SIDE + GAP :]


def _holds(scene: Scene, name: str) -> Hashable:
    return scene.track, scene.domain, scene.background, content(scene, name)


def _few(mounted: Mounted) -> Mounted:
    """Keep one object of each kind and domain. The right answer never depends on the object."""
    eligible = {domain: tuple(ids[:1] for ids in kinds) for domain, kinds in mounted.bank.eligible.items()}
    bank: Any = replace(mounted.bank, eligible=eligible)
    return replace(mounted, bank=bank)


# Numbers of options without a drawn place: "no change" and "doesn't apply" for words, "none" for pictures.
_WAYS_OUT = {"classification": 2, "specification": 2, "extrapolation": 1}
_TOLD = ("told",)  # words told beforehand don't count, because our blind solvers ignore them


def _one_place(asked: Asked) -> Bound | None:
    """Return the chance of any one of the drawn places in trials with a change."""
    uniform = uniform_of(asked)
    if uniform is None or asked.facets["change"] == "no":
        return None
    return Bound(relation=EQUAL, chance=1 / (round(1 / uniform) - _WAYS_OUT[asked.facets["stage"]]))


def _of_pictures(sees: str) -> Declared:
    """Hold a blind solver to its ceiling of the last question alone: it answers the others with their first option."""
    declared = partial_sight(sees, whatever=_TOLD)
    return lambda asked: declared(asked) if asked.facets["stage"] == "extrapolation" else None


def _words_only(asked: Asked) -> Bound | None:
    """Hold a fixed preference over words to its ceiling, reached if all words are right equally often."""
    drawn, ceiling = _one_place(asked), ceiling_of(asked, "text-only", whatever=_TOLD)
    if drawn is None or ceiling is None or ceiling <= drawn.chance:
        return drawn
    return Bound(relation=AT_MOST, chance=ceiling)


MODELS = (
    Model(
        name="pixel-solver",
        sees=PICTURES,
        solver="pixel-solver",
        declared=_bound_of_solving,
        ways=(FULL, EXTRAPOLATION_ONLY),
    ),
    Model(name="random", sees=WORDS, solver="random", declared=guessing),
    Model(name="constant", sees=WORDS, solver="constant", declared=_one_place),
    Model(name="text-only", sees=WORDS, solver="text-only", declared=_words_only),
    *(
        Model(name=sees, sees=SECRET, reply=blind(BENCHMARK, _solvers, sees), declared=_of_pictures(sees))
        for sees in ("options-only", "pair-blind")
    ),
)

KNOWLEDGE = Knowledge(
    beside=_beside,
    cut=_right_panel,
    holds=_holds,
    few=_few,
    solvers=_solvers,
    leaks=LEAKS,
    models=MODELS,
    seeing=Seeing(solver="pixel-solver", where={"stage": ("extrapolation",)}, least=0.97),
)

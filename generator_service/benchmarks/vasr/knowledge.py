"""Tell the proof about VASR: readers of frames that see a part of the input, and six leaky twins.

A reader keeps the options that can be the answer. The answer shares no value with A, one with A' (the new one), and
differs from B in one (the changed role). Places tell nothing: they are alike by construction. Among eight options made
of three single roles, the item or the vehicle is the one that changes in half of the items.

Who sees difficult options alone takes the one that is most like the others.

Probes that are trained on many items are held to the ceilings of what they see.

A section of the proof tells how a second solver, which sees pixels alone, agrees with the key on a sample.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.vasr import BENCHMARK
from generator_service.benchmarks.vasr.bank import VasrBank
from generator_service.benchmarks.vasr.metrics import ALIKE
from generator_service.benchmarks.vasr.solver import Frame, frame_of
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    COMPOSED,
    DIFFICULT,
    FULL,
    GIVEN,
    PARTIAL,
    PLACE,
    ROLES,
    Offered,
    Scene,
    State,
)
from generator_service.drawing.people.arranging import DARK, RED, ROPE, SOIL, SPEED, STEEL, WHITE, WOOD
from generator_service.drawing.people.composing import CLOTHES, COMPLEXIONS, HAIR, LEGS, SHOES, People
from generator_service.drawing.people.places import VARIANTS, place_picture
from generator_service.drawing.people.things import SCENERY, THINGS
from generator_service.drawing.people.vocabulary import BY_NAME, VALUES
from generator_service.drawing.people.wearing import OUTFITS
from generator_service.mounting import Mounted
from generator_service.proving.answerers import SECRET, WORDS, Model, answer_independently, blind, write_label
from generator_service.proving.blind_solvers import Solver, by_rule
from generator_service.proving.bounds import Bound
from generator_service.proving.cases import Case, Variant, cases_of, draw_of
from generator_service.proving.declared import Asked, guessing, partial_sight, surely
from generator_service.proving.knowledge import Knowledge, Leak, with_scenes
from generator_service.proving.probes import Copies, Probe, options_by_heart, probe_on_labels
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.solvers import vasr as pixels
from tetrad.streams import StreamFamily

DRAWN = 100  # items whose options are drawn for solvers of pictures, to learn on and to be held on
OFTEN_CHANGED = ("item", "vehicle")
LEARNED_FROM, MOST_AUDITED, ITEMS_AN_AUDITED_ONE = 250, 120, 40  # items, for the solver of pixels
LEAST_TOLD, MOST_WRONG = 0.7, 0.03  # of the items of each role, and of all that it tells
LEARNED_SEED, AUDITED_SEED = "48", "49"


@dataclass(frozen=True)
class Seen:
    """The view of a reader: frames of the given pictures by name, and of the options by label."""

    given: Mapping[str, Frame]
    options: Mapping[str, Frame]


def look(case: Case, shown: Sequence[str]) -> Seen:
    """Return the frames of the options, and of those of A, A' and B that a reader looks at."""
    scene: Scene = case.scene
    return Seen(
        {what: frame_of(scene.state(what)) for what in shown},
        {label: frame_of(scene.state(label)) for label in scene.labels},
    )


def choose(seen: Seen) -> str:
    """Return the option that an ideal reader takes."""
    fits = [label for label, frame in seen.options.items() if _fits(frame, seen.given)]
    b = seen.given.get("B")
    if b is not None:
        often = [label for label in fits if set(_differing(seen.options[label], b)) & set(OFTEN_CHANGED)]
        fits = often or fits
    return (fits or list(seen.options))[0]


def choose_most_alike(seen: Seen) -> str:
    """Return the option that shares most values with the others.

    Of eight it first keeps those that could be the answer among options as published: three or four of the others share
    nothing with it but one value of one role, and no other option has that value.
    """
    frames = list(seen.options.items())
    kept = [
        pair for pair in frames if _could_be_answer(pair[1], [frame for _, frame in frames if frame is not pair[1]])
    ]
    alike = {label: sum(len(_list_shared(frame, other)) for _, other in frames) for label, frame in kept or frames}
    return max(alike, key=alike.__getitem__)


def _could_be_answer(frame: Frame, others: Sequence[Frame]) -> bool:
    many = len(others) // 2
    for role in frame:
        having = [other for other in others if role in _list_shared(frame, other)]
        if len(having) in {many, len(others) - many} and all(_list_shared(frame, other) == [role] for other in having):
            return True
    return False


def _fits(frame: Frame, given: Mapping[str, Frame]) -> bool:
    a, changed, b = (given.get(name) for name in GIVEN)
    if a is not None and _list_shared(frame, a):
        return False
    if changed is not None and len(_list_shared(frame, changed)) != 1:
        return False
    if a is not None and changed is not None and _list_shared(frame, changed) != _differing(changed, a):
        return False
    return b is None or len(_differing(frame, b)) == 1


def _list_shared(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) == value]


def _differing(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) != value]


def _readers(variant: Variant) -> Sequence[Solver]:
    """Return the readers whose scores the card declares under these parameters.

    They look at a part of whole items, too: what is drawn does not depend on what is shown.
    """
    kind = variant.parameters.get("distractors", BALANCED)
    alike = Solver(
        name="most like the others",
        sees=ALIKE if kind == DIFFICULT else "options-only",
        exact=True,
        look=partial(look, shown=()),
        learn=by_rule(choose_most_alike),
    )
    if kind != BALANCED:
        return (alike,)
    return (
        alike,
        *(
            Solver(name="ideal reader", sees=f"ideal-{setting}", exact=True, look=partial(look, shown=shown),
                   learn=by_rule(choose))
            for setting, shown in PARTIAL.items()
        ),
    )  # fmt: skip


# Probes: learners that are trained on many items, and see the options with a part of what is given.

SIGHTS: Mapping[str, tuple[str, ...]] = {"options-only": (), **{f"ideal-{name}": of for name, of in PARTIAL.items()}}
"""What of A, A' and B is seen, by the sight whose ceiling holds."""
FOUR: dict[str, ParameterValue] = {"distractors": BALANCED, "candidates": "4"}
BY_LABELS, BY_OPTIONS = "probe on labels", "options by heart"


def _probes(mounted: Mounted, variant: Variant) -> list[Probe]:
    """Return probes for the default parameters: items of others have the same options and pictures."""
    if variant.parameters != FOUR:
        return []
    copies = Copies(mounted)
    return [
        *(probe_on_labels(BY_LABELS, sees, partial(_texts, shown=shown)) for sees, shown in SIGHTS.items()),
        *(options_by_heart(BY_OPTIONS, sees, copies, partial(_names, shown=shown)) for sees, shown in SIGHTS.items()),
    ]


def _names(case: Case, shown: Sequence[str]) -> list[str]:
    scene: Scene = case.scene
    return [name for name, (what,) in scene.pictures.items() if what in shown]


def _texts(case: Case, shown: Sequence[str]) -> list[list[str]]:
    """Return what labels tell of each option: its values, pairs of them, and how they go with those that are given."""
    seen = look(case, shown)
    return [_list_features(frame, seen.given) for frame in seen.options.values()]


def _list_features(frame: Frame, given: Mapping[str, Frame]) -> list[str]:
    values = [f"{role}={value}" for role, value in frame.items()]
    found = [*values, *map("&".join, combinations(values, 2)), "&".join(values)]
    for name, other in given.items():
        same = [role for role, value in frame.items() if other.get(role) == value]
        found += [f"{name}: {len(same)} the same", *(f"{name}: same {role}" for role in same)]
        found += [f"{name}: {role}={other.get(role)}, {value}" for role, value in zip(frame, values, strict=True)]
    return found


# Leaky twins. They change the options; A, A' and B stay.


def _right(scene: Scene) -> Offered:
    return next(option for option in scene.options if not option.mistake)


def _offering(scene: Scene, streams: Streams, wrong: Sequence[State]) -> Scene:
    """Offer these wrong states beside the right one, in a new order."""
    options = (_right(scene), *(Offered(state, "unrelated") for state in wrong))
    return replace(scene, options=streams("leak").shuffle(options))


def _plain_square(scene: Scene, streams: Streams) -> Scene:
    """Offer {B's situation, another} x {new, old value}: B itself is among them."""
    _, changed, b = scene.given
    old = b.get(scene.role)
    other = changed.change_role(PLACE, b.get(PLACE))
    return _offering(scene, streams, (b, other, other.change_role(scene.role, old)))


def _near_a(scene: Scene, streams: Streams) -> Scene:
    """Let wrong options be what A and A' show, and something else that shares most with A."""
    a, changed, b = (state.change_role(PLACE, scene.given[2].get(PLACE)) for state in scene.given)
    role = next(name for name in a.roles if name != scene.role)
    return _offering(scene, streams, (a, changed, a.change_role(role, b.get(role))))


def _made_from_the_answer(scene: Scene, streams: Streams) -> Scene:
    """Make each wrong option from the right one by changing one role, as RAVEN does."""
    right, (a, changed, _) = _right(scene).state, scene.given
    roles = [name for name in right.roles if name != scene.role]
    wrong = [
        right.change_role(scene.role, a.get(scene.role)),
        *(right.change_role(role, changed.get(role)) for role in roles),
    ]
    return _offering(scene, streams, wrong[:3])


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """Put the right option first in half of the items."""
    if streams("leak").below(2):
        return scene
    right = _right(scene)
    return replace(scene, options=(right, *(option for option in scene.options if option is not right)))


def _few_items(mounted: Mounted) -> Mounted:
    """Draw each item of a stratum anew from one of three, in another order."""
    honest = mounted.benchmark.sample

    def sample(  # noqa: PLR0917 - as `Benchmark.sample`
        bank: Any, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
    ) -> Scene:
        turn = streams("leak").below(3)
        scene: Scene = honest(
            bank, track, setting, parameters, facets, Streams(StreamFamily("few items", turn, *facets.values()))
        )
        return replace(scene, options=streams("order").shuffle(scene.options))

    return replace(mounted, benchmark=replace(mounted.benchmark, sample=sample))


def _mark_right_option(mounted: Mounted) -> Mounted:
    """Wrap the renderer so that the right option's picture has a speck of noise."""
    honest = mounted.benchmark.render

    def render(bank: Any, scene: Scene, name: str) -> PictureArray:
        pixels = honest(bank, scene, name).copy()
        right = scene.labels[scene.options.index(_right(scene))]
        if scene.pictures[name] == (right,):
            side = pixels.shape[0] // 6
            noise = np.random.default_rng(0).integers(0, 256, (side, side, 4), np.uint8)
            noise[..., 3] = 255
            pixels[-side:, -side:] = noise
        return pixels

    return replace(mounted, benchmark=replace(mounted.benchmark, render=render))


def _leak(name: str, text: str, wrap: Callable[[Mounted], Mounted], *caught_by: tuple[str, str]) -> Leak:
    return Leak(name=name, help=text, wrap=wrap, caught_by=caught_by, parameters=FOUR, rules=FOUR)


LEAKS = (
    _leak(
        "plain square",
        "options are {B's situation, another} x {new, old value}: B shows its situation with the old value",
        with_scenes(_plain_square),
        ("ideal reader", "ideal-only-b"),
        ("ideal reader", "ideal-a-and-b"),
        ("ideal reader", "ideal-a-prime-and-b"),
    ),
    _leak(
        "near A",
        "wrong options are A, A', and what shares most with A",
        with_scenes(_near_a),
        ("ideal reader", "ideal-only-a"),
        ("ideal reader", "ideal-only-a-prime"),
        ("ideal reader", "ideal-a-and-a-prime"),
    ),
    _leak(
        "made from the answer",
        "each wrong option is the right one with one role changed, as in RAVEN",
        with_scenes(_made_from_the_answer),
        ("most like the others", "options-only"),
    ),
    _leak(
        "answer first",
        "in half of the items the right option comes first",
        with_scenes(_answer_first),
        ("place", "place"),
        ("order and place", "order"),
        ("table of option texts", "text-only"),
        ("bag of words", "text-only"),
    ),
    _leak(
        "few items",
        "three items of each stratum come again and again",
        _few_items,
        ("option table", "options-only"),
        ("option table", "pair-blind"),
        *((BY_LABELS, sees) for sees in SIGHTS),
    ),
    _leak(
        "marked picture",
        "the right option's picture carries a speck of noise",
        _mark_right_option,
        ("probe on pixels", "options-only"),
        ("probe on pixels", "pair-blind"),
        ("sizes of files", "pair-blind"),
        *((BY_OPTIONS, sees) for sees in SIGHTS),
    ),
)


def _readers_under(variant: Variant) -> Sequence[Solver]:
    """Return the readers, whichever way the pictures are presented."""
    return _readers(replace(variant, setting=FULL))


def _most_alike(case: Case, _: DrawIdentity) -> str:
    return write_label(case.keyed.question, choose_most_alike(look(case, ())))


def _of_most_alike(asked: Asked) -> Bound | None:
    """Return what the card declares of difficult options; of balanced ones they tell nothing."""
    return partial_sight(ALIKE)(asked) or partial_sight("options-only")(asked)


MODELS = (
    Model(
        name="independent solver",
        sees=SECRET,
        reply=answer_independently(BENCHMARK),
        declared=surely(1),
        by="role",
        settings=(FULL,),
        ways=(FULL,),
    ),
    Model(name="random", sees=WORDS, solver="random", declared=guessing, by="role"),
    Model(name="constant", sees=WORDS, solver="constant", declared=guessing, by="role"),
    *(
        Model(
            name=f"ideal-{setting}",
            sees=SECRET,
            reply=blind(BENCHMARK, _readers_under, f"ideal-{setting}"),
            declared=partial_sight(f"ideal-{setting}"),
            by="sort",
            settings=(setting,),
        )
        for setting in PARTIAL
    ),
    Model(name=ALIKE, sees=SECRET, reply=_most_alike, declared=_of_most_alike, by="sort", settings=(FULL,)),
)


def _most_drawn(variant: Variant) -> int:
    """Draw no difficult options: the card says that they tell the answer by themselves."""
    return 0 if variant.parameters.get("distractors") == DIFFICULT else DRAWN


# The second solver, from pixels.

FRAMES_SEEN: Mapping[str, pixels.Frame] = {
    "thing": pixels.Frame(("item",), animals=True),
    "travel": pixels.Frame(("vehicle",), animals=True),
    "treatment": pixels.Frame(("tool", "victim"), animals=False),
}


class KeyDisputedError(RuntimeError):
    """A solver that sees pixels alone disagrees with the key, or tells too little to audit it."""


class PixelSolver:
    """Answers from pictures alone, after it has learned verbs from the pictures of other items."""

    def __init__(self, people: People) -> None:
        every = ((value.name, number) for value in VALUES["place"] for number in range(VARIANTS))
        self._grounds = pixels.Grounds(np.stack([place_picture(*variant, people.thing) for variant in every]))
        self._templates = templates_of(people)
        self._verbs: pixels.Verbs | None = None

    def learn(self, mounted: Mounted, cases: Sequence[Case]) -> None:
        """Learn from labelled pictures what each verb looks like."""
        examples = [
            pixels.Labelled(
                self._look(mounted, case.scene, name),
                BY_NAME[case.scene.state(what).verb].frame,
                case.scene.state(what).verb,
                bool(case.scene.looks[what]["mirrored"]),
            )
            for case in cases
            for name, (what,) in case.scene.pictures.items()
        ]
        self._verbs = pixels.Verbs(self._templates, FRAMES_SEEN, examples)

    def answer(self, mounted: Mounted, scene: Scene) -> str:
        """Return the label of the option that the pictures of an item call for, "" where they don't tell.

        Raises:
            LookupError: it has learned nothing.
        """
        if self._verbs is None:
            raise LookupError("the solver of pixels has learned nothing: call `learn` first")
        seen = [self._look(mounted, scene, name) for name in scene.pictures]
        number = pixels.solve(pixels.read(seen, self._templates, self._verbs, FRAMES_SEEN))
        return "" if number is None else scene.labels[number]

    def _look(self, mounted: Mounted, scene: Scene, name: str) -> pixels.Seen:
        return pixels.look(mounted.benchmark.render(mounted.bank, scene, name), self._grounds, self._templates)


def templates_of(people: People) -> pixels.Templates:
    """Return what composed pictures show, by its colours: things, scenery, people's colours and marks."""
    worn = {colour for outfit in OUTFITS.values() for colour in outfit.colours.values()}
    return pixels.Templates(
        things={
            role: {value.name: people.thing(THINGS[value.name].code) for value in values if value.name in THINGS}
            for role, values in VALUES.items()
            if role != PLACE
        },
        scenery=[people.thing(code) for code in SCENERY.values()],
        skins=COMPLEXIONS,
        cloths=[*HAIR, *CLOTHES, *LEGS, *SHOES, *sorted(worn)],
        marks=[SPEED, ROPE, WOOD, DARK, WHITE, RED, STEEL, SOIL],
    )


def audit(mounted: Mounted, items: int) -> str:
    """Return a section on how the solver of pixels agrees with the key; "" where items are too few to audit any.

    Raises:
        KeyDisputedError: it disagrees too often, or leaves too much open.
    """
    count = min(items // ITEMS_AN_AUDITED_ONE, MOST_AUDITED)
    if count < len(ROLES) or not isinstance(mounted.bank, VasrBank):
        return ""
    variant = Variant(track=COMPOSED, setting=FULL, parameters=FOUR)
    solver = PixelSolver(mounted.bank.of_people())
    solver.learn(mounted, list(cases_of(mounted, draw_of(mounted, variant, LEARNED_SEED), range(LEARNED_FROM))))
    cases = cases_of(mounted, draw_of(mounted, variant, AUDITED_SEED), range(count))
    return write_judgement(
        (case.scene.role, case.keyed.key.label, solver.answer(mounted, case.scene)) for case in cases
    )


def write_judgement(answers: Iterable[tuple[str, str, str]]) -> str:
    """Return the section of a proof on (role, key, what the solver of pixels says) of each item.

    Raises:
        KeyDisputedError: over MOST_WRONG of what it says is not the key, or it tells under LEAST_TOLD of a role.
    """
    asked, told, right = Counter[str](), Counter[str](), Counter[str]()
    for role, key, answer in answers:
        asked[role] += 1
        told[role] += bool(answer)
        right[role] += answer == key
    rows = [f"| {role} | {asked[role]} | {told[role]} | {right[role]} |" for role in ROLES]
    table = "\n".join(["| role | items | told | as the key |", "| --- | --- | --- | --- |", *rows])
    if told.total() - right.total() > MOST_WRONG * told.total():
        raise KeyDisputedError(f"of what a solver of pixels tells more than {MOST_WRONG:.0%} is not the key:\n{table}")
    if any(told[role] < LEAST_TOLD * asked[role] for role in ROLES):
        raise KeyDisputedError(f"a solver of pixels tells less than {LEAST_TOLD:.0%} of a role's items:\n{table}")
    return (
        "## A second solver, from pixels\n\n"
        "It knows empty places, the colours of each thing and animal, and labelled pictures of other items for the "
        "verbs. It sees neither scene nor frames, shares no code with sampler and renderer, and leaves open what it "
        f"can't tell. Persons are all one to it. No proof is written if more than {MOST_WRONG:.0%} of what it tells is "
        f"not the key, or if it tells less than {LEAST_TOLD:.0%} of a role's items.\n\n{table}\n"
    )


KNOWLEDGE = Knowledge(
    lacks={
        "ideal-only-a": GIVEN[1:],
        "ideal-only-a-prime": (GIVEN[0], GIVEN[2]),
        "ideal-only-b": GIVEN[:2],
        "ideal-a-and-b": (GIVEN[1],),
        "ideal-a-and-a-prime": (GIVEN[2],),
        "ideal-a-prime-and-b": (GIVEN[0],),
        "most-like-the-others": GIVEN,
    },
    solvers=_readers,
    leaks=LEAKS,
    models=MODELS,
    most_drawn=_most_drawn,
    probes=_probes,
    section=audit,
)

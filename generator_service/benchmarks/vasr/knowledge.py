"""Tell the proof about VASR: readers of frames that see a part of the input, and six leaky twins.

A reader keeps the options that can be the answer. The answer shares no value with A, one with A' (the new one), and
differs from B in one (the changed role). Places tell nothing: they are alike by construction. Who sees eight difficult
options, even alone, takes the one that is amid the others as the paper's rule places it.

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
    CROSSED,
    DIFFICULT,
    FULL,
    GIVEN,
    PARTIAL,
    PLACE,
    RANDOM,
    ROLES,
    VERB,
    Offered,
    Scene,
    State,
)
from generator_service.drawing.people.arranging import DARK, RED, ROPE, SOIL, SPEED, STEEL, WHITE, WOOD
from generator_service.drawing.people.composing import CLOTHES, COMPLEXIONS, HAIR, LEGS, SHOES, People
from generator_service.drawing.people.dyes import COATED, COLOURS, HUED, LIGHTS, dye
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
LEARNED_FROM, MOST_AUDITED, ITEMS_AN_AUDITED_ONE = 400, 120, 40  # items, for the solver of pixels
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
    """Return the option that an ideal reader of balanced options takes.

    The right one shares no value with A and one with A', and differs from B in one. Where nothing says which of two
    roles has changed, the value that no other option has tells more.
    """
    fits = [label for label, frame in seen.options.items() if _fits(frame, seen.given)]
    alone = [seen.given[name] for name in GIVEN[1:] if list(seen.given) == [name]]
    offered = Counter(value for frame in seen.options.values() for value in frame.items())

    def rarest(label: str) -> int:
        frame = seen.options[label]
        return min((offered[role, frame[role]] for other in alone for role in _list_shared(frame, other)), default=0)

    return min(fits or list(seen.options), key=rarest)


def choose_most_alike(seen: Seen) -> str:
    """Return the option that shares most values with the others."""
    return max(seen.options, key=partial(_count_alike, seen))


def _count_alike(seen: Seen, label: str) -> int:
    return sum(len(_list_shared(seen.options[label], other)) for other in seen.options.values())


# How often each role changes in a frame that has it: agents change in two frames (and never where there is a victim),
# verbs in three, others in one.
_OFTEN = {"agent": 3, VERB: 2}
_MOST_OFTEN = 6


def choose_crossed(seen: Seen) -> str:
    """Return the option that an ideal reader of four difficult options takes.

    Whichever option is right, another has its value of the changed role and nothing else of it, and the last two have
    the old value, and something of it. Of those that fit, roles that change more often count for more.
    """
    fits = Counter[str]()
    for label, frame in seen.options.items():
        others = [other for name, other in seen.options.items() if name != label]
        for role in frame:
            if role != PLACE and _is_crossed(frame, role, others, seen.given):
                fits[label] += 0 if role == "agent" and "victim" in frame else _OFTEN.get(role, _MOST_OFTEN)
    return max(seen.options, key=lambda label: fits[label])


def _is_crossed(frame: Frame, role: str, others: Sequence[Frame], given: Mapping[str, Frame]) -> bool:
    """Return whether an option can be the right one among others if this role changes."""
    having = [other for other in others if other.get(role) == frame[role]]
    old = {other.get(role) for other in others} - {frame[role]}
    shown = {given[name].get(role) for name in ("A", "B") if name in given}
    return (
        len(having) == 1
        and len(old) == 1
        and _list_shared(frame, having[0]) == [role]
        and shown <= old
        and _fits_role(frame, role, given)
        and _agree_on(role, given)
    )


def choose_published(seen: Seen) -> str:
    """Return the option that an ideal reader of eight difficult options takes, from some of A, A' and B or from none.

    Around the right one, some options share the value of the changed role with it and nothing else, half of the wrong
    ones or one more or less. The others lack this value, and share values of other roles.
    """
    fits = Counter(
        label
        for label, frame in seen.options.items()
        for role in frame
        if role != PLACE and _is_amid(frame, role, [other for name, other in seen.options.items() if name != label])
        if _fits_role(frame, role, seen.given)
    )
    return max(fits or seen.options, key=lambda label: (fits[label], _count_alike(seen, label)))


def _is_amid(frame: Frame, role: str, others: Sequence[Frame]) -> bool:
    """Return whether the others can be the wrong ones if this is right and this role changes."""
    having = [other for other in others if other.get(role) == frame[role]]
    lacking = [other for other in others if other.get(role) != frame[role]]
    many = len(others) // 2
    replaced = (many + 1) // 2  # roles, at most, in which an option that lacks the value is another situation's
    return (
        len(having) in {many, len(others) - many}
        and all(len(_differing(frame, other)) <= 1 + replaced for other in lacking)
        and len({other.get(role) for other in lacking}) <= 2  # noqa: PLR2004 -- the old value, and a third one
        and all(name in {role, PLACE} or _is_of_three(frame[name], having, lacking, name) for name in frame)
    )


def _is_of_three(value: str, having: Sequence[Frame], lacking: Sequence[Frame], name: str) -> bool:
    """Return whether a role has no more than these values: the right option's, A's, and a third one.

    Options that have the new value show the last two, options that lack it the first and the last.
    """
    of_having = {other.get(name) for other in having}
    return value not in of_having and len((of_having | {other.get(name) for other in lacking}) - {value}) <= 2  # noqa: PLR2004


def choose_unrelated(seen: Seen) -> str:
    """Return the option that an ideal reader takes whose wrong ones have nothing to do with what is given."""
    told = [
        (sum(_fits_role(frame, role, seen.given) for role in frame if role != PLACE), label)
        for label, frame in seen.options.items()
    ]
    return max(told)[1]


def _fits_role(frame: Frame, role: str, given: Mapping[str, Frame]) -> bool:
    """Return whether an option can be right if this role is the one that changes."""
    a, changed, b = (given.get(name) for name in GIVEN)
    if any(other is not None and other.keys() != frame.keys() for other in (a, changed, b)):
        return False
    return (
        (a is None or not _list_shared(frame, a))
        and (changed is None or _list_shared(frame, changed) == [role])
        and (b is None or _differing(frame, b) == [role])
    )


def _fits(frame: Frame, given: Mapping[str, Frame]) -> bool:
    return any(_fits_role(frame, role, given) and _agree_on(role, given) for role in frame if role != PLACE)


def _agree_on(role: str, given: Mapping[str, Frame]) -> bool:
    """Return whether A and A' differ in this role, and A and B share it, as far as they are there."""
    a, changed, b = (given.get(name) for name in GIVEN)
    return (a is None or changed is None or _differing(a, changed) == [role]) and (
        a is None or b is None or _list_shared(a, b) == [role]
    )


def _list_shared(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) == value]


def _differing(frame: Frame, other: Frame) -> list[str]:
    return [role for role, value in frame.items() if role != PLACE and other.get(role) != value]


def _readers(variant: Variant) -> Sequence[Solver]:
    """Return the readers whose scores the card declares under these parameters.

    They look at a part of whole items, too: what is drawn does not depend on what is shown.
    """
    kind = str(variant.parameters.get("distractors", BALANCED))
    is_told = kind == DIFFICULT and variant.parameters.get("candidates") == "8"
    alike = Solver(
        name="most like the others",
        sees=ALIKE if is_told else "options-only",
        exact=True,
        look=partial(look, shown=()),
        learn=by_rule(choose_published if is_told else choose_most_alike),
    )
    return (
        alike,
        *(
            Solver(name="ideal reader", sees=f"ideal-{setting}", exact=True, look=partial(look, shown=shown),
                   learn=by_rule(READERS[kind]))
            for setting, shown in PARTIAL.items()
        ),
    )  # fmt: skip


def choose_difficult(seen: Seen) -> str:
    """Return the option that an ideal reader of difficult options takes."""
    return (choose_crossed if len(seen.options) == CROSSED else choose_published)(seen)


READERS: Mapping[str, Callable[[Seen], str]] = {
    BALANCED: choose,
    DIFFICULT: choose_difficult,
    RANDOM: choose_unrelated,
}
"""The ideal reader of a part of the input, by the kind of distractors."""


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
    is_told = case.scene.kind == DIFFICULT and len(case.labels) > CROSSED
    return write_label(case.keyed.question, (choose_published if is_told else choose_most_alike)(look(case, ())))


def _of_most_alike(asked: Asked) -> Bound | None:
    """Return what the card declares of eight difficult options; of others they tell nothing."""
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
    """Draw no eight difficult options: the card says that they tell the answer by themselves."""
    is_told = variant.parameters.get("distractors") == DIFFICULT and variant.parameters.get("candidates") == "8"
    return 0 if is_told else DRAWN


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
        places = np.stack([place_picture(*variant, people.thing) for variant in every])
        self._grounds = pixels.Grounds(places, LIGHTS)
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
            role: {value.name: _drawings_of(people, value.name) for value in values if value.name in THINGS}
            for role, values in VALUES.items()
            if role != PLACE
        },
        scenery=[people.thing(code) for code in SCENERY.values()],
        skins=COMPLEXIONS,
        cloths=[*HAIR, *CLOTHES, *LEGS, *SHOES, *sorted(worn)],
        marks=[SPEED, ROPE, WOOD, DARK, WHITE, RED, STEEL, SOIL],
    )


def _drawings_of(people: People, name: str) -> list[PictureArray]:
    """Return the picture of a thing in every colour, or of an animal in every coat, that it comes in."""
    picture = people.thing(THINGS[name].code)
    comes_in_several = name in HUED or name in COATED
    return [dye(picture, name, colour) for colour in range(COLOURS if comes_in_several else 1)]


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

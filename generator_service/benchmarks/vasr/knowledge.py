"""Tell the proof about VASR: readers of frames that see a part of the input, and six leaky twins.

A reader keeps the options that can be the answer. The answer shares no value with A, one with A' (the new one), and
differs from B in one (the changed role). Places tell nothing: they are alike by construction. Among eight options made
of three single roles, the item or the vehicle is the one that changes in half of the items.

Who sees difficult options alone takes the one that is most like the others.

A section of the report holds solvers that have learned practice by heart to the same ceilings (memory.py).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import binom

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.vasr import BENCHMARK, memory
from generator_service.benchmarks.vasr.metrics import ALIKE, OF_PARTS
from generator_service.benchmarks.vasr.solver import Frame, frame_of
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    COMPOSED,
    DIFFICULT,
    FULL,
    GIVEN,
    PARTIAL,
    PLACE,
    SORTS,
    Offered,
    Scene,
    State,
)
from generator_service.proving.answerers import SECRET, WORDS, Model, blind, independent, written
from generator_service.proving.blind_solvers import Solver, by_rule
from generator_service.proving.bounds import Bound
from generator_service.proving.cases import Case, Variant, cases_of, draw_of
from generator_service.proving.declared import Asked, guessing, partial_sight, surely
from generator_service.proving.knowledge import Knowledge, Leak, with_scenes
from generator_service.registry import Mounted
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.statistics.wilson import wilson_interval
from tetrad.streams import StreamFamily

DRAWN = 100  # items whose options are drawn for solvers of pictures, to learn on and to be held on
OFTEN_CHANGED = ("item", "vehicle")


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
    kept = [one for one in frames if _could_be_answer(one[1], [frame for _, frame in frames if frame is not one[1]])]
    alike = {label: sum(len(_shared(frame, other)) for _, other in frames) for label, frame in kept or frames}
    return max(alike, key=alike.__getitem__)


def _could_be_answer(frame: Frame, others: Sequence[Frame]) -> bool:
    many = len(others) // 2
    for role in frame:
        having = [other for other in others if role in _shared(frame, other)]
        if len(having) in {many, len(others) - many} and all(_shared(frame, other) == [role] for other in having):
            return True
    return False


def _fits(frame: Frame, given: Mapping[str, Frame]) -> bool:
    a, changed, b = (given.get(name) for name in GIVEN)
    if a is not None and _shared(frame, a):
        return False
    if changed is not None and len(_shared(frame, changed)) != 1:
        return False
    if a is not None and changed is not None and _shared(frame, changed) != _differing(changed, a):
        return False
    return b is None or len(_differing(frame, b)) == 1


def _shared(frame: Frame, other: Frame) -> list[str]:
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


# Leaky twins. They change the options; A, A' and B stay.


def _right(scene: Scene) -> Offered:
    return next(one for one in scene.options if not one.mistake)


def _offering(scene: Scene, streams: Streams, wrong: Sequence[State]) -> Scene:
    """Offer these wrong states beside the right one, in a new order."""
    options = (_right(scene), *(Offered(state, "unrelated") for state in wrong))
    return replace(scene, options=streams("leak").shuffled(options))


def _plain_square(scene: Scene, streams: Streams) -> Scene:
    """Offer {B's situation, another} x {new, old value}: B itself is among them."""
    _, changed, b = scene.given
    old = b.get(scene.role)
    other = changed.changed(PLACE, b.get(PLACE))
    return _offering(scene, streams, (b, other, other.changed(scene.role, old)))


def _near_a(scene: Scene, streams: Streams) -> Scene:
    """Let wrong options be what A and A' show, and something else that shares most with A."""
    a, changed, b = (state.changed(PLACE, scene.given[2].get(PLACE)) for state in scene.given)
    role = next(name for name in a.roles if name != scene.role)
    return _offering(scene, streams, (a, changed, a.changed(role, b.get(role))))


def _made_from_the_answer(scene: Scene, streams: Streams) -> Scene:
    """Make each wrong option from the right one by changing one role, as RAVEN does."""
    right, (a, changed, _) = _right(scene).state, scene.given
    roles = [name for name in right.roles if name != scene.role]
    wrong = [right.changed(scene.role, a.get(scene.role)), *(right.changed(one, changed.get(one)) for one in roles)]
    return _offering(scene, streams, wrong[:3])


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """Put the right option first in half of the items."""
    if streams("leak").below(2):
        return scene
    right = _right(scene)
    return replace(scene, options=(right, *(one for one in scene.options if one is not right)))


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
        return replace(scene, options=streams("order").shuffled(scene.options))

    return replace(mounted, benchmark=replace(mounted.benchmark, sample=sample))


def _marked(mounted: Mounted) -> Mounted:
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


FOUR: dict[str, ParameterValue] = {"distractors": BALANCED, "candidates": "4"}


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
    ),
    _leak(
        "marked picture",
        "the right option's picture carries a speck of noise",
        _marked,
        ("probe on pixels", "options-only"),
        ("probe on pixels", "pair-blind"),
        ("sizes of files", "pair-blind"),
    ),
)


def _readers_under(variant: Variant) -> Sequence[Solver]:
    """Return the readers, whichever way the pictures are presented."""
    return _readers(replace(variant, setting=FULL))


def _most_alike(case: Case, _: DrawIdentity) -> str:
    return written(case.keyed.question, choose_most_alike(look(case, ())))


def _of_most_alike(asked: Asked) -> Bound | None:
    """Return what the card declares of difficult options; of balanced ones they tell nothing."""
    return partial_sight(ALIKE)(asked) or partial_sight("options-only")(asked)


MODELS = (
    Model(
        name="independent solver",
        sees=SECRET,
        reply=independent(BENCHMARK),
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


# By heart: what 100,000 practice items tell as labels, and 5,000 as pixels.

OF_ITEMS, PIXELS_OF_ITEMS, HELD, PIXELS_HELD = 2.5, 0.125, 4_000, 400
"""For each item of a proof: practice items that are learned as labels and as pixels. And how many are then guessed."""
BY_HEART_SEEDS = ("7001", "7002")
FALSE_ALARM = 1e-4
NOTHING: tuple[str, ...] = ()


def _by_heart(mounted: Mounted, items: int) -> str:
    """Return a section of the report: what solvers score that have learned practice by heart.

    Raises:
        ValueError: one scores more than the card declares of its sight, by a one-sided exact binomial test.
    """
    variant = Variant(track=COMPOSED, setting=FULL, parameters=FOUR)
    learned, drawn = max(40, int(OF_ITEMS * items)), max(40, int(PIXELS_OF_ITEMS * items))
    side = memory.SIDE
    lines = [
        "## By heart",
        "",
        f"What {learned:,} practice items as labels, and {drawn:,} as {side} x {side} pixels, tell of other items.",
        "A score above the ceiling (one-sided exact binomial test at 0.0001) ends the proof.",
        "",
        "| learned | seen | of options | ceiling | score | questions |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    practice = list(cases_of(mounted, draw_of(mounted, variant, BY_HEART_SEEDS[0]), range(learned)))
    fresh = list(cases_of(mounted, draw_of(mounted, variant, BY_HEART_SEEDS[1]), range(max(40, min(HELD, items // 2)))))
    for setting, shown in {"options-only": NOTHING, **PARTIAL}.items():
        lessons = [memory.Lesson(*_seen(case, shown), case.label) for case in practice]
        known = memory.LabelMemory(lessons)
        lines += _held("labels", setting, [(case, known.choose(*_seen(case, shown))) for case in fresh])
    rows = [(case, _rows(mounted, case)) for case in practice[:drawn]]
    fresh_rows = [(case, _rows(mounted, case)) for case in fresh[: max(40, min(PIXELS_HELD, items // 20))]]
    for setting, shown in {"options-only": NOTHING, **PARTIAL}.items():
        seen = partial(_pictures_of, shown=shown)
        pixels = memory.PixelMemory([(*seen(of), case.label) for case, of in rows])
        lines += _held("pixels", setting, [(case, pixels.choose(*seen(of))) for case, of in fresh_rows])
    return "\n".join((*lines, ""))


def _seen(case: Case, shown: Sequence[str]) -> tuple[Mapping[str, Frame], Mapping[str, Frame]]:
    seen = look(case, shown)
    return seen.given, seen.options


def _rows(mounted: Mounted, case: Case) -> Mapping[str, memory.Row]:
    scene: Scene = case.scene
    return {what: memory.small(BENCHMARK.render(mounted.bank, scene, name)) for name, (what,) in scene.pictures.items()}


def _pictures_of(
    rows: Mapping[str, memory.Row], shown: Sequence[str]
) -> tuple[Mapping[str, memory.Row], Mapping[str, memory.Row]]:
    """Return the given pictures that are seen, and the options."""
    return {what: rows[what] for what in shown}, {what: row for what, row in rows.items() if what not in GIVEN}


def _held(learned: str, setting: str, guessed: Sequence[tuple[Case, str]]) -> Iterator[str]:
    """Yield a line for each sort of options; where a score is too high, ValueError."""
    for sort in SORTS:
        answers = [guess == case.label for case, guess in guessed if case.scene.sort == sort]
        right, ceiling = sum(answers), 1 / 4 if setting == "options-only" else _declared(setting, sort)
        if binom.sf(right - 1, len(answers), ceiling) < FALSE_ALARM and ceiling < 1:
            told = f"{learned} by heart, {setting}, {sort}: {right} of {len(answers)}"
            raise ValueError(f"{told}, and {ceiling} is declared")
        interval = wilson_interval(right, len(answers))
        score = f"{right / len(answers):.4f} ({interval.lower:.4f} to {interval.upper:.4f})"
        yield f"| {learned} | {setting} | {sort} | {ceiling:.3f} | {score} | {len(answers):,} |"


def _declared(setting: str, sort: str) -> float:
    return next(values[setting] for count, of, values in OF_PARTS if (count, of) == (4, sort))


def _most_drawn(variant: Variant) -> int:
    """Draw no difficult options: the card says that they tell the answer by themselves."""
    return 0 if variant.parameters.get("distractors") == DIFFICULT else DRAWN


KNOWLEDGE = Knowledge(solvers=_readers, leaks=LEAKS, models=MODELS, most_drawn=_most_drawn, section=_by_heart)

"""Version 2 of KiVA, for draws that were sealed under it.

Its objects, counts, published starts of kiva-adults, solved examples and sheets are others, and it draws colors and
counts as the published pictures do, whatever the distractors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from generator_service.benchmark import Benchmark, Parameters, PictureArray, Streams
from generator_service.benchmarks.kiva.adult_sets import (
    COUNT_SETS,
    WRONG_MIRRORS,
    WRONG_SIZES,
    Givens,
    arrange_apart,
    read_in_one_way,
    weigh_counts,
)
from generator_service.benchmarks.kiva.arrangements import arrangements
from generator_service.benchmarks.kiva.eligible import KivaBank, ObjectEntry, Objects, prepare
from generator_service.benchmarks.kiva.layout import (
    CAPTION,
    FRAME,
    LETTERS,
    PAIR_WIDTH,
    RULE,
    SIDE,
    SheetPlan,
    frame_pair,
    rule_pair,
)
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.pictures import Sheet, content
from generator_service.benchmarks.kiva.renderer import EMPTY, INK, fill_sheet, render, view_of
from generator_service.benchmarks.kiva.sampler import draw_trial, of_example
from generator_service.benchmarks.kiva.spec import ADULTS, BALANCED, EIGHT, PLAIN, PUBLISHED, Scene, State
from tetrad.contracts.benchmarks import Card, Ceiling, ChanceLevel
from tetrad.contracts.wire import Facets

VERSION = 2
_MOST_JOINED = 1  # two wrong values at the most: "other value of color and size"
GUTTER = 16
# Five columns by seven rows a letter.
_GLYPHS = {
    "(": ("..##.", ".##..", ".#...", ".#...", ".#...", ".##..", "..##."),
    ")": (".##..", "..##.", "...#.", "...#.", "...#.", "..##.", ".##.."),
    "A": (".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"),
    "B": ("####.", "#...#", "#...#", "####.", "#...#", "#...#", "####."),
    "C": (".###.", "#...#", "#....", "#....", "#....", "#...#", ".###."),
    "D": ("####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."),
}
_SCALE = 4
# The weights of other sets of counts are as they are now.
_COUNT_SETS = {shown: weight for shown, weight in COUNT_SETS.items() if shown != (3, 4, 5)} | {(7, 8, 9): 1}


def second_version(newest: Benchmark) -> Benchmark:
    """Return the benchmark as version 2 was."""
    outcomes = {
        kind: tuple(one for one in names if one.count(" and ") <= _MOST_JOINED)
        for kind, names in newest.outcomes.items()
    }
    return replaced(
        newest, card=_card(newest.card), outcomes=outcomes, prepare=_prepare, sample=_sample, render=_render
    )


def _card(newest: Card) -> Card:
    """Return the card of version 2: no form with eight mixtures, and fewer ceilings."""
    known = [one for one in newest.ceilings if one.solver == "text-only" or one.where["stage"] == ("extrapolation",)]
    return replace(
        newest,
        version=VERSION,
        parameters=tuple(one for one in newest.parameters if one.name != "mixtures"),
        exclusions=tuple(one for one in newest.exclusions if one.field != "mixtures"),
        chance=tuple(_chance(one) for one in newest.chance if one.where.get("pictures") != ("8",)),
        ceilings=tuple(_ceiling(one) for one in known if one.parameters.get("mixtures") != EIGHT),
    )


def _chance(newest: ChanceLevel) -> ChanceLevel:
    """Leave out the number of pictures, which questions of version 2 don't tell."""
    return replace(newest, where={name: values for name, values in newest.where.items() if name != "pictures"})


def _ceiling(newest: Ceiling) -> Ceiling:
    """Leave out the form, which had no name, and halve what options tell of published sizes.

    The wrong picture was made from the start, not from the object.
    """
    newest = replace(newest, parameters={name: one for name, one in newest.parameters.items() if name != "mixtures"})
    of_sizes = newest.where.get("domain") == ("size",) and newest.where["stage"] == ("extrapolation",)
    published = newest.track == ADULTS and newest.parameters.get("distractors") == PUBLISHED
    return replace(newest, value=1 / 2) if of_sizes and published and newest.value < 1 else newest


# Objects: pixels alone decided which of them turn, and every object took on every color.


@dataclass(frozen=True)
class _ByPixels:
    """Objects as version 2 saw them."""

    seen: Objects

    @property
    def digest(self) -> str:
        return self.seen.digest

    @cached_property
    def objects(self) -> Sequence[ObjectEntry]:
        return [replaced(one, handed=True, quarters=True, eighths=True) for one in self.seen.objects]  # type: ignore[type-var]

    @property
    def picture(self) -> Callable[[str], PictureArray]:
        return self.seen.picture

    def lands(self, _object: str, _color: str) -> bool:
        return True

    def visible(self, one: str, state_a: str, state_b: str) -> bool:
        return state_a.startswith("hue:") or self.seen.visible(one, state_a, state_b)

    def stands_out(self, one: str, state: str, backdrop: str) -> bool:
        return state.startswith("hue:") or self.seen.stands_out(one, state, backdrop)


def _prepare(sources: Mapping[str, Any]) -> KivaBank:
    return replaced(prepare(_ByPixels(sources["objects"])), objects=sources["objects"])


# Trials


def _sample(  # noqa: PLR0917 - as `Benchmark.sample` hands them over
    bank: KivaBank, track: str, setting: str, parameters: Parameters, facets: Facets, streams: Streams
) -> Scene:
    """Draw a trial. Its solved examples may be of one value."""
    of_domain = {"domain": facets["domain"], "change": "yes"}
    once = {**parameters, "repeats": 1}
    examples = tuple(
        [
            _undrawn(draw_trial(bank, track, setting, once, of_domain, of_example(streams, at), (), _arrangements_of))
            for at in range(int(parameters["in_context"]))
        ]
    )
    return _undrawn(draw_trial(bank, track, setting, parameters, facets, streams, examples, _arrangements_of))


def _undrawn(scene: Scene) -> Scene:
    return replace(scene, distractors=UNSET)


@cache
def _arrangements_of(track: str, domain: str, distractors: str, value: str | None) -> tuple[Arrangement, ...]:
    return tuple(found for found in _arrangements(track, domain, distractors) if value in {None, found.value})


@cache
def _arrangements(track: str, domain: str, distractors: str) -> tuple[Arrangement, ...]:
    older = _LISTS.get((track, domain, distractors))
    return arrangements(track, domain, distractors) if older is None else tuple(older())


def _counts() -> Iterator[Arrangement]:
    yield from weigh_counts(_COUNT_SETS, _apart)


def _sizes() -> Iterator[Arrangement]:
    """Pair a stretch with its opposite, both objects at their own size, the given one elsewhere."""
    for one, other in WRONG_SIZES.items():
        for value, wrong_value in ((one, other), (other, one)):
            yield arrange_apart("size", value, wrong_value, PLAIN, apart=_apart)


def _mirrors() -> Iterator[Arrangement]:
    for value, against in WRONG_MIRRORS.items():
        for wrong_value in against:
            yield arrange_apart("reflection", value, wrong_value, PLAIN, apart=_apart)


_LISTS = {
    (ADULTS, "number", BALANCED): _counts,
    (ADULTS, "size", PUBLISHED): _sizes,
    (ADULTS, "reflection", PUBLISHED): _mirrors,
}


def _apart(domain: str, value: str, givens: Givens, start: State, wrong: State) -> Givens:
    """Prefer starts that differ from the test object's, then from the wrong option, of pairs read in one way."""
    plain = read_in_one_way(domain, value, givens)
    elsewhere = _without(plain, start)
    return _without(elsewhere, wrong)


def _without(givens: Givens, unwanted: State) -> Givens:
    return tuple(given for given in givens if given != unwanted) or givens


# Sheets: letters of dots, narrow gutters, the example framed as its options are.


def _render(bank: KivaBank, scene: Scene, name: str) -> PictureArray:
    held = content(scene, name)
    if not isinstance(held, Sheet):
        return render(bank, scene, name)
    options = len(held.options)
    return fill_sheet(_blank(scene.background, options).copy(), _SHEETS[options], bank, view_of(scene), held)


def _planned(options: int, columns: int) -> SheetPlan:
    step, framed = PAIR_WIDTH + 2 * FRAME + GUTTER, SIDE + 2 * FRAME
    width = columns * step - GUTTER
    at = [
        (FRAME + place % columns * step, framed + CAPTION + FRAME + place // columns * (framed + CAPTION))
        for place in range(options)
    ]
    return SheetPlan(
        width=width,
        height=framed + -(-options // columns) * (CAPTION + framed),
        given_at=((width - PAIR_WIDTH) // 2, FRAME),
        line_at=framed,
        options_at=tuple(at),
    )


_SHEETS = {3: _planned(3, 3), 4: _planned(4, 2)}


@lru_cache(maxsize=len(EMPTY) * len(_SHEETS))
def _blank(background: str, options: int) -> PictureArray:
    """Draw a sheet without its panels and without a line below the example."""
    plan, ink = _SHEETS[options], INK[background]
    blank = np.full((plan.height, plan.width, 4), EMPTY[background], np.uint8)
    for at in (plan.given_at, *plan.options_at):
        rule_pair(blank, at, ink)
        frame_pair(blank, at, ink, RULE)
    for at, label in zip(plan.options_at, LETTERS, strict=False):
        dots = _lettering(f"({label})")
        left = at[0] + (PAIR_WIDTH - dots.shape[1]) // 2
        top = at[1] - FRAME - (CAPTION + dots.shape[0]) // 2
        blank[top : top + dots.shape[0], left : left + dots.shape[1]][dots] = ink
    return blank


def _lettering(text: Iterable[str]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of the ink, (28, 24 * length - 4), for text made of A to D and parentheses."""
    rows = [".".join(_GLYPHS[sign][row] for sign in text) for row in range(7)]
    small = np.array([[dot == "#" for dot in row] for row in rows])
    return np.kron(small, np.ones((_SCALE, _SCALE), np.bool_))

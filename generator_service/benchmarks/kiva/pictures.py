"""List a trial's pictures in order: the questions use their names, the renderer their content.

Names are positions, "1" first, so that a name tells nothing. Solved examples' pictures come after the trial's own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from generator_service.benchmarks.kiva.spec import ASKS, COMPOSITE, SENTENCE, Scene, Showing, State
from generator_service.cache_budget import cache_within_budget


class Pair(msgspec.Struct, frozen=True):
    """One object before (left) and after (right)."""

    object: str
    before: State
    after: State


class Sheet(msgspec.Struct, frozen=True):
    """The given pair above, the option pairs (A), (B), .. below."""

    given: Pair
    options: tuple[Pair, ...]


class Sentence(msgspec.Struct, frozen=True):
    """Rows of before and after. The last row is of the test object and has no after."""

    rows: tuple[Pair, ...]
    test: str
    before: State


class Candidate(msgspec.Struct, frozen=True):
    """One object in one state, without a partner."""

    object: str
    state: State


Holding = Pair | Sheet | Sentence | Candidate


def content(scene: Scene, name: str) -> Holding:
    """Return the picture's content; KeyError for a name that the scene does not have."""
    holdings = contents(scene)
    if name not in holdings:
        raise KeyError(f"picture {name!r} is not among {', '.join(holdings)}")
    return holdings[name]


def contents(scene: Scene) -> dict[str, Holding]:
    """Return every picture of the trial by name, in order.

    separate: the given pair, then for each repeat the option pairs in the order of the options.
    composite: the given pair where a verbal question is asked, then one sheet for each repeat.
    sentence: the sheet of rows, then for each repeat the candidates for its empty place.
    """
    held = [*_own(scene), *(holding for example in scene.examples for holding in _own(example))]
    return {str(place): holding for place, holding in enumerate(held, start=1)}


GIVEN, OPTIONS, START, EXAMPLES = "given", "options", "start", "examples"


def holds(scene: Scene, name: str) -> Mapping[str, Any]:
    """Return the pairs and states of one picture by part.

    given: pairs that show the change. options: pairs or states to choose from. start: the test object of a sentence,
    before. examples: all that a solved example shows.
    """
    held = content(scene, name)
    if int(name) > count_of(scene):
        return {EXAMPLES: msgspec.to_builtins(held)}
    if isinstance(held, Sheet):
        return {GIVEN: [msgspec.to_builtins(held.given)], OPTIONS: msgspec.to_builtins(held.options)}
    if isinstance(held, Sentence):
        return {GIVEN: msgspec.to_builtins(held.rows), START: msgspec.to_builtins(held.before)}
    if isinstance(held, Candidate):
        return {OPTIONS: [{"after": msgspec.to_builtins(held.state)}]}
    return {GIVEN if name == "1" else OPTIONS: [msgspec.to_builtins(held)]}


def count_of(scene: Scene) -> int:
    """Return how many pictures the trial has without its examples."""
    if scene.presentation == COMPOSITE:
        return is_verbal(scene.setting) + scene.repeats
    return 1 + scene.repeats * len(scene.extrapolation[0])


@cache_within_budget(256)  # one entry for each presentation, setting, repeat and first place
def names_for_which(presentation: str, setting: str, repeat: int, options: int, before: int = 0) -> tuple[str, ...]:
    """Return the pictures that a `which` question shows, in order, without those of other repeats."""
    if presentation == COMPOSITE:
        return (str(before + repeat + is_verbal(setting)),)
    first = before + 2 + options * (repeat - 1)
    return (str(before + 1), *(str(place) for place in range(first, first + options)))


def is_verbal(setting: str) -> bool:
    """Tell whether the setting asks in words, and so shows the given pair alone."""
    return "how" in ASKS[setting]


def _own(scene: Scene) -> Iterator[Holding]:
    given = _pair(scene.given)
    if scene.presentation == SENTENCE:
        yield Sentence((*map(_pair, scene.rows), given), scene.test, scene.test_before)
        yield from (Candidate(scene.test, state) for places in scene.extrapolation for state in places)
        return
    options = [tuple(Pair(scene.test, scene.test_before, state) for state in places) for places in scene.extrapolation]
    if scene.presentation == COMPOSITE:
        yield from [given] * is_verbal(scene.setting)
        yield from (Sheet(given, pairs) for pairs in options)
        return
    yield given
    yield from (pair for pairs in options for pair in pairs)


def _pair(shown: Showing) -> Pair:
    return Pair(shown.object, shown.before, shown.after)

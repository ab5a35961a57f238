"""Which pictures a trial has, by place, and what each holds: read by the questions (names) and the renderer (content).

Names are positions, "1" first, so that a name tells nothing. A pair is (object, before, after).
"""

from functools import lru_cache

import msgspec

from generator_service.benchmarks.kiva.spec import Scene, State


class Pair(msgspec.Struct, frozen=True):
    """One object before (left) and after (right)."""

    object: str
    before: State
    after: State


class Sheet(msgspec.Struct, frozen=True):
    """The given pair above, the option pairs (A), (B), (C) below."""

    given: Pair
    options: tuple[Pair, ...]


def content(scene: Scene, name: str) -> Pair | Sheet:
    """Say what the picture holds; KeyError for a name the scene does not have."""
    holdings = contents(scene)
    if name not in holdings:
        raise KeyError(f"picture {name!r} is not among {', '.join(holdings)}")
    return holdings[name]


def contents(scene: Scene) -> dict[str, Pair | Sheet]:
    """Return every picture of the trial by name, in order.

    separate: the given pair, then for each repeat the three option pairs in the order of the options.
    composite: the given pair where a verbal question is asked, then one sheet for each repeat.
    """
    given = Pair(scene.given, scene.given_before, scene.given_after)
    options = [tuple(Pair(scene.test, scene.test_before, state) for state in places) for places in scene.extrapolation]
    held: list[Pair | Sheet]
    if scene.presentation == "separate":
        held = [given, *(pair for pairs in options for pair in pairs)]
    else:
        held = [given] * bool(scene.classification) + [Sheet(given, pairs) for pairs in options]
    return {str(place): holding for place, holding in enumerate(held, start=1)}


@lru_cache(maxsize=64)  # one entry for each presentation, setting and repeat
def names_for_which(presentation: str, *, verbal: bool, repeat: int) -> tuple[str, ...]:
    """Return the pictures that a `which` question shows, in order: what a viewer needs and no other repeat's."""
    if presentation == "separate":
        first = 2 + 3 * (repeat - 1)
        return ("1", *(str(place) for place in range(first, first + 3)))
    return (str(repeat + verbal),)

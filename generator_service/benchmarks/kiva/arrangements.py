"""The option sets: every (start, right, wrong) that a distractor rule allows, listed, so that symmetry can be counted.

Options first: under `balanced` a set of three states is drawn, then one of the orders of (start, right, wrong).
The value is the change from start to right; a block's cells hold each value as often as the listed arrangements do,
and a trial draws uniformly among its value's arrangements. Both together are the symmetric draw.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations

import msgspec

from generator_service.benchmarks.kiva.spec import PLAIN, VALUES, State

COUNTS_BALANCED = range(1, 6)  # the least of three counts in a row: pictures hold 1 to 7 ("under 8", section 3.2)
# Measured on the published trial_tracker files: where additions and subtractions start.
STARTS_PUBLISHED = {"+1": range(2, 5), "+2": range(2, 5), "-1": range(3, 6), "-2": range(3, 6)}
QUARTERS = (0, 90, 180, 270)
TURNS = {"+90": 90, "-90": 270, "180": 180}
TURN_NAMES = {degrees: name for name, degrees in TURNS.items()}
SCALES = {"2x": 4, "1/2x": 1}
_OPPOSITE = {"+1": "-1", "-1": "+1", "+2": "-2", "-2": "+2"}


class Arrangement(msgspec.Struct, frozen=True, kw_only=True):
    """Three states of one object, and the values that lead from the first to the other two.

    `wrong_value` is what the words offer; under `published` counting it does not lead to the picture `wrong`.
    """

    value: str
    wrong_value: str
    start: State
    right: State
    wrong: State


@cache
def arrangements(domain: str, distractors: str) -> tuple[Arrangement, ...]:
    """List the domain's arrangements; under `balanced` all are equally likely."""
    return tuple(_LISTS[domain, distractors]())


@cache
def arrangements_of(domain: str, distractors: str, value: str) -> tuple[Arrangement, ...]:
    """List the arrangements in which the given pair shows `value`: equally likely, given the value."""
    return tuple(found for found in arrangements(domain, distractors) if found.value == value)


@cache
def value_weights(domain: str, distractors: str) -> dict[str, int]:
    """Return how often each value stands among a domain's twelve shares.

    Counting balanced takes +-1 twice as often as +-2: of the six orders of (a, a+1, a+2), four differ by one.
    The published trials have 100 of each value.
    """
    values = VALUES[domain]
    if distractors == "published":
        return {value: 12 // len(values) for value in values}
    total = len(arrangements(domain, distractors))
    return {value: 12 * len(arrangements_of(domain, distractors, value)) // total for value in values}


def _colors() -> Iterator[Arrangement]:
    for start, right, wrong in permutations(VALUES["color"]):
        yield Arrangement(
            value=right,
            wrong_value=wrong,
            start=State(color=start),
            right=State(color=right),
            wrong=State(color=wrong),
        )


def _sizes() -> Iterator[Arrangement]:
    for right, wrong in permutations(VALUES["size"]):
        yield Arrangement(value=right, wrong_value=wrong, start=PLAIN, right=_scaled(right), wrong=_scaled(wrong))


def _scaled(value: str) -> State:
    return State(across=SCALES[value], down=SCALES[value])


def _mirrors() -> Iterator[Arrangement]:
    for right, wrong in permutations(VALUES["reflection"]):
        yield Arrangement(
            value=right, wrong_value=wrong, start=PLAIN, right=State(mirror=right), wrong=State(mirror=wrong)
        )


def _turns_balanced() -> Iterator[Arrangement]:
    for left_out in QUARTERS:
        shown = [degrees for degrees in QUARTERS if degrees != left_out]
        for start, right, wrong in permutations(shown):
            yield _turn(start, TURN_NAMES[(right - start) % 360], TURN_NAMES[(wrong - start) % 360])


def _turns_published() -> Iterator[Arrangement]:
    """Quarter turns stand against the half turn, from upright."""
    for value, wrong in (("+90", "180"), ("-90", "180"), ("180", "+90"), ("180", "-90")):
        yield _turn(0, value, wrong)


def _turn(start: int, value: str, wrong: str) -> Arrangement:
    right_turn, wrong_turn = ((start + TURNS[name]) % 360 for name in (value, wrong))
    return Arrangement(
        value=value,
        wrong_value=wrong,
        start=State(turn=start),
        right=State(turn=right_turn),
        wrong=State(turn=wrong_turn),
    )


def _counts_balanced() -> Iterator[Arrangement]:
    for least in COUNTS_BALANCED:
        for start, right, wrong in permutations((least, least + 1, least + 2)):
            yield _count(start, f"{right - start:+d}", f"{wrong - start:+d}", wrong)


def _counts_published() -> Iterator[Arrangement]:
    """The wrong picture is one off on the other side of the start; the wrong words undo the value."""
    for value in VALUES["number"]:
        for start in STARTS_PUBLISHED[value]:
            yield _count(start, value, _OPPOSITE[value], start - 1 if int(value) > 0 else start + 1)


def _count(start: int, value: str, wrong_value: str, wrong: int) -> Arrangement:
    return Arrangement(
        value=value,
        wrong_value=wrong_value,
        start=State(count=start),
        right=State(count=start + int(value)),
        wrong=State(count=wrong),
    )


_LISTS = {
    ("color", "balanced"): _colors,
    ("color", "published"): _colors,
    ("size", "balanced"): _sizes,
    ("size", "published"): _sizes,
    ("number", "balanced"): _counts_balanced,
    ("number", "published"): _counts_published,
    ("rotation", "balanced"): _turns_balanced,
    ("rotation", "published"): _turns_published,
    ("reflection", "balanced"): _mirrors,
    ("reflection", "published"): _mirrors,
}

"""List KiVA's option sets: every (start, right, wrong) that a distractor rule allows, so that they can be counted.

Options first: under `balanced` a set of three states is drawn, then one of the orders of (start, right, wrong).
"""

from collections.abc import Iterable, Iterator
from itertools import permutations

import msgspec

from generator_service.benchmarks.kiva.changing import apply_change
from generator_service.benchmarks.kiva.spec import PLAIN, VALUES, State

COUNTS_BALANCED = range(1, 6)  # the least of three counts in a row: pictures hold 1 to 7 ("under 8", section 3.2)
# Measured on the published trial_tracker files: where additions and subtractions start.
STARTS_PUBLISHED = {"+1": range(2, 5), "+2": range(2, 5), "-1": range(3, 6), "-2": range(3, 6)}
QUARTERS = (0, 90, 180, 270)
OPPOSITE = {"+1": "-1", "-1": "+1", "+2": "-2", "-2": "+2"}


class Arrangement(msgspec.Struct, frozen=True, kw_only=True, gc=False, cache_hash=True):
    """Three states of the test object, the values that lead from the first to the other two, and the given starts.

    `wrong_value` is what the words offer; under `published` counting it does not lead to the picture `wrong`.
    `givens`: the given object's possible starts, all equally likely. From each of them, no other reading of the pair
    leads to a wrong option.
    """

    value: str
    wrong_value: str
    start: State
    right: State
    wrong: State
    givens: tuple[State, ...]
    domain: str

    def apply_value(self, start: State) -> State:
        """Return the state after the value's change; `start` is one of `givens`, or the test object's start."""
        after = apply_change(start, self.domain, self.value)
        if after is None:
            raise ValueError(f"{self.value} leads nowhere from {start}")
        return after


def orders(domain: str, values: Iterable[str], states: Iterable[State]) -> Iterator[Arrangement]:
    """Yield all orders of three states, of which every two are connected by one value. Both objects start alike."""
    known = tuple(values)
    for start, right, wrong in permutations(states):
        named = {value: apply_change(start, domain, value) for value in known}
        value, wrong_value = (next(name for name, after in named.items() if after == state) for state in (right, wrong))
        yield arrange_same_start(domain, value, wrong_value, start, right, wrong)


def arrange_same_start(  # noqa: PLR0917 - the parts of an arrangement, in order
    domain: str, value: str, wrong_value: str, start: State, right: State, wrong: State
) -> Arrangement:
    """Return the arrangement in which the given object starts where the test object does: KiVA's rule."""
    return Arrangement(
        domain=domain,
        value=value,
        wrong_value=wrong_value,
        start=start,
        right=right,
        wrong=wrong,
        givens=(start,),
    )


def colors() -> Iterator[Arrangement]:
    yield from orders("color", VALUES["color"], [State(color=color) for color in VALUES["color"]])


def sizes() -> Iterator[Arrangement]:
    yield from _oppose_values("size")


def mirrors() -> Iterator[Arrangement]:
    yield from _oppose_values("reflection")


def _oppose_values(domain: str) -> Iterator[Arrangement]:
    """Set each of two values against the other, from the plain state."""
    for value, wrong_value in permutations(VALUES[domain]):
        right, wrong = (apply_change(PLAIN, domain, name) for name in (value, wrong_value))
        if right is not None and wrong is not None:
            yield arrange_same_start(domain, value, wrong_value, PLAIN, right, wrong)


def turns_balanced() -> Iterator[Arrangement]:
    for left_out in QUARTERS:
        shown = [State(turn=degrees) for degrees in QUARTERS if degrees != left_out]
        yield from orders("rotation", VALUES["rotation"], shown)


def turns_published() -> Iterator[Arrangement]:
    """Set quarter turns against the half turn, and it against the clockwise one, from upright, as the trackers do."""
    for value, wrong in (("+90", "180"), ("-90", "180"), ("180", "+90")):
        yield arrange_same_start(
            "rotation", value, wrong, PLAIN, State(turn=int(value) % 360), State(turn=int(wrong) % 360)
        )


def counts_balanced() -> Iterator[Arrangement]:
    for least in COUNTS_BALANCED:
        yield from orders("number", VALUES["number"], [State(count=least + more) for more in range(3)])


def counts_published() -> Iterator[Arrangement]:
    """Set the wrong picture one off, on the other side of the start. The wrong words name the opposite value."""
    for value in VALUES["number"]:
        for start in STARTS_PUBLISHED[value]:
            wrong = start - 1 if int(value) > 0 else start + 1
            states = (State(count=count) for count in (start, start + int(value), wrong))
            yield arrange_same_start("number", value, OPPOSITE[value], *states)

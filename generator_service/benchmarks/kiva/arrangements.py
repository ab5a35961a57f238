"""List the option sets of a track, domain and distractor rule.

A value is the change from start to right. Values are as frequent among a draw's strata as among the listed
arrangements, and a trial draws uniformly among the arrangements of its value. Together this makes the draw symmetric.
An arrangement that is likelier than others is listed more than once.
"""

from functools import cache

from generator_service.benchmarks.kiva import adult_sets, option_sets
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.spec import ADULTS, BALANCED, KIVA, PUBLISHED, VALUES_OF

SHARES = 12  # of a domain of kiva, divided among its values
SMALL_COUNTS = 4  # used if objects also differ in size: cells are half the canvas's side


@cache
def arrangements(track: str, domain: str, distractors: str) -> tuple[Arrangement, ...]:
    """List the domain's arrangements, all equally likely."""
    return tuple(_LISTS[track, domain, distractors]())


@cache
def arrangements_of(track: str, domain: str, distractors: str, value: str | None) -> tuple[Arrangement, ...]:
    """List the arrangements in which the given pair shows `value`, or those of all values, all equally likely."""
    every = arrangements(track, domain, distractors)
    return tuple(arrangement for arrangement in every if value in {None, arrangement.value})


@cache
def list_combined(domain: str, among: tuple[str, ...]) -> tuple[Arrangement, ...]:
    """List KiVA's balanced arrangements of one of several domains that change at once."""
    listed = arrangements(KIVA, domain, BALANCED)
    if domain == "number" and "size" in among:
        return tuple(
            arrangement
            for arrangement in listed
            if max(arrangement.start.count, arrangement.right.count, arrangement.wrong.count) <= SMALL_COUNTS
        )
    return listed


@cache
def value_weights(track: str, domain: str, distractors: str) -> dict[str, int]:
    """Return the number of its domain's shares that each value has.

    kiva: twelve shares a domain. Counting balanced takes +-1 twice as often as +-2: of the six orders of
    (a, a+1, a+2), four differ by one. kiva-adults: one share a value. The published trackers have 50 trials of each
    value.
    """
    values = VALUES_OF[track][domain]
    if track == ADULTS:
        return dict.fromkeys(values, 1)
    if distractors == PUBLISHED:
        return {value: SHARES // len(values) for value in values}
    total = len(arrangements(track, domain, distractors))
    return {value: SHARES * len(arrangements_of(track, domain, distractors, value)) // total for value in values}


_LISTS = {
    (KIVA, "color", BALANCED): option_sets.colors,
    (KIVA, "color", PUBLISHED): option_sets.colors,
    (KIVA, "size", BALANCED): option_sets.sizes,
    (KIVA, "size", PUBLISHED): option_sets.sizes,
    (KIVA, "number", BALANCED): option_sets.counts_balanced,
    (KIVA, "number", PUBLISHED): option_sets.counts_published,
    (KIVA, "rotation", BALANCED): option_sets.turns_balanced,
    (KIVA, "rotation", PUBLISHED): option_sets.turns_published,
    (KIVA, "reflection", BALANCED): option_sets.mirrors,
    (KIVA, "reflection", PUBLISHED): option_sets.mirrors,
    (ADULTS, "color", BALANCED): adult_sets.colors,
    (ADULTS, "color", PUBLISHED): adult_sets.colors,
    (ADULTS, "size", BALANCED): adult_sets.sizes,
    (ADULTS, "size", PUBLISHED): adult_sets.sizes_published,
    (ADULTS, "number", BALANCED): adult_sets.counts,
    (ADULTS, "number", PUBLISHED): adult_sets.counts_published,
    (ADULTS, "rotation", BALANCED): adult_sets.turns,
    (ADULTS, "rotation", PUBLISHED): adult_sets.turns_published,
    (ADULTS, "reflection", BALANCED): adult_sets.mirrors,
    (ADULTS, "reflection", PUBLISHED): adult_sets.mirrors_published,
}

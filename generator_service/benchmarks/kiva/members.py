"""List the options of a trial's questions, before they get their places."""

from functools import cache
from itertools import combinations, product

import msgspec

from generator_service.benchmarks.kiva.changing import combine_states
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.spec import ASPECTS, EIGHT, FOUR, State, Words, aspects_of
from generator_service.cache_budget import cache_within_budget

SETS_OFFERED = 3
_THREE = 3  # changes at once, of which four mixtures or all eight can be offered


class TrialMembers(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The values, states and options of a trial, which follow from its arrangements alone.

    values: the change in each domain. start, right: states of the test object. words: the options of `how`. pictures:
    the options of `which`. The right option comes first in both.
    """

    values: Words
    start: State
    right: State
    words: tuple[Words, ...]
    pictures: tuple[State, ...]


@cache_within_budget(16384)
def find_members(found: tuple[Arrangement, ...], mixtures: str = FOUR) -> TrialMembers:
    """Return the members of a trial with these arrangements, one for each domain that changes."""
    return TrialMembers(
        values=tuple(arrangement.value for arrangement in found),
        start=combine_states(tuple(arrangement.start for arrangement in found)),
        right=combine_states(tuple(arrangement.right for arrangement in found)),
        words=list_how_words(found, mixtures),
        pictures=list_which_states(found, mixtures),
    )


@cache_within_budget(16384)
def apply_changes(found: tuple[Arrangement, ...], starts: tuple[State, ...]) -> tuple[State, State]:
    """Return an object's combined states before and after the changes; `starts` has its state by domain."""
    after = tuple(arrangement.apply_value(state) for arrangement, state in zip(found, starts, strict=True))
    return combine_states(starts), combine_states(after)


@cache
def aspect_families(domain: str) -> tuple[tuple[Words, ...], ...]:
    """List the option sets of `what`: the domain's aspects, first, and two other sets of the same size.

    Any two sets of a family share the same number of aspects, so the overlaps do not tell which set is right. Beside a
    single aspect, any two others will do.
    """
    right = _in_order(aspects_of(domain))
    others = [words for words in combinations(ASPECTS, len(right)) if words != right]
    families = ((right, *two) for two in combinations(others, SETS_OFFERED - 1))
    return tuple(family for family in families if len({len(set(a) & set(b)) for a, b in combinations(family, 2)}) == 1)


def list_how_words(found: tuple[Arrangement, ...], mixtures: str = FOUR) -> tuple[Words, ...]:
    """Return the options of `how`, the right words first: in each domain one value against another."""
    if len(found) == 1:
        return (found[0].value,), (found[0].wrong_value,)
    return tuple(
        tuple(
            arrangement.value if right else arrangement.wrong_value
            for arrangement, right in zip(found, mix, strict=True)
        )
        for mix in mixes(len(found), mixtures)
    )


def list_which_states(found: tuple[Arrangement, ...], mixtures: str = FOUR) -> tuple[State, ...]:
    """Return the options of `which`, the right state first: then a wrong one and no change, or mixtures."""
    if len(found) == 1:
        return found[0].right, found[0].wrong, found[0].start
    return tuple(
        combine_states(
            tuple(
                arrangement.right if right else arrangement.wrong for arrangement, right in zip(found, mix, strict=True)
            )
        )
        for mix in mixes(len(found), mixtures)
    )


@cache
def mixes(count: int, mixtures: str) -> tuple[tuple[bool, ...], ...]:
    """List, for each option, the domains in which it is right. The first option is right in all of them.

    Two domains give 2 x 2 options: both right, one, the other, none. Three domains give 2 x 2 x 2. With `mixtures`
    eight all of these are offered, and a solver must read all three changes. With four, the half that are wrong in an
    even number of domains is offered: then every domain is right in two options of four, and a solver must read two of
    the three changes. In both, no option stands out as the middle of the others.
    """
    every = product((True, False), repeat=count)
    return tuple(mix for mix in every if count < _THREE or mixtures == EIGHT or mix.count(False) % 2 == 0)


def _in_order(words: Words) -> Words:
    return tuple(sorted(words, key=ASPECTS.index))

"""What the options of a trial's questions are, before they are put in their places."""

from functools import cache, lru_cache
from itertools import combinations, product

import msgspec

from generator_service.benchmarks.kiva.changing import combine_states
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.spec import ASPECTS, State, Words, aspects_of

SETS_OFFERED = 3


class TrialMembers(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a trial's arrangements make of it, whatever its objects and places.

    values: the change in each domain. start, right: of the test object. words, pictures: what `how` and `which`
    offer, the right one first.
    """

    values: Words
    start: State
    right: State
    words: tuple[Words, ...]
    pictures: tuple[State, ...]


@lru_cache(maxsize=16384)
def find_members(found: tuple[Arrangement, ...]) -> TrialMembers:
    """Work out what these arrangements offer, one for each domain that changes."""
    return TrialMembers(
        values=tuple(one.value for one in found),
        start=combine_states(tuple(one.start for one in found)),
        right=combine_states(tuple(one.right for one in found)),
        words=list_how_words(found),
        pictures=list_which_states(found),
    )


@lru_cache(maxsize=16384)
def apply_changes(found: tuple[Arrangement, ...], starts: tuple[State, ...]) -> tuple[State, State]:
    """Return an object that starts there, by domain, before the change and after it."""
    after = tuple(one.apply_value(state) for one, state in zip(found, starts, strict=True))
    return combine_states(starts), combine_states(after)


@cache
def aspect_families(domain: str) -> tuple[tuple[Words, ...], ...]:
    """List the ways to offer the domain's aspects, first, beside two other sets of as many.

    All of a family share equally many members with each other: that the right set shares one with each wrong set
    then tells nothing. Of single aspects, any two others go.
    """
    right = _in_order(aspects_of(domain))
    others = [words for words in combinations(ASPECTS, len(right)) if words != right]
    families = ((right, *two) for two in combinations(others, SETS_OFFERED - 1))
    return tuple(family for family in families if len({len(set(a) & set(b)) for a, b in combinations(family, 2)}) == 1)


def list_how_words(found: tuple[Arrangement, ...]) -> tuple[Words, ...]:
    """Return what `how` offers, the right words first: a value against another, in each domain."""
    if len(found) == 1:
        return (found[0].value,), (found[0].wrong_value,)
    return tuple(
        tuple(one.value if right else one.wrong_value for one, right in zip(found, mix, strict=True))
        for mix in mixes(len(found))
    )


def list_which_states(found: tuple[Arrangement, ...]) -> tuple[State, ...]:
    """Return what `which` offers, the right state first: with a wrong one and no change, or with mixtures."""
    if len(found) == 1:
        return found[0].right, found[0].wrong, found[0].start
    return tuple(
        combine_states(tuple(one.right if right else one.wrong for one, right in zip(found, mix, strict=True)))
        for mix in mixes(len(found))
    )


@cache
def mixes(count: int) -> tuple[tuple[bool, ...], ...]:
    """List, for each option, in which of the domains it is right: in all, first, or but for an even number.

    Two domains give 2 x 2: both right, one, the other, none. Of the 2 x 2 x 2 of three domains it is the half in
    which every domain is right in two options of four, whichever of the four is the answer: no option is the middle
    of the others, and two of three changes must be read.
    """
    wanted = [mix for mix in product((True, False), repeat=count) if count < SETS_OFFERED or mix.count(False) % 2 == 0]
    return tuple(wanted)


def _in_order(words: Words) -> Words:
    return tuple(sorted(words, key=ASPECTS.index))

"""Find the objects that can show a domain's changes: once per bank, from its visibility table, never from pixels.

An object carries a domain if every two states that a trial of it can show look different. On a white or black
background, most of the object must also be seen in each state. Then the given pair tells its value from every other
one, input differs from output, and options differ pairwise, in every trial. No draw is ever rejected, so acceptance
tells nothing about the key. A trial of several domains takes the objects that carry each of them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    BACKGROUNDS,
    COMBINATIONS,
    COMPOSITIONALITY,
    KIVA,
    TRANSPARENT,
    domains_of,
)
from generator_service.sources.store import SourceUnfitError

_EIGHTHS = tuple(f"rotation:{turn}" for turn in range(45, 360, 45))
# Turns by eighths form a group, as mirrors do: two turns differ exactly as the turn between them differs from upright.
_COMPARED = {
    (KIVA, "color"): ("red", "green", "blue"),
    (KIVA, "size"): ("plain", "size:2x2"),
    (KIVA, "number"): (),
    (KIVA, "rotation"): ("plain", "rotation:90", "rotation:180", "rotation:270"),
    (KIVA, "reflection"): ("plain", "reflection:x", "reflection:y"),
    (ADULTS, "color"): ("red", "green", "blue", "yellow", "grey"),
    (ADULTS, "size"): ("plain", "size:2x1", "size:1x2", "size:2x2"),
    (ADULTS, "number"): (),
    (ADULTS, "rotation"): ("plain", *_EIGHTHS),
    (ADULTS, "reflection"): ("plain", "reflection:x", "reflection:y", "reflection:both"),
}
# Colors are drawn by two rules: as published, half and half, and wholly.
_RULES = ("color", "hue")
# If a mirror image could pass for a turn, the change could be read in two ways.
_CHIRAL_ONLY = ("rotation", "reflection")
# An object on a diagonal seems to turn as well when it is stretched along one side.
_UPRIGHT_ONLY = ((ADULTS, "size"),)

Kinds = tuple[tuple[str, ...], ...]
Place = tuple[str, str, str]
"""Track, domain, background."""


class ObjectEntry(Protocol):
    """One object of a bank.

    `chiral`: no turn of its mirror image has its pixels; `handed`: nor looks like it to a person. `quarters`,
    `eighths`: a person sees all such turns. `compact`: a person keeps its outline in mind. `scales`: it looks the same
    when it is smaller. `stretches`: stretched along one axis, it looks stretched and nothing else.
    """

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def chiral(self) -> bool: ...
    @property
    def stretches(self) -> bool: ...
    @property
    def handed(self) -> bool: ...
    @property
    def quarters(self) -> bool: ...
    @property
    def eighths(self) -> bool: ...
    @property
    def compact(self) -> bool: ...
    @property
    def scales(self) -> bool: ...


class Objects(Protocol):
    """The part of a bank that KiVA uses; `picture` returns (256, 256, 4) RGBA."""

    @property
    def objects(self) -> Sequence[ObjectEntry]: ...
    @property
    def picture(self) -> Callable[[str], PictureArray]: ...
    @property
    def visible(self) -> Callable[[str, str, str], bool]: ...
    @property
    def lands(self) -> Callable[[str, str], bool]: ...
    @property
    def stands_out(self) -> Callable[[str, str, str], bool]: ...


class BankTooSmall(SourceUnfitError):  # noqa: N818 - named for what went wrong
    """A domain has objects of fewer than two kinds, on some background."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KivaBank:
    """A bank with the ids that can carry each track's domains on each background, one tuple a kind."""

    objects: Objects
    eligible: Mapping[Place, Kinds]


def prepare(objects: Objects) -> KivaBank:
    """Sort a bank's objects by the domains that they can carry.

    Raises:
        BankTooSmall: some domain has no two kinds to make a given and a test object of.
    """
    carrying: dict[Place, frozenset[str]] = {}
    for track, domain in _COMPARED:
        able = frozenset(_carrying(objects, track, domain))
        for background in BACKGROUNDS:
            carrying[track, domain, background] = frozenset(_list_visible(objects, able, track, domain, background))
    for domain, background in product(COMBINATIONS, BACKGROUNDS):
        each = (carrying[KIVA, part, background] for part in domains_of(domain))
        carrying[COMPOSITIONALITY, domain, background] = frozenset.intersection(*each)
    return KivaBank(objects=objects, eligible={place: _by_kind(objects, place, carrying[place]) for place in carrying})


def _by_kind(objects: Objects, place: Place, carrying: Collection[str]) -> Kinds:
    kinds: dict[str, list[str]] = defaultdict(list)
    for entry in objects.objects:
        if entry.id in carrying:
            kinds[entry.kind].append(entry.id)
    if len(kinds) < 2:  # noqa: PLR2004 - a given kind and a test kind
        track, domain, background = place
        raise BankTooSmall(
            f"track {track}: domain {domain} has {len(kinds)} kinds of objects in this bank that can show it on a "
            f"{background} background; add objects of two kinds{_word_need(track, domain)}"
        )
    return tuple(tuple(ids) for _, ids in sorted(kinds.items()))


def _word_need(track: str, domain: str) -> str:
    if domain in _CHIRAL_ONLY:
        return " that no turn makes their mirror image"
    return " that don't lie on a diagonal" if (track, domain) in _UPRIGHT_ONLY else ""


def _carrying(objects: Objects, track: str, domain: str) -> Iterator[str]:
    """Yield the ids of the objects on which every two states of the domain's trials look different."""
    compared = _COMPARED[track, domain]
    groups = [_states(rule, compared) for rule in _RULES] if domain == "color" else [compared]
    pairs = [pair for states in groups for pair in combinations(states, 2)]
    for entry in objects.objects:
        if domain in _CHIRAL_ONLY and not _turns(entry, track):
            continue
        if domain == "size" and not entry.scales:
            continue
        if (track, domain) in _UPRIGHT_ONLY and not entry.stretches:
            continue
        if domain == "color" and not all(objects.lands(entry.id, color) for color in compared):
            continue
        if all(objects.visible(entry.id, a, b) for a, b in pairs):
            yield entry.id


def _turns(entry: ObjectEntry, track: str) -> bool:
    """Tell whether a person sees the object's turns and mirrors, and does not take one for another."""
    return entry.compact and entry.chiral and entry.handed and (entry.eighths if track == ADULTS else entry.quarters)


def _states(rule: str, colors: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{rule}:{color}" for color in colors)


def _list_visible(objects: Objects, able: Collection[str], track: str, domain: str, background: str) -> Iterator[str]:
    """Yield the objects that can be seen on the background in each color that the domain gives them."""
    colors = _COMPARED[track, domain]
    states = [state for rule in _RULES for state in _states(rule, colors)] if domain == "color" else ["plain"]
    for object_id in able:
        if background == TRANSPARENT or all(objects.stands_out(object_id, state, background) for state in states):
            yield object_id

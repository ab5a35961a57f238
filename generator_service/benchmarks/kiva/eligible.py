"""Which objects can carry which domain: asked once per bank of its visibility table, never of pixels.

An object carries a domain if every two states that a trial of it can show look different. Then the given pair tells
its value from every other one, input differs from output, and options differ pairwise, whatever the trial: a trial
needs no rejected draw, and acceptance tells nothing about the key. Several domains at once take the objects that
carry each of them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva.spec import ADULTS, COMBINATIONS, COMPOSITIONALITY, KIVA, domains_of

_EIGHTHS = tuple(f"rotation:{turn}" for turn in range(45, 360, 45))
# Turns by eighths form a group, so two of them differ as their difference does from upright; so do mirrors.
_COMPARED = {
    (KIVA, "color"): ("color:red", "color:green", "color:blue"),
    (KIVA, "size"): ("plain", "size:2x2"),
    (KIVA, "number"): (),
    (KIVA, "rotation"): ("plain", "rotation:90", "rotation:180", "rotation:270"),
    (KIVA, "reflection"): ("plain", "reflection:x", "reflection:y"),
    (ADULTS, "color"): ("color:red", "color:green", "color:blue", "color:yellow", "color:grey"),
    (ADULTS, "size"): ("plain", "size:2x1", "size:1x2", "size:2x2"),
    (ADULTS, "number"): (),
    (ADULTS, "rotation"): ("plain", *_EIGHTHS),
    (ADULTS, "reflection"): ("plain", "reflection:x", "reflection:y", "reflection:both"),
}
# Where a mirror image could pass for a turn, what changed would be read in two ways.
_CHIRAL_ONLY = ("rotation", "reflection")


Kinds = tuple[tuple[str, ...], ...]


class ObjectEntry(Protocol):
    """One object of a bank; `chiral`: no turn of its mirror image looks like it."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def chiral(self) -> bool: ...


class Objects(Protocol):
    """What KiVA asks of a bank; `picture` returns (256, 256, 4) RGBA."""

    @property
    def digest(self) -> str: ...
    @property
    def objects(self) -> Sequence[ObjectEntry]: ...
    @property
    def picture(self) -> Callable[[str], PictureArray]: ...
    @property
    def visible(self) -> Callable[[str, str, str], bool]: ...


class BankTooSmall(ValueError):  # noqa: N818 - named for what went wrong
    """A domain has objects of fewer than two kinds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KivaBank:
    """A bank with the ids that can carry each track's domains, in one tuple for each kind."""

    objects: Objects
    eligible: Mapping[tuple[str, str], Kinds]

    @property
    def digest(self) -> str:
        return self.objects.digest


def prepare(objects: Objects) -> KivaBank:
    """Sort a bank's objects by what they can carry.

    Raises:
        BankTooSmall: some domain has no two kinds to make a given and a test object of.
    """
    carrying = {place: frozenset(_carrying(objects, *place)) for place in _COMPARED}
    for domain in COMBINATIONS:
        carrying[COMPOSITIONALITY, domain] = frozenset.intersection(
            *(carrying[KIVA, one] for one in domains_of(domain))
        )
    eligible = {place: _by_kind(objects, place, carrying[place]) for place in carrying}
    return KivaBank(objects=objects, eligible=eligible)


def _by_kind(objects: Objects, place: tuple[str, str], carrying: Collection[str]) -> Kinds:
    kinds: dict[str, list[str]] = defaultdict(list)
    for entry in objects.objects:
        if entry.id in carrying:
            kinds[entry.kind].append(entry.id)
    if len(kinds) < 2:  # noqa: PLR2004 - a given kind and a test kind
        track, domain = place
        raise BankTooSmall(
            f"track {track}: domain {domain} has {len(kinds)} kinds of objects in this bank that can show it; "
            "add objects of two kinds"
        )
    return tuple(tuple(ids) for _, ids in sorted(kinds.items()))


def _carrying(objects: Objects, track: str, domain: str) -> Iterator[str]:
    """Yield the ids of the objects on which every two states of the domain's trials look different."""
    pairs = tuple(combinations(_COMPARED[track, domain], 2))
    for entry in objects.objects:
        if domain in _CHIRAL_ONLY and not entry.chiral:
            continue
        if all(objects.visible(entry.id, a, b) for a, b in pairs):
            yield entry.id

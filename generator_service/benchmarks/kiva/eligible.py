"""Which objects can carry which domain: asked once per bank of its visibility table, never of pixels.

An object carries a domain if every two states that a trial of it can show look different. Then the given pair tells
its value from every other one, input differs from output, and options differ pairwise, whatever the trial: a trial
needs no rejected draw, and acceptance tells nothing about the key.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva.spec import DOMAINS

# Quarter turns are exact, so two of them differ as their difference does from upright.
_COMPARED = {
    "color": ("color:red", "color:green", "color:blue"),
    "size": ("plain", "size:2x2"),
    "number": (),
    "rotation": ("plain", "rotation:90", "rotation:180", "rotation:270"),
    "reflection": ("plain", "reflection:x", "reflection:y"),
}
# Where a mirror image could pass for a turn, what changed would be read in two ways.
_CHIRAL_ONLY = ("rotation", "reflection")


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
    """A bank with the ids that can carry each domain, in one tuple for each kind."""

    objects: Objects
    eligible: Mapping[str, tuple[tuple[str, ...], ...]]

    @property
    def digest(self) -> str:
        return self.objects.digest


def prepare(objects: Objects) -> KivaBank:
    """Sort a bank's objects by what they can carry.

    Raises:
        BankTooSmall: some domain has no two kinds to make a given and a test object of.
    """
    return KivaBank(objects=objects, eligible={domain: _by_kind(objects, domain) for domain in DOMAINS})


def _by_kind(objects: Objects, domain: str) -> tuple[tuple[str, ...], ...]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for entry in objects.objects:
        if _carries(objects, entry, domain):
            kinds[entry.kind].append(entry.id)
    if len(kinds) < 2:  # noqa: PLR2004 - a given kind and a test kind
        raise BankTooSmall(f"domain {domain} has {len(kinds)} kinds of objects in this bank; add objects of two kinds")
    return tuple(tuple(ids) for _, ids in sorted(kinds.items()))


def _carries(objects: Objects, entry: ObjectEntry, domain: str) -> bool:
    if domain in _CHIRAL_ONLY and not entry.chiral:
        return False
    return all(objects.visible(entry.id, a, b) for a, b in combinations(_COMPARED[domain], 2))

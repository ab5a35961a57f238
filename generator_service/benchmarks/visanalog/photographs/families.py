"""List the kinds of facts that are measured on photographs, and the families of questions that are made of them.

A family is a stratum of draws. Which facts stand for it depends on the photograph: where annotations name things, a
place is that of a thing.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import TypeVar

from generator_service.benchmarks.visanalog.programs import Ints
from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact, Labelled

Place = TypeVar("Place", int, Ints)
CORNER, QUARTER, EDGE, HALF = "corner", "quarter", "edge", "half"
"""Kinds of parts of a picture. There are four of each: corners and quarters lie at tiles, edges and halves at sides."""
PARTS = (CORNER, QUARTER, EDGE, HALF)
AT_SIDES = (EDGE, HALF)
OPPOSITE: Mapping[str, tuple[tuple[int, int], ...]] = MappingProxyType(
    {part: ((0, 2), (1, 3)) if part in AT_SIDES else ((0, 3), (1, 2)) for part in PARTS}
)
"""By kind of part, the two pairs of such parts that a half turn exchanges."""

# The hue that prevails in a part; in the middle, the rim, or the whole picture; in the part that the fact before it
# names, or across from it.
HUES: Mapping[str, str] = MappingProxyType({f"hue of a {part}": part for part in PARTS})
HUE_MIDDLE, HUE_RIM, HUE_WHOLE = "hue of the middle", "hue of the rim", "hue of the whole"
HUE_THERE, HUE_ACROSS = "hue there", "hue across"
COMMON_HUES = (HUE_MIDDLE, HUE_RIM, HUE_WHOLE)
"""Hues that a half turn leaves as they are."""
# Which of four parts, or of two opposite ones, is the lightest, the darkest, the most colourful.
LIGHTEST, DARKEST, VIVID = "lightest", "darkest", "most colorful"
EXTREMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {f"{most} {part}": (most, part) for most in (LIGHTEST, DARKEST, VIVID) for part in (CORNER, QUARTER, EDGE)}
)
LIGHTER, MORE_VIVID = "lighter", "more colorful"
OF_TWO: Mapping[str, tuple[str, str]] = MappingProxyType(
    {f"{more} {part}": (more, part) for more in (LIGHTER, MORE_VIVID) for part in PARTS}
)
MEASURED: Mapping[str, tuple[str, str]] = MappingProxyType({**EXTREMES, **OF_TWO})
WHERE = "quarter of a thing"
_OF_THINGS = (WHERE, SIDE_OF, LEVEL)

HUE, PLACE, PLACE_AND_HUE = "color", "place", "place and color"
FAMILIES: Mapping[str, tuple[int, ...]] = MappingProxyType({HUE: (1,), PLACE: (1,), PLACE_AND_HUE: (2, 3, 4)})
"""By family, the numbers of steps that it asks for."""
RINGS = 2
"""Hues are asked for within a ring of four, each a quarter of the circle from the next: see `spec.COLOURS`."""


def opposite(part: str, place: Place) -> Place:
    """Return the place of the part of this kind that a half turn brings there."""
    return (place + 2) % 4 if part in AT_SIDES else 3 - place


def families_of(steps: int) -> tuple[str, ...]:
    """Return the families that can ask for programs of so many steps."""
    return tuple(family for family, counts in FAMILIES.items() if steps in counts)


def family_of(facts: Sequence[Fact]) -> str:
    """Return the family that these facts stand for."""
    if len(facts) > 1:
        return PLACE_AND_HUE
    return HUE if facts[0].kind in HUES else PLACE


def hue_fact(kind: str, ring: int, place: int = 0) -> Fact:
    """Return a fact about a hue of one of two rings, at one of four places if its kind asks for one."""
    return Fact(kind, place=RINGS * place + ring)


def place_and_ring(fact: Fact) -> tuple[int, int]:
    """Return the place and the ring of a fact about a hue."""
    return divmod(fact.place, RINGS)


def choices(things: Sequence[Labelled]) -> Sequence[tuple[Fact, ...]]:
    """List all that can be asked of a photograph, in a fixed order, whatever its pose."""
    return _choices(len(things))


@lru_cache
def _choices(count: int) -> tuple[tuple[Fact, ...], ...]:
    """List them for a photograph in which annotations name so many things."""
    rings = range(RINGS)
    found: list[tuple[Fact, ...]] = [
        (hue_fact(kind, ring, place),) for kind in HUES for place in range(4) for ring in rings
    ]
    places = [Fact(kind) for kind in EXTREMES]
    of_two = [Fact(kind, place=pair) for kind in OF_TWO for pair in range(2)]
    thing_places = [Fact(WHERE, things=(number,)) for number in range(count)]
    found += [(fact,) for fact in (*places, *thing_places)]
    named = [hue_fact(kind, ring) for kind in (HUE_THERE, HUE_ACROSS) for ring in rings]
    common = [hue_fact(kind, ring) for kind in COMMON_HUES for ring in rings]
    found += [(fact, hue) for fact in (*places, *of_two) for hue in (*named, *common)]
    sides = [Fact(kind, things=pair) for kind in (SIDE_OF, LEVEL) for pair in combinations(range(count), 2)]
    found += [(fact, hue) for fact in (*thing_places, *sides) for hue in common]
    return tuple(found)


def is_of_hue(fact: Fact) -> bool:
    """Tell whether a fact is about a hue."""
    return fact.kind.startswith("hue ")


def is_of_things(fact: Fact) -> bool:
    """Tell whether a fact is about what annotations name."""
    return fact.kind in _OF_THINGS

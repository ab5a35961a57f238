"""List the kinds of facts that are measured on photographs, and the families of questions that are made of them.

A family is a stratum of draws. Which facts stand for it depends on the photograph: where annotations name things, a
place is that of a thing.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from generator_service.benchmarks.visanalog.spec import LEVEL, SIDE_OF, Fact, Labelled

# The hue that prevails at a place; at two places; in the middle; in the part that another fact names.
HUE_CORNER, HUE_QUARTER, HUE_EDGE = "hue of a corner", "hue of a quarter", "hue of an edge"
TWO_CORNERS, TWO_QUARTERS, TWO_EDGES = "hues of two corners", "hues of two quarters", "hues of two edges"
HUE_MIDDLE, HUE_THERE = "hue of the middle", "hue there"
HUES = (HUE_CORNER, HUE_QUARTER, HUE_EDGE)
TWO_HUES: Mapping[str, str] = MappingProxyType(
    {TWO_CORNERS: HUE_CORNER, TWO_QUARTERS: HUE_QUARTER, TWO_EDGES: HUE_EDGE}
)
# Which of four parts is the lightest, the darkest, the most colourful; the quarter that a thing lies in.
LIGHTEST_QUARTER, DARKEST_QUARTER, VIVID_QUARTER = "lightest quarter", "darkest quarter", "most colourful quarter"
LIGHTEST_CORNER, DARKEST_CORNER = "lightest corner", "darkest corner"
LIGHTEST_EDGE, DARKEST_EDGE = "lightest edge", "darkest edge"
WHERE = "quarter of a thing"
EXTREMES = (
    LIGHTEST_QUARTER,
    DARKEST_QUARTER,
    VIVID_QUARTER,
    LIGHTEST_CORNER,
    DARKEST_CORNER,
    LIGHTEST_EDGE,
    DARKEST_EDGE,
)
EDGES = (HUE_EDGE, LIGHTEST_EDGE, DARKEST_EDGE)

HUE, PAIR_OF_HUES, PLACE, PLACE_AND_HUE = "hue", "two hues", "place", "place and hue"
FAMILIES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {HUE: (1, 2, 3, 4), PAIR_OF_HUES: (2, 3, 4, 5), PLACE: (1,), PLACE_AND_HUE: (2, 3)}
)
"""By family, the numbers of steps that it asks for."""
PAIRS = tuple(combinations(range(4), 2))
"""Two corners, quarters or edges, by the place of a fact about both."""
_OF_THINGS = (WHERE, SIDE_OF, LEVEL)


def families_of(steps: int) -> tuple[str, ...]:
    """Return the families that can ask for programs of so many steps."""
    return tuple(family for family, counts in FAMILIES.items() if steps in counts)


def family_of(facts: Sequence[Fact]) -> str:
    """Return the family that these facts stand for."""
    if len(facts) > 1:
        return PLACE_AND_HUE
    kind = facts[0].kind
    return HUE if kind in HUES else PAIR_OF_HUES if kind in TWO_HUES else PLACE


def choices(things: Sequence[Labelled]) -> list[tuple[Fact, ...]]:
    """List all that can be asked of a photograph, in a fixed order, whatever its pose."""
    found: list[tuple[Fact, ...]] = [(Fact(kind, place=place),) for kind in HUES for place in range(4)]
    found += [(Fact(kind, place=place),) for kind in TWO_HUES for place in range(len(PAIRS))]
    places = [Fact(kind) for kind in EXTREMES]
    thing_places = [Fact(WHERE, things=(number,)) for number in range(len(things))]
    found += [(one,) for one in (*places, *thing_places)]
    found += [(one, Fact(HUE_THERE)) for one in places]
    sides = [Fact(kind, things=pair) for kind in (SIDE_OF, LEVEL) for pair in combinations(range(len(things)), 2)]
    found += [(one, Fact(HUE_MIDDLE)) for one in (*places, *thing_places, *sides)]
    return found


def is_of_things(fact: Fact) -> bool:
    """Tell whether a fact is about what annotations name."""
    return fact.kind in _OF_THINGS

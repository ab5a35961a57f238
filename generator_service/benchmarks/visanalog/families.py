"""List the families of questions: one fact for programs of one step, two facts for longer ones."""

from collections.abc import Mapping
from types import MappingProxyType

from generator_service.benchmarks.visanalog.spec import (
    ARROW_LOOK,
    COLOUR,
    CORNER,
    CUT,
    FACING,
    HANDS,
    LEVEL,
    ORDER,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
)

Family = tuple[str, ...]
"""Kinds of facts. A colour behind another fact is that of the first thing it names."""

# Numbers of families divide 24, so a balanced block of a draw is short.
ONE_STEP: tuple[Family, ...] = ((COLOUR,), (QUARTER,), (CORNER,), (READING,), (HANDS,), (FACING,))
_TWO_FACTS: Mapping[Family, tuple[int, ...]] = MappingProxyType(
    {
        (CORNER, COLOUR): (2, 3, 4),
        (QUARTER, COLOUR): (2, 3, 4),
        (CUT, COLOUR): (3, 4, 5),
        (READING, COLOUR): (2, 3),
        (FACING, COLOUR): (2,),
        (SIDE_OF, COLOUR): (3, 4),
        (LEVEL, COLOUR): (3,),
        (ORDER, COLOUR): (2, 4),
        (CORNER, READING): (2,),
        (QUARTER, HANDS): (2,),
        (QUARTER, SIDE_OF): (2,),
        (QUARTER, LEVEL): (2,),
        (QUARTER, CUT): (3,),
        (SIDE_OF, CUT): (3,),
        (LEVEL, CUT): (3,),
        (QUARTER, SIGN_LOOK): (3,),
        (CUT, SIGN_LOOK): (3, 4, 5),
        (CUT, ARROW_LOOK): (3, 4, 5),
        (ORDER, SIGN_LOOK): (4,),
    }
)


def families_of(steps: int) -> tuple[Family, ...]:
    """Return the families that can ask for programs of so many steps."""
    return ONE_STEP if steps == 1 else tuple(family for family, counts in _TWO_FACTS.items() if steps in counts)


def family_name(family: Family) -> str:
    return " and ".join(family)


BY_NAME: Mapping[str, Family] = MappingProxyType({family_name(family): family for family in (*ONE_STEP, *_TWO_FACTS)})

"""List the families of questions about scenes of people: one fact for programs of one step, two for longer ones."""

from collections.abc import Mapping
from types import MappingProxyType

from generator_service.benchmarks.visanalog.families import Family, family_name
from generator_service.benchmarks.visanalog.spec import (
    ARROW_LOOK,
    COLOUR,
    CORNER,
    CUT,
    FACES,
    FACING,
    HANDS,
    LEVEL,
    ORDER,
    PERSON_LOOK,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
)

# Numbers of families divide 24, so a balanced block of a draw is short.
ONE_STEP: tuple[Family, ...] = ((COLOUR,), (QUARTER,), (CORNER,), (READING,), (HANDS,), (FACES,))
_TWO_FACTS: Mapping[Family, tuple[int, ...]] = MappingProxyType(
    {
        (CORNER, COLOUR): (2, 3, 4),
        (QUARTER, COLOUR): (2, 3, 4),
        (CUT, COLOUR): (3, 4, 5),
        (READING, COLOUR): (2, 3),
        (FACES, COLOUR): (2,),
        (FACING, COLOUR): (2,),
        (SIDE_OF, COLOUR): (3, 4),
        (LEVEL, COLOUR): (3,),
        (ORDER, COLOUR): (4,),
        (CORNER, READING): (2,),
        (QUARTER, SIDE_OF): (2,),
        (QUARTER, LEVEL): (2,),
        (QUARTER, CUT): (3,),
        (SIDE_OF, CUT): (3,),
        (QUARTER, SIGN_LOOK): (3,),
        (CUT, SIGN_LOOK): (3, 4, 5),
        (CUT, ARROW_LOOK): (3, 4, 5),
        (CUT, PERSON_LOOK): (3, 4, 5),
    }
)


def families_of(steps: int) -> tuple[str, ...]:
    """Return the names of the families that can ask for programs of so many steps."""
    if steps == 1:
        return tuple(map(family_name, ONE_STEP))
    return tuple(family_name(family) for family, counts in _TWO_FACTS.items() if steps in counts)


BY_NAME: Mapping[str, Family] = MappingProxyType({family_name(family): family for family in (*ONE_STEP, *_TWO_FACTS)})

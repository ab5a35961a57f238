"""List every way to choose the properties that each pair changes, under the conditions of a track and operation.

A plan gives each property a role: changed by both pairs alike, by both but differently (a near miss), by the first or
the second only, or by neither. Union admits no near miss, since two changes of one property can't both be made;
intersection and difference need a shared change. Without one, the intersection is empty and the difference is the whole
of T1.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import msgspec

from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIFFERENCE,
    INTERSECTION,
    PROPERTIES,
    TRACKS,
    UNION,
    VALUES,
)

BOTH, DIFFER, FIRST, SECOND, NEITHER = "both", "differ", "first", "second", "neither"
_SAME_START = 3  # values that a property needs to change from one value into two different ones


class Plan(msgspec.Struct, frozen=True):
    """Roles in the order of PROPERTIES."""

    roles: tuple[str, ...]

    def count(self, *roles: str) -> int:
        return sum(role in roles for role in self.roles)

    @property
    def first(self) -> tuple[str, ...]:
        """Return the properties that the first pair changes."""
        return tuple(name for name, role in zip(PROPERTIES, self.roles, strict=True) if role in (BOTH, DIFFER, FIRST))

    @property
    def near_miss(self) -> bool:
        return DIFFER in self.roles

    def target(self, operation: str) -> int:
        """Return the number of changes in the target."""
        if operation == INTERSECTION:
            return self.count(BOTH)
        if operation == DIFFERENCE:
            return self.count(FIRST, DIFFER)
        return self.count(BOTH, FIRST, SECOND)


@lru_cache(maxsize=64)
def plans(track: str, operation: str, *, tempting: bool) -> tuple[Plan, ...]:
    """Return every plan for this track and operation.

    Both changes of a near miss start from the same value if pairs share their source, or if the query holds the old
    values of all changes. Such a property needs a third value.
    """
    rules = TRACKS[track]
    if operation == APPLY:
        found = (Plan(roles) for roles in product((FIRST, NEITHER), repeat=len(PROPERTIES)))
        return tuple(plan for plan in found if plan.count(FIRST) == rules.atomic)
    found = (Plan(roles) for roles in product((BOTH, DIFFER, FIRST, SECOND, NEITHER), repeat=len(PROPERTIES)))
    same_start = rules.shared or tempting
    return tuple(plan for plan in found if _fits(plan, operation, rules.atomic, same_start=same_start))


def _fits(plan: Plan, operation: str, atomic: int, *, same_start: bool) -> bool:
    shared, missed = plan.count(BOTH), plan.count(DIFFER)
    if plan.count(FIRST) + shared + missed != atomic or plan.count(SECOND) + shared + missed != atomic:
        return False
    if shared == atomic:
        return False  # T1 = T2
    if operation == UNION:
        return missed == 0
    return shared > 0 and (not same_start or all(len(VALUES[name]) >= _SAME_START for name in _list_differing(plan)))


def _list_differing(plan: Plan) -> Sequence[str]:
    return [name for name, role in zip(PROPERTIES, plan.roles, strict=True) if role == DIFFER]

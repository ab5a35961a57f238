"""List the strata of a draw: operation, target size, near miss, temptation, properties that the first pair changes.

Each level is divided equally among the values of the next. The levels are: operations; target sizes; near misses or not
(half of the items each, if both are possible); the properties of T1 (algorithm 1's "transformation type").
"""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.carv.plans import Plan, plans
from generator_service.benchmarks.carv.spec import DIFFERENCE, INTERSECTION, TRACKS

# operation, target, near miss, tempting, first
PlanClass = tuple[str, str, str, str, str]


def strata(track: str, _setting: str, _parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata of a track. Settings show the same items in other ways."""
    return _strata(track)


def matching(track: str, stratum: PlanClass) -> tuple[Plan, ...]:
    """Return the plans of one stratum."""
    return _plans_by_class(track)[stratum]


def first_text(plan: Plan) -> str:
    return " ".join(plan.first)


@lru_cache(maxsize=16)
def _strata(track: str) -> tuple[Stratum, ...]:
    shares = {stratum: _share(list(_plans_by_class(track)), stratum) for stratum in _plans_by_class(track)}
    unit = lcm(*(share.denominator for share in shares.values()))
    return tuple(
        Stratum(
            facets={
                "operation": operation,
                "atomic": str(TRACKS[track].atomic),
                "target": target,
                "near_miss": near_miss,
                "tempting": tempting,
                "first": first,
            },
            weight=int(share * unit),
        )
        for (operation, target, near_miss, tempting, first), share in shares.items()
    )


def _share(classes: Iterable[PlanClass], wanted: PlanClass) -> Fraction:
    """Divide one by the number of choices at each level on the way to the stratum."""
    share, left = Fraction(1), list(classes)
    for level in range(len(wanted)):
        choices: set[Hashable] = {stratum[level] for stratum in left}
        share /= len(choices)
        left = [stratum for stratum in left if stratum[level] == wanted[level]]
    return share


@lru_cache(maxsize=16)
def _plans_by_class(track: str) -> dict[PlanClass, tuple[Plan, ...]]:
    found: dict[PlanClass, list[Plan]] = {}
    for operation in TRACKS[track].operations:
        for tempting in _temptations(track, operation):
            for plan in plans(track, operation, tempting=tempting):
                size, near = str(plan.target(operation)), "yes" if plan.near_miss else "no"
                stratum = (operation, size, near, "yes" if tempting else "no", first_text(plan))
                found.setdefault(stratum, []).append(plan)
    return {stratum: tuple(of) for stratum, of in found.items()}


def _temptations(track: str, operation: str) -> tuple[bool, ...]:
    """Return the possible answers to "does the query hold the old values of changes outside the target?".

    Only intersection and difference leave changes outside the target. There the query always holds the old values if
    pairs and query all start alike.
    """
    if operation not in (INTERSECTION, DIFFERENCE):
        return (False,)
    return (True,) if TRACKS[track].shared else (True, False)

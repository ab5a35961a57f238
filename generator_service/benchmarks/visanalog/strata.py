"""List the strata of a draw: the number of steps, and the family of question; each number of steps as often."""

from functools import lru_cache
from math import lcm

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.visanalog.families import families_of, family_name
from generator_service.benchmarks.visanalog.spec import OF_THE_PAPER


def strata(_track: str, _setting: str, parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata of a draw. Settings show the same items in other ways."""
    return _strata(int(parameters["steps"]))


@lru_cache(maxsize=8)
def _strata(steps: int) -> tuple[Stratum, ...]:
    counts = (1, 2, 3, 4) if steps == OF_THE_PAPER else (steps,)
    places = lcm(*(len(families_of(count)) for count in counts))
    return tuple(
        Stratum(facets={"steps": str(count), "asked": family_name(family)}, weight=places // len(families_of(count)))
        for count in counts
        for family in families_of(count)
    )

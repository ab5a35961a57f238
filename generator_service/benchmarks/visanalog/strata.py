"""List the strata of a draw: the number of steps, and the family of question; each number of steps as often."""

from functools import lru_cache
from math import lcm

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.visanalog.families import families_of, family_name
from generator_service.benchmarks.visanalog.photographs import families as of_photographs
from generator_service.benchmarks.visanalog.scenes import families as of_scenes
from generator_service.benchmarks.visanalog.spec import OF_THE_PAPER, PHOTOGRAPHS, SCENES


def strata(track: str, _setting: str, parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata of a draw. Settings show the same items in other ways."""
    return _strata(track, int(parameters["steps"]))


@lru_cache(maxsize=16)
def _strata(track: str, steps: int) -> tuple[Stratum, ...]:
    counts = (1, 2, 3, 4) if steps == OF_THE_PAPER else (steps,)
    families = {count: _names(track, count) for count in counts}
    places = lcm(*(len(names) for names in families.values()))
    return tuple(
        Stratum(facets={"steps": str(count), "asked": name}, weight=places // len(names))
        for count, names in families.items()
        for name in names
    )


def _names(track: str, steps: int) -> tuple[str, ...]:
    """Return the families that ask for programs of so many steps on a track."""
    if track == PHOTOGRAPHS:
        return of_photographs.families_of(steps)
    return of_scenes.families_of(steps) if track == SCENES else tuple(map(family_name, families_of(steps)))

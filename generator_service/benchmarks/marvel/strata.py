"""List the strata of a draw: pattern x configuration x shape, all of equal weight; a track may have just one."""

from functools import lru_cache

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.marvel.spec import CELLS, SHAPES


def strata(_track: str, _setting: str, _parameters: Parameters) -> tuple[Stratum, ...]:
    return _strata()


@lru_cache(maxsize=1)
def _strata() -> tuple[Stratum, ...]:
    return tuple(
        Stratum(facets={"pattern": pattern, "configuration": configuration, "shape": shape}, weight=1)
        for pattern, configuration in CELLS
        for shape in SHAPES
    )

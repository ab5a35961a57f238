"""The strata of a draw: pattern x configuration x shape, every cell as often; a track may be one cell's alone."""

from functools import lru_cache

from generator_service.benchmark import Cell, Parameters
from generator_service.benchmarks.marvel.spec import CELLS, SHAPES


def cells(_track: str, _setting: str, _parameters: Parameters) -> tuple[Cell, ...]:
    return _cells()


@lru_cache(maxsize=1)
def _cells() -> tuple[Cell, ...]:
    return tuple(
        Cell(facets={"pattern": pattern, "configuration": configuration, "shape": shape}, weight=1)
        for pattern, configuration in CELLS
        for shape in SHAPES
    )

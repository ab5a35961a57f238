"""The strata of a draw: domain x value x change, with the whole-number shares that make option sets symmetric."""

from functools import lru_cache
from math import gcd

from generator_service.benchmark import Cell, Parameters
from generator_service.benchmarks.kiva.arrangements import value_weights
from generator_service.benchmarks.kiva.spec import VALUES


def cells(_track: str, _setting: str, parameters: Parameters) -> tuple[Cell, ...]:
    """Return the cells: equal shares for the domains, the arrangements' shares for their values.

    `no_change` percent of every value's trials show no change.
    """
    return _cells(str(parameters["distractors"]), int(parameters["no_change"]))


@lru_cache(maxsize=16)
def _cells(distractors: str, no_change: int) -> tuple[Cell, ...]:
    weighed = [
        Cell(facets={"domain": domain, "value": value, "change": change}, weight=weight * percent)
        for domain in VALUES
        for value, weight in value_weights(domain, distractors).items()
        for change, percent in (("yes", 100 - no_change), ("no", no_change))
        if percent
    ]
    unit = gcd(*(cell.weight for cell in weighed))
    return tuple(Cell(facets=cell.facets, weight=cell.weight // unit) for cell in weighed)

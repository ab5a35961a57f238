"""List the strata of a draw: domain x value x change, with the whole-number shares that make option sets symmetric."""

from collections.abc import Iterator
from functools import lru_cache
from math import gcd

from generator_service.benchmark import Parameters, Stratum
from generator_service.benchmarks.kiva.arrangements import value_weights
from generator_service.benchmarks.kiva.spec import COMBINATIONS, COMPOSITIONALITY, EIGHT, FOUR, VALUES_OF, domains_of
from tetrad.contracts.wire import Facets


def strata(track: str, _setting: str, parameters: Parameters) -> tuple[Stratum, ...]:
    """Return the strata. `no_change` percent of the trials of each show no change.

    kiva: equal shares for the domains, the arrangements' shares for their values. kiva-adults: as in the paper, equal
    shares for the values. kiva-compositionality: equal shares for the combinations of domains. Eight mixtures are of
    three domains: two give no more than four.
    """
    mixtures = str(parameters.get("mixtures", FOUR))
    return _strata(track, str(parameters["distractors"]), mixtures, int(parameters["no_change"]))


@lru_cache(maxsize=64)
def _strata(track: str, distractors: str, mixtures: str, no_change: int) -> tuple[Stratum, ...]:
    weighed = [
        Stratum(facets={**facets, "change": change}, weight=weight * percent)
        for facets, weight in _shares(track, distractors, mixtures)
        for change, percent in (("yes", 100 - no_change), ("no", no_change))
        if percent
    ]
    unit = gcd(*(cell.weight for cell in weighed))
    return tuple(Stratum(facets=cell.facets, weight=cell.weight // unit) for cell in weighed)


def _shares(track: str, distractors: str, mixtures: str) -> Iterator[tuple[Facets, int]]:
    if track == COMPOSITIONALITY:
        fewest = 3 if mixtures == EIGHT else 2
        yield from (({"domain": domain}, 1) for domain in COMBINATIONS if len(domains_of(domain)) >= fewest)
        return
    for domain in VALUES_OF[track]:
        for value, weight in value_weights(track, domain, distractors).items():
            yield {"domain": domain, "value": value}, weight

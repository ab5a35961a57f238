"""Chance levels beside a value: what a random model would score on exactly these questions."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring_service.metrics.selection import fits
from tetrad.contracts.benchmarks import ChanceLevel
from tetrad.contracts.wire import Facets


class Levels(NamedTuple):
    """Expected scores of guessing, 0 to 1; None where the card says nothing of some question."""

    uniform: float | None
    stated: float | None


UNKNOWN = Levels(None, None)


class Chance:
    """The card's chance levels, found once for each kind of facets: a draw has few kinds and many questions."""

    def __init__(self, levels: Sequence[ChanceLevel]) -> None:
        self._levels = levels
        self._found: dict[tuple[tuple[str, str], ...], tuple[Facets, Levels]] = {}
        # Questions that are alike come with the same object: its id tells, for as long as it is kept here.
        self._met: dict[int, tuple[Facets, tuple[Facets, Levels]]] = {}

    def of(self, facets: Facets) -> Levels:
        """Return the first level whose facets fit."""
        return self.shared(facets)[1]

    def shared(self, facets: Facets) -> tuple[Facets, Levels]:
        """Return these facets as one object for all that equal them, and their level."""
        met = self._met.get(id(facets))
        if met is None:
            met = self._met[id(facets)] = facets, self._shared(facets)
        return met[1]

    def _shared(self, facets: Facets) -> tuple[Facets, Levels]:
        kind = tuple(facets.items())
        if kind not in self._found:
            level = next((level for level in self._levels if fits(facets, level.where)), None)
            self._found[kind] = facets, UNKNOWN if level is None else Levels(level.uniform, level.stated)
        return self._found[kind]


def mean_level(clusters: Iterable[Sequence[Levels]]) -> Levels:
    """Average levels as a value is: within each cluster, then over the clusters."""
    means = [_mean(cluster) for cluster in clusters]
    return _mean(means) if means else UNKNOWN


def _mean(levels: Sequence[Levels]) -> Levels:
    if len(set(levels)) == 1:
        return levels[0]
    uniform, stated = 0.0, 0.0
    for level in levels:
        if level.uniform is None or level.stated is None:
            return UNKNOWN
        uniform += level.uniform
        stated += level.stated
    return Levels(uniform / len(levels), stated / len(levels))

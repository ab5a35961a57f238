"""Does a score hold what is declared? Exact tails of a sum of unequal chances: no guessed tolerance, no flaky test."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

LEVEL = 1e-6  # the chance that a row fails although its declared value is true

HOLDS, BROKEN, UNDECIDED = "holds", "DOES NOT HOLD", "undecided"
EQUAL, AT_MOST, ABOVE = "=", "<=", ">"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A declaration about one question: the chance that it is answered right, or a bound on it."""

    relation: str
    chance: float


def tails(right: int, chances: Sequence[float]) -> tuple[float, float]:
    """Return P(at most `right`) and P(at least `right`) of independent questions with these chances."""
    mass = np.ones(1)
    for chance in chances:
        mass = np.convolve(mass, (1 - chance, chance))
    return float(mass[: right + 1].sum()), float(mass[right:].sum())


def relation_of(bounds: Sequence[Bound]) -> str:
    relations = {bound.relation for bound in bounds}
    return AT_MOST if AT_MOST in relations else relations.pop()


def verdict(right: int, bounds: Sequence[Bound]) -> str:
    """Judge a score. If any of its questions has only an upper bound, the score is held to an upper bound.

    = holds if both tails are likelier than LEVEL / 2, <= if the upper tail is likelier than LEVEL. > holds if the share
    is above the bound; otherwise it is undecided, until the bound is refuted at LEVEL.
    """
    relation = relation_of(bounds)
    if relation == ABOVE:
        least = bounds[0].chance
        if right > least * len(bounds):
            return HOLDS
        return BROKEN if binom.cdf(right, len(bounds), least) < LEVEL else UNDECIDED
    low, high = tails(right, [bound.chance for bound in bounds])
    held = high >= LEVEL if relation == AT_MOST else min(low, high) >= LEVEL / 2
    return HOLDS if held else BROKEN

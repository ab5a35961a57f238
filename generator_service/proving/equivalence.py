"""Is a score the declared one? Exact binomial tests against a margin, Holm's correction over many cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import binom

MARGIN = 0.03  # ARCHITECTURE.md: the 95% interval within 3 points of the ceiling
FAMILY = 0.05
_Z = 1.959963984540054

HOLDS, BROKEN, WEAK, UNDECIDED, NOT_REFUTED = "holds", "BROKEN", "TOO WEAK", "undecided", "not refuted"


@dataclass(frozen=True, kw_only=True)
class Score:
    """`right` of `n` against a ceiling; `exact`: the solver must reach it, not only stay under it."""

    right: int
    n: int
    ceiling: float
    exact: bool

    @property
    def share(self) -> float:
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95% interval."""
        center = (self.right + _Z**2 / 2) / (self.n + _Z**2)
        half = _Z * (self.share * (1 - self.share) * self.n + _Z**2 / 4) ** 0.5 / (self.n + _Z**2)
        return max(center - half, 0.0), min(center + half, 1.0)

    @property
    def p_value(self) -> float:
        """Return the probability of such a score if the true share lies 3 points above or, with `exact`, below.

        No share lies above 1 or below 0.
        """
        high, low = self.ceiling + MARGIN, self.ceiling - MARGIN
        above = float(binom.cdf(self.right, self.n, high)) if high < 1 else 0.0
        below = float(binom.sf(self.right - 1, self.n, low)) if low > 0 else 0.0
        return max(above, below) if self.exact else above

    @property
    def p_values_outside(self) -> tuple[float, float]:
        """Return the probabilities of a score so high, and of one so low, if the true share lies within the margin."""
        above = float(binom.sf(self.right - 1, self.n, min(self.ceiling + MARGIN, 1.0)))
        below = float(binom.cdf(self.right, self.n, max(self.ceiling - MARGIN, 0.0)))
        return above, below if self.exact else 1.0

    @property
    def is_inside(self) -> bool:
        low, high = self.interval
        return high < self.ceiling + MARGIN and (not self.exact or low > self.ceiling - MARGIN)


def verdicts(scores: Sequence[Score], family: float) -> list[str]:
    """Judge each score by three families of Holm's tests, each at `family`: inside the margin, above it, below it.

    A score holds only if its own 95% interval is inside, too.
    """
    inside = holm([score.p_value for score in scores], family)
    above = holm([score.p_values_outside[0] for score in scores], family)
    below = holm([score.p_values_outside[1] for score in scores], family)
    found = []
    for score, is_in, is_above, is_below in zip(scores, inside, above, below, strict=True):
        decided = HOLDS if is_in and score.is_inside else BROKEN if is_above else WEAK if is_below else UNDECIDED
        found.append(decided)
    return found


def holm(p_values: Sequence[float], family: float) -> list[bool]:
    """Return which hypotheses Holm's step-down procedure rejects at a family-wise error rate."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = [False] * len(p_values)
    for step, place in enumerate(order):
        if p_values[place] > family / (len(p_values) - step):
            break
        rejected[place] = True
    return rejected

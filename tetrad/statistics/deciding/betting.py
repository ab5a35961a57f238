"""Test a mean while items still come: an e-process that may be looked at as often as one likes.

Bet that the mean of the values is above a boundary: each value x multiplies the wealth by 1 + stake (x - boundary).
While the true mean is at or below it, the wealth is a supermartingale, whatever the stake, so it ever reaches
1 / error with a probability of at most `error` (Ville's inequality). The stakes are spread evenly from 5% to 95% of
the largest that no value can ruin, and their wealths averaged. The bet that the mean is below is its mirror image.

The values must be independent given the past, each in the given range, with one mean. The order does not matter.

Source: Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS B 86(1).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from tetrad.statistics.deciding.gates import Outcome
from tetrad.statistics.deciding.planning import ERROR
from tetrad.statistics.interval import Interval

__all__ = ["Look", "bet", "look"]

_STAKES = tuple(step / 20 for step in range(1, 20))
_HALVINGS = 40
_LARGEST = 700.0  # exponents above overflow


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """The state after `items` values: the decision, the wealths (1 at the start), and bounds for the mean."""

    outcome: Outcome
    items: int
    estimate: float
    interval: Interval
    boundary: float
    wealth_above: float
    wealth_below: float


def look(values: Sequence[float], boundary: float, *, lowest: float, highest: float) -> Look:
    """Decide whether the mean is at `boundary` or above (pass), or below (fail), from all values so far.

    Args:
        values: one an item, each in `lowest`..`highest`.
        boundary: strictly between `lowest` and `highest`.
        lowest: the least that a value can be: 0 for a score, -1 for a difference.
        highest: the most that a value can be: 1.

    Raises:
        ValueError: a value or the boundary is out of range, or there is no value.
    """
    outcome, above, below = bet(values, boundary, lowest=lowest, highest=highest)
    return Look(
        outcome=outcome,
        items=len(values),
        estimate=math.fsum(values) / len(values),
        interval=_interval(Counter(values), lowest, highest),
        boundary=boundary,
        wealth_above=above,
        wealth_below=below,
    )


def bet(values: Sequence[float], boundary: float, *, lowest: float, highest: float) -> tuple[Outcome, float, float]:
    """Return the decision of `look`, and the wealth of the bets on a mean above and below; without an interval.

    Raises:
        ValueError: a value or the boundary is out of range, or there is no value.
    """
    if not lowest < boundary < highest:
        raise ValueError(f"boundary must lie between {lowest:g} and {highest:g}: got {boundary!r}")
    if not values or not all(lowest <= value <= highest for value in values):
        raise ValueError(f"values must lie in [{lowest:g}, {highest:g}], one at least: got {list(values)[:5]!r} ...")
    counts = Counter(values)
    above = _log_wealth(counts, boundary, boundary - lowest)
    below = _log_wealth({-value: count for value, count in counts.items()}, -boundary, highest - boundary)
    enough = -math.log(ERROR)
    outcome: Outcome = "pass" if above >= enough else "fail" if below >= enough else "undecided"
    return outcome, math.exp(min(above, _LARGEST)), math.exp(min(below, _LARGEST))


def _log_wealth(counts: Mapping[float, int], boundary: float, room: float) -> float:
    """Return the logarithm of the mean wealth of all stakes, which bet on a mean above the boundary.

    `room` is the distance from the boundary to the least value: a stake of 1 / room could be ruined by it.
    """
    logs = [
        math.fsum(count * math.log1p(part / room * (value - boundary)) for value, count in counts.items())
        for part in _STAKES
    ]
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))


def _interval(counts: Mapping[float, int], lowest: float, highest: float) -> Interval:
    """Return the means that neither bet rules out; each bound is one-sided at ERROR, over all looks."""
    mirrored = {-value: count for value, count in counts.items()}
    lower = _last_ruled_out(counts, lowest, highest)
    upper = -_last_ruled_out(mirrored, -highest, -lowest)
    return Interval(lower=lower, upper=upper, level=1 - 2 * ERROR, method="betting")


def _last_ruled_out(counts: Mapping[float, int], lowest: float, highest: float) -> float:
    below, above = lowest, highest
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        is_out = _log_wealth(counts, middle, middle - lowest) >= -math.log(ERROR)
        below, above = (middle, above) if is_out else (below, middle)
    return below

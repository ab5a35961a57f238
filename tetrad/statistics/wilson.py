"""Compute Wilson's score interval for a share (Wilson 1927; advised by Brown, Cai and DasGupta 2001, section 3.1.1)."""

import math

from scipy.special import ndtri

from tetrad.statistics.interval import Interval, check_level

__all__ = ["score_bounds", "wilson_interval"]


def wilson_interval(successes: float, count: int, level: float = 0.95) -> Interval:
    """Bound a share for one look at `count` independent 0/1 outcomes; [0, 1] if there are none.

    `successes` may be fractional (the fallback for few clusters). ValueError outside 0 <= successes <= count.
    """
    check_level(level)
    if count < 0 or not 0.0 <= successes <= count:
        raise ValueError(f"successes must lie in 0..count: got successes={successes!r}, count={count!r}")
    if count == 0:
        return Interval(lower=0.0, upper=1.0, level=level, method="wilson")
    lower, upper = score_bounds(successes / count, count, float(ndtri(0.5 + level / 2)))
    return Interval(lower=lower, upper=upper, level=level, method="wilson")


def score_bounds(share: float, size: float, quantile: float) -> tuple[float, float]:
    """Return the two shares from which this one is `quantile` of their own standard errors away."""
    square = quantile**2 / size
    middle = share + square / 2
    reach = math.sqrt(square * (share * (1 - share) + square / 4))
    # Rounding may leave 1e-17 where algebra says exactly 0 or 1.
    lower = 0.0 if share == 0 else max(0.0, (middle - reach) / (1 + square))
    upper = 1.0 if share == 1 else min(1.0, (middle + reach) / (1 + square))
    return lower, upper

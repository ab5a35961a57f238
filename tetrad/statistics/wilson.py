"""Compute Wilson's score interval for a share (Wilson 1927; advised by Brown, Cai and DasGupta 2001, section 3.1.1)."""

from tetrad.statistics.interval import Interval, check_level, score_bounds
from tetrad.statistics.special import normal_quantile

__all__ = ["wilson_interval"]


def wilson_interval(successes: float, count: int, level: float = 0.95) -> Interval:
    """Bound a share for one look at `count` independent 0/1 outcomes; [0, 1] if there are none.

    `successes` may be fractional (the fallback for few clusters). ValueError outside 0 <= successes <= count.
    """
    check_level(level)
    if count < 0 or not 0.0 <= successes <= count:
        raise ValueError(f"successes must lie in 0..count: got successes={successes!r}, count={count!r}")
    if count == 0:
        return Interval(lower=0.0, upper=1.0, level=level, method="wilson")
    lower, upper = score_bounds(successes / count, count, normal_quantile(0.5 + level / 2))
    return Interval(lower=lower, upper=upper, level=level, method="wilson")

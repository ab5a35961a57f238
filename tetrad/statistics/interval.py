"""Define an interval for a share or a mean score in [0, 1], or for a difference of two in [-1, 1]."""

import math

import msgspec

__all__ = ["Interval", "check_level", "score_bounds"]


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a share, score or difference. `level` is the stated coverage (0.95), `method` a stable code."""

    lower: float
    upper: float
    level: float
    method: str

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def contains(self, value: float) -> bool:
        return self.lower <= value <= self.upper


def check_level(level: float) -> None:
    if not (math.isfinite(level) and 0.0 < level < 1.0):
        raise ValueError(f"level must lie between 0 and 1, such as 0.95: got {level!r}")


def score_bounds(share: float, size: float, quantile: float) -> tuple[float, float]:
    """Return the two shares from which this one is `quantile` of their own standard errors away (Wilson 1927).

    `size` is the number of independent 0/1 outcomes that the share is the mean of; it may be fractional.
    """
    square = quantile**2 / size
    middle = share + square / 2
    reach = math.sqrt(square * (share * (1 - share) + square / 4))
    # Rounding may leave 1e-17 where algebra says exactly 0 or 1.
    lower = 0.0 if share == 0 else max(0.0, (middle - reach) / (1 + square))
    upper = 1.0 if share == 1 else min(1.0, (middle + reach) / (1 + square))
    return lower, upper

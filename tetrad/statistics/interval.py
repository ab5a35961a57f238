"""Define an interval for a share or a mean score in [0, 1], or for a difference of two in [-1, 1]."""

import math

import msgspec

__all__ = ["Interval", "check_level"]


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

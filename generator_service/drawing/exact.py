"""Compute with the same bits on every CPU.

The bank's digest is part of every item's identity, so two machines must draw the same pixels. NumPy's sin, cos, exp
and power differ in the last bit between its SIMD builds, and BLAS (`@`, dot, norm) may fuse multiply and add.
The drawing code therefore takes transcendental functions from here (libm, rounded far above its error), draws its
random numbers as integers, and uses only elementwise + - * / sqrt, comparisons and integers, which IEEE 754 fixes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
T = TypeVar("T")

_DIGITS = 9
_STEPS = 1000


def sine(degrees: float) -> float:
    return round(math.sin(math.radians(degrees)), _DIGITS)


def cosine(degrees: float) -> float:
    return round(math.cos(math.radians(degrees)), _DIGITS)


def unit(vectors: Floats) -> Floats:
    """Scale the vectors (..., 3) to length one; a null vector stays null."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    length = np.sqrt(x * x + y * y + z * z)
    scaled: Floats = vectors / np.where(length > 0, length, 1.0)[..., None]
    return scaled


def cross(a: Floats, b: Floats) -> Floats:
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


@dataclass(frozen=True)
class Dice:
    """Random choices for a kind, made from a generator's integers."""

    rng: np.random.Generator

    def between(self, low: float, high: float) -> float:
        """Draw one of a thousand evenly spaced values from low to high, both included."""
        return round(low + (high - low) * int(self.rng.integers(_STEPS + 1)) / _STEPS, 6)

    def whole(self, low: int, high: int) -> int:
        """Draw an integer, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, percent: int) -> bool:
        return int(self.rng.integers(100)) < percent

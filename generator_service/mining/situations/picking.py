"""Pseudo-random numbers for whole columns: mining picks the same pairs on every machine, in any order.

It imports nothing else of mining: analogies and distractors both pick by it.
"""

import numpy as np
from numpy.typing import NDArray

_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix_numbers(numbers: NDArray[np.int64], purpose: int) -> NDArray[np.uint64]:
    """Return a 64-bit number for each number, another for each purpose (SplitMix64, Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        state = numbers.astype(np.uint64) + np.uint64((purpose + 1) * _GOLDEN % 2**64)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(_FIRST)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(_SECOND)
        return state ^ (state >> np.uint64(31))

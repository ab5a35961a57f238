"""Independent random streams, each named by the whole identity of what it draws for.

A stream is SHA-256 in counter mode. It is slower than NumPy's generators for arrays and faster for the few
small integers an item needs, and it gives the same numbers under every version of every library: NumPy
promises that only for its raw bit generators (NEP 19), and `default_rng` alone costs 15 microseconds.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from tetrad.canonical import Field, digest

T = TypeVar("T")
WORD_BYTES = 8
WORD_RANGE = 1 << (8 * WORD_BYTES)


class Stream:
    """A reproducible sequence of uniform 64-bit words, keyed by the fields it was named with."""

    __slots__ = ("_block", "_counter", "_key", "_position")

    def __init__(self, *identity: Field) -> None:
        self._key = digest("tetrad/stream/1", *identity)
        self._counter = 0
        self._block = b""
        self._position = 0

    def word(self) -> int:
        """Draw a uniform integer in [0, 2**64)."""
        if self._position == len(self._block):
            self._block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            self._position = 0
        start = self._position
        self._position = start + WORD_BYTES
        return int.from_bytes(self._block[start : self._position], "big")

    def below(self, bound: int) -> int:
        """Draw a uniform integer in [0, bound), without modulo bias.

        Raises:
            ValueError: the bound is not in 1..2**64.
        """
        if not 0 < bound <= WORD_RANGE:
            raise ValueError(f"bound is {bound}; give an integer from 1 to 2**64")
        limit = WORD_RANGE - WORD_RANGE % bound
        while (word := self.word()) >= limit:
            pass
        return word % bound

    def choice(self, members: Sequence[T]) -> T:
        """Draw one member, all equally likely."""
        return members[self.below(len(members))]

    def shuffled(self, members: Sequence[T]) -> tuple[T, ...]:
        """Return the members in a uniformly drawn order (Fisher-Yates)."""
        order = list(members)
        for last in range(len(order) - 1, 0, -1):
            place = self.below(last + 1)
            order[last], order[place] = order[place], order[last]
        return tuple(order)

    def sample(self, members: Sequence[T], count: int) -> tuple[T, ...]:
        """Draw `count` distinct places of `members`, in a uniformly drawn order."""
        return self.shuffled(members)[:count]

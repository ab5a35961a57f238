"""Draw from independent random streams, each named by the whole identity of the things it draws.

A stream is SHA-256 in counter mode. It is slower than NumPy's generators for arrays and faster for the few
small integers an item needs, and it gives the same numbers under every version of every library: NumPy
promises that only for its raw bit generators (NEP 19), and `default_rng` alone costs 15 microseconds.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import TypeVar

from tetrad.canonical import Field, canonical_bytes

T = TypeVar("T")
SCALARS = frozenset({bool, int, str, bytes, type(None)})
WORD_RANGE = 1 << 64
BLOCK, BLOCKS = Struct(">4Q"), Struct(">8Q")  # one SHA-256 block is four words
PURPOSE = "tetrad/stream/1"


class Stream:
    """A reproducible sequence of uniform 64-bit words, keyed by the fields it was named with."""

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, *identity: Field) -> None:
        self._start(hashlib.sha256(canonical_bytes(PURPOSE, *identity)).digest())

    def _start(self, key: bytes) -> None:
        self._key = key
        self._counter = 0
        self._words: list[int] = []

    def word(self) -> int:
        """Draw a uniform integer in [0, 2**64)."""
        if not self._words:
            self._refill()
        return self._words.pop()

    def _refill(self) -> None:
        key, counter, sha256 = self._key, self._counter, hashlib.sha256
        block = sha256(key + counter.to_bytes(8, "big")).digest()
        if not counter:  # many streams need no more than their first words
            self._words.extend(BLOCK.unpack(block)[::-1])
            self._counter = 1
            return
        block += sha256(key + (counter + 1).to_bytes(8, "big")).digest()
        self._words.extend(BLOCKS.unpack(block)[::-1])
        self._counter = counter + 2

    def below(self, bound: int) -> int:
        """Draw a uniform integer in [0, bound), without modulo bias.

        Raises:
            ValueError: the bound is not in 1..2**64.
        """
        if not 0 < bound <= WORD_RANGE:
            raise ValueError(f"bound is {bound}; give an integer from 1 to 2**64")
        words = self._words
        if not words:
            self._refill()
        word = words.pop()
        if word >= WORD_RANGE - bound:  # only there can a word lie in the last, broken run of `bound` values
            while word >= WORD_RANGE - WORD_RANGE % bound:
                word = self.word()
        return word % bound

    def below_each(self, *bounds: int) -> list[int]:
        """Draw an integer below each bound, in order: the numbers that `below` draws one by one, in half the time.

        Raises:
            ValueError: a bound is not in 1..2**64.
        """
        words, drawn = self._words, []
        for bound in bounds:
            if not words:
                self._refill()
            if 0 < bound < WORD_RANGE - words[-1]:
                drawn.append(words.pop() % bound)
            else:
                drawn.append(self.below(bound))
        return drawn

    def choice(self, members: Sequence[T]) -> T:
        """Draw one member, all equally likely."""
        return members[self.below(len(members))]

    def shuffle(self, members: Sequence[T]) -> tuple[T, ...]:
        """Return the members in a uniformly drawn order (Fisher-Yates)."""
        order = list(members)
        words = self._words
        for last in range(len(order) - 1, 0, -1):  # as `below` does: half of an item's numbers are drawn here
            if not words:
                self._refill()
            word = words.pop()
            if word >= WORD_RANGE - last - 1:
                words.append(word)
                word = self.below(last + 1)
            place = word % (last + 1)
            order[last], order[place] = order[place], order[last]
        return tuple(order)

    def sample(self, members: Sequence[T], count: int) -> tuple[T, ...]:
        """Draw `count` distinct places of `members`, in a uniformly drawn order.

        Raises:
            ValueError: there are not as many.
        """
        if not 0 <= count <= len(members):
            raise ValueError(f"count is {count}; give an integer from 0 to {len(members)}, the number of members")
        return self.shuffle(members)[:count]


class StreamFamily:
    """Streams that share the first fields of their names. The shared part is hashed once."""

    __slots__ = ("_shared",)

    def __init__(self, *shared: Field) -> None:
        self._shared = hashlib.sha256(canonical_bytes(PURPOSE, *shared))

    def narrow(self, *also: Field) -> "StreamFamily":
        """Return the same family as `StreamFamily(*shared, *also)`."""
        made = StreamFamily.__new__(StreamFamily)
        made._shared = self._shared.copy()  # noqa: SLF001 -- the same class
        made._shared.update(canonical_bytes(*also))  # noqa: SLF001
        return made

    def stream(self, *also: Field) -> Stream:
        """Return the same stream as `Stream(*shared, *also)`."""
        named = self._shared.copy()
        # 1 and True are equal but different fields, and inside a list the cache can't tell them apart
        named.update(_encode_cached(*also) if SCALARS.issuperset(map(type, also)) else canonical_bytes(*also))
        made = Stream.__new__(Stream)
        made._start(named.digest())  # noqa: SLF001 -- the same module
        return made


@lru_cache(maxsize=4096, typed=True)  # typed: 1 and True are two fields
def _encode_cached(*fields: Field) -> bytes:
    """Return canonical bytes, cached: the last fields of streams' names are a few purposes, over and over."""
    return canonical_bytes(*fields)

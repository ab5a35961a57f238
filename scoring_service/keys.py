"""The answer keys of a draw, fetched in ranges of items: some are judged while others are made.

This stands apart from the client of the generator, so that scoring depends on no HTTP.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import KeyedItem

ITEMS_A_RANGE = 512  # takes the generator a twentieth of a second for KiVA, whose items are the quickest
AT_ONCE = 8  # connections; each stays with one process of the generator, by chance: with 8, most processes have one
AHEAD = 2 * AT_ONCE  # ranges fetched or under way, so that a slow one does not hold up the others

Fetch = Callable[[range, Sequence[SealedAnswer]], Sequence[KeyedItem]]
"""Fetch the keys of these items, given all answers to them. Called by several threads."""


class Keys(Protocol):
    """A draw that is revealed. `items` can be iterated over more than once."""

    @property
    def identity(self) -> DrawIdentity: ...
    @property
    def size(self) -> int: ...
    @property
    def seed(self) -> str: ...
    @property
    def commitment(self) -> str: ...
    @property
    def items(self) -> Iterable[KeyedItem]: ...


@dataclass(frozen=True, kw_only=True)
class FetchedKeys:
    """Keys that are fetched while they are iterated over."""

    identity: DrawIdentity
    size: int
    seed: str
    commitment: str
    items: Iterable[KeyedItem]


class KeyedRanges:
    """The keyed items of a draw, in order. The next ranges are fetched while one is being judged.

    A process of the generator makes one range at a time. Each connection asks for another range when it has one, so
    all processes that have a connection are at work.
    """

    def __init__(self, size: int, answers: Iterable[SealedAnswer], fetch: Fetch) -> None:
        self._ranges = [range(size)[first : first + ITEMS_A_RANGE] for first in range(0, size, ITEMS_A_RANGE)]
        self._answers: list[list[SealedAnswer]] = [[] for _ in self._ranges]
        self._fetch = fetch
        last = len(self._ranges) - 1
        for answer in answers:  # one to no item of the draw goes with the first or the last: the generator refuses it
            self._answers[min(max(answer.item // ITEMS_A_RANGE, 0), last)].append(answer)

    def __iter__(self) -> Iterator[KeyedItem]:
        """Yield every item. The error of a fetch is raised when its range is reached, and cancels the other fetches."""
        under_way = deque[Future[Sequence[KeyedItem]]]()
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="keys") as pool:
            try:
                for items, answers in zip(self._ranges, self._answers, strict=True):
                    under_way.append(pool.submit(self._fetch, items, answers))
                    if len(under_way) > AHEAD:
                        yield from under_way.popleft().result()
                while under_way:
                    yield from under_way.popleft().result()
            finally:
                for fetch in under_way:
                    fetch.cancel()

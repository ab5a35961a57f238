"""Pages of rows, one after the other, as one iterator that works ahead. A page that broke off goes on where it did.

In this file: where an iterator of rows stands, and reading ahead, with threads and without.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import httpx
import msgspec

from tetrad.contracts.rows import Row

T = TypeVar("T")
PAGE = 100  # items of a request: as many as anybody may ask for
LARGEST_PAGE = 1_000  # as many as a team may ask for
POLL_SECONDS = 0.1  # in which a reader sees that nobody listens any more
RECONNECTIONS = 5  # in a row without a row
DECODER = msgspec.json.Decoder(Row)


@dataclass
class Stretch:
    """The items of a draw that are still to come. Rows of an item are given out once all of them have come.

    `most`: items of a request.
    """

    query: dict[str, str | int | bool]
    offset: int
    left: int | None
    most: int = PAGE
    failures: int = 0
    _limit: int = 0
    _came: int = 0
    _held: list[Row] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.left == 0

    def next_page(self) -> dict[str, str | int | bool]:
        """Return the query of the next page."""
        self._limit = self.most if self.left is None else min(self.most, self.left)
        self._came = 0
        self._held.clear()
        return {**self.query, "offset": self.offset, "limit": self._limit}

    def begin(self, reply: httpx.Response) -> None:
        """Keep the seed: one that the service chose holds for all pages."""
        if seed := reply.headers.get("Tetrad-Seed"):
            self.query["seed"] = seed

    def take(self, line: str) -> list[Row]:
        """Take a line. Return the rows of the item before it, if it begins another."""
        if not line.strip():
            return []
        row = DECODER.decode(line)
        done = self._give_out() if self._held and self._held[0].index != row.index else []
        self._held.append(row)
        return done

    def end_page(self) -> list[Row]:
        """Return the rows of the page's last item. A page with less than was asked for is the last one."""
        done = self._give_out()
        if self._came < self._limit:
            self.left = 0
        return done

    def may_go_on(self) -> bool:
        """Tell whether a broken connection is to be opened again."""
        self.failures += 1
        return self.failures <= RECONNECTIONS

    def _give_out(self) -> list[Row]:
        done = list(self._held)
        self._held.clear()
        if done:
            self.failures = 0
            self._came += 1
            self.offset = done[0].index + 1
            self.left = None if self.left is None else self.left - 1
        return done


def read_ahead(source: Iterator[T], most: int) -> Iterator[T]:
    """Yield what `source` yields. A thread reads up to `most` ahead, and ends with whoever listens."""
    reader = _Reader(source, most)
    threading.Thread(target=reader.read, name="rows", daemon=True).start()
    try:
        while True:
            thing, error = reader.ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield thing  # type: ignore[misc]  # None comes with an error alone
    finally:
        reader.is_left.set()


class _Reader(Generic[T]):
    """Reads an iterator in a thread until nobody listens."""

    def __init__(self, source: Iterator[T], most: int) -> None:
        self.ready: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(max(1, most))
        self.is_left = threading.Event()
        self._source = source

    def read(self) -> None:
        try:
            for thing in self._source:
                if not self._put((thing, None)):
                    return
            self._put((None, StopIteration()))
        except BaseException as error:  # noqa: BLE001 -- the listener gets it
            self._put((None, error))

    def _put(self, thing: tuple[T | None, BaseException | None]) -> bool:
        while not self.is_left.is_set():
            try:
                self.ready.put(thing, timeout=POLL_SECONDS)
            except queue.Full:
                continue
            return True
        return False


async def read_ahead_async(source: AsyncIterator[T], most: int) -> AsyncIterator[T]:
    """Yield what `source` yields. A task reads up to `most` ahead, and ends with whoever listens."""
    ready: asyncio.Queue[tuple[T | None, BaseException | None]] = asyncio.Queue(max(1, most))

    async def read() -> None:
        try:
            async for thing in source:
                await ready.put((thing, None))
            await ready.put((None, StopAsyncIteration()))
        except Exception as error:  # noqa: BLE001 -- the listener gets it
            await ready.put((None, error))

    reader = asyncio.create_task(read())
    try:
        while True:
            thing, error = await ready.get()
            if isinstance(error, StopAsyncIteration):
                return
            if error is not None:
                raise error
            yield thing  # type: ignore[misc]  # None comes with an error alone
    finally:
        reader.cancel()

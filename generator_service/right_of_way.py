"""One thread at a time makes keys, and scoring goes before verification. It stands alone because it knows no routes.

Two threads would compete for the interpreter, and both would answer late. A request that waits here holds no thread, so
threads stay free for pictures.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class RightOfWay:
    """Two lines of requests, each in the order of arrival. The second moves only while the first is empty."""

    def __init__(self) -> None:
        self._first: deque[asyncio.Future[None]] = deque()
        self._second: deque[asyncio.Future[None]] = deque()
        self._is_taken = False

    @asynccontextmanager
    async def turn(self, *, second: bool = False) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the block ends."""
        if self._is_taken:
            await self._wait(self._second if second else self._first)
        self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, line: deque[asyncio.Future[None]]) -> None:
        called = asyncio.get_running_loop().create_future()
        line.append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # it was called, and its client went away in the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Call the next one that still waits. Until it goes on, nobody else can have the turn."""
        for line in (self._first, self._second):
            while line:
                called = line.popleft()
                if not called.done():
                    called.set_result(None)
                    return
        self._is_taken = False

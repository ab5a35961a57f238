"""The byte budget of pictures in flight in this process, counted decompressed: first come, first served."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inference_gateway.gates import Reason, Refused


class PictureBudget:
    """Bytes that calls hold while they run."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @property
    def held_bytes(self) -> int:
        return self._held

    @asynccontextmanager
    async def hold(self, size: int, *, patience: float) -> AsyncIterator[None]:
        """Hold so many bytes during the block, and wait for them if others hold them.

        Raises: Refused: this call alone is above the budget, or the wait passed `patience` (seconds).
        """
        if size == 0:
            yield
            return
        if size > self._limit:
            problem = f"bytes of decompressed pictures are above the limit of {self._limit} for all calls in flight"
            raise Refused(Reason.PICTURES, "messages", size, problem=problem, remedy="send fewer or smaller pictures")
        await self._take(size, patience)
        try:
            yield
        finally:
            self._held -= size
            self._wake()

    async def _take(self, size: int, patience: float) -> None:
        if not self._waiting and self._held + size <= self._limit:
            self._held += size
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            async with asyncio.timeout(patience):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():  # it has its bytes already
                self._held -= size
            self._waiting = deque(each for each in self._waiting if each[1] is not turn)
            self._wake()
            if isinstance(error, TimeoutError):
                problem = f"bytes of pictures found no place among {self._limit} in flight for {patience:g} seconds"
                remedy = "send fewer calls with pictures at once"
                raise Refused(Reason.BUSY, "messages", size, problem=problem, remedy=remedy, retry_after=5) from error
            raise

    def _wake(self) -> None:
        while self._waiting and self._held + self._waiting[0][0] <= self._limit:
            size, turn = self._waiting.popleft()
            if not turn.done():
                self._held += size
                turn.set_result(None)

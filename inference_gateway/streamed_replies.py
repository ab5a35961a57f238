"""Streamed replies on their way from the tasks that read them to the routes that write them.

Each reply is read to its end, in a task of its own: so its usage is known even if the caller leaves.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Generic, TypeVar

P = TypeVar("P")


class StreamBrokenError(Exception):
    """A stream broke after its first piece, so the call can't be tried again."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class StreamedReply(Generic[P]):
    """The pieces of one reply, in order."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[P | Exception | None] = asyncio.Queue()
        self._has_begun = False
        self.is_abandoned = False

    def put(self, piece: P) -> None:
        """Pass a piece on, unless the caller has left."""
        self._has_begun = True
        if not self.is_abandoned:
            self._pieces.put_nowait(piece)

    def end(self) -> None:
        self._pieces.put_nowait(None)

    def fail(self, error: Exception) -> None:
        """End the reply with an error, which `next` raises."""
        self._pieces.put_nowait(StreamBrokenError(error) if self._has_begun else error)

    async def next(self) -> P | None:
        """Return the next piece, or None after the last one. Raises: Exception: the reply ended with it."""
        piece = await self._pieces.get()
        if isinstance(piece, Exception):
            raise piece
        return piece


class StreamedReplies(Generic[P]):
    """The replies that are being read; of a caller who left, each for `drain_seconds` more."""

    def __init__(self, drain_seconds: float) -> None:
        self._drain_seconds = drain_seconds
        self._reading: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._reading)

    async def close(self) -> None:
        """End the replies that are still read on after their callers went away."""
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)

    async def read(self, read_reply: Callable[[StreamedReply[P]], Coroutine[None, None, None]]) -> AsyncIterator[P]:
        """Start a task that reads a reply, and return its pieces once the first one is there.

        Raises:
            Exception: the error that came instead of the first piece. The iterator raises StreamBrokenError.
        """
        reply = StreamedReply[P]()
        task = asyncio.create_task(read_reply(reply))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)
        return self._pieces(await reply.next(), reply, task)

    async def _pieces(self, first: P | None, reply: StreamedReply[P], task: asyncio.Task[None]) -> AsyncIterator[P]:
        try:
            piece = first
            while piece is not None:
                yield piece
                piece = await reply.next()
        finally:
            if not task.done():
                reply.is_abandoned = True
                asyncio.get_running_loop().call_later(self._drain_seconds, task.cancel)

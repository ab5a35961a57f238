"""Requests under API keys go before practice: while one is worked on, no practice begins.

Both need the same interpreter and the same processors. A request that meets two pages of practice would take twice as
long. It stands alone because it knows neither limits nor practice.
"""

import asyncio
from contextlib import suppress

from litestar.types import Scope

MARK = "tetrad.goes_first"
"""In the state of a request's scope: it is worked on, and practice waits."""


class RightOfWay:
    """Counts the requests of a process that go first, and lets others wait until there is none."""

    def __init__(self) -> None:
        self._in_progress = 0
        self._is_free = asyncio.Event()
        self._is_free.set()

    def begin(self, scope: Scope) -> None:
        scope["state"][MARK] = True
        self._in_progress += 1
        self._is_free.clear()

    def end(self, scope: Scope) -> None:
        """Note that a request goes first no longer: its reply begins, or it is for practice itself. Twice is once."""
        if scope["state"].pop(MARK, False):
            self._in_progress -= 1
            if not self._in_progress:
                self._is_free.set()

    async def give_way(self, seconds: float) -> None:
        """Wait until no request goes first, and no longer than this: practice goes on, slowly, beside many of them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_free.wait()

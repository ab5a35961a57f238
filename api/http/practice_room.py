"""Room for practice: so much a caller in any minute, so much in progress at once, and few requests at the generator.

Practice is counted in items of KiVA: an item of another track counts as many as it costs to make, and so does a picture
(`Track.cost`, `Track.picture_cost`). A request that waits for the generator here holds no thread of the api, so what
readers ask for leaves its threads to submissions. It begins while no request under an API key is worked on.

Bulk calls wait in a queue of their own. One that would wait for too long is refused before it is counted, by the times
at which the calls before it were done.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from litestar.types import Scope

from api.errors import DomainError, GeneratorAwayError, InvalidInputError
from api.http.limits import RateLimitMiddleware
from api.settings import ApiSettings
from api.upstream.cards import Cards
from tetrad.contracts.benchmarks import Card, Track
from tetrad.contracts.items import DrawIdentity
from tetrad.server.problems import ProblemError

AT_ONCE = 2  # requests of a process of the api to practice: one is made while the reply to another is written
MOST_YIELDED = 0.1  # seconds that a request gives way to those under API keys: beside a crowd of them practice is slow
RETRY_SECONDS = 2
FIRST_GUESS_SECONDS = 0.01  # that a bulk call takes, before any was measured: a verdict of KiVA
SHARE_OF_NEWEST = 1 / 32  # in the mean of what calls take
LONGEST_RETRY_SECONDS = 50  # our client waits twice as long in all, so it asks again at least twice
UNKNOWN = Track(name="", help="", settings=())


class PracticeRoom:
    """Counts what callers ask of the generator's practice, and lets in a few of them at a time, in order."""

    def __init__(self, settings: ApiSettings, limits: RateLimitMiddleware) -> None:
        self._limits = limits
        self._most = settings.practice_in_progress
        self._patience = settings.generator_timeout_seconds
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._bulk_at_once = asyncio.Semaphore(AT_ONCE - 1)
        self._bulk_line = asyncio.Lock()
        self._bulk_patience = 2 * settings.bulk_wait_seconds  # of calls that were let in when the queue was faster
        self.bulk_queue = BulkQueue(settings.bulk_wait_seconds)
        self._in_progress: Counter[str] = Counter()

    @asynccontextmanager
    async def enter(self, scope: Scope, cost: float) -> AsyncIterator[None]:
        """Count a request of this cost, and wait until it may go to the generator.

        Raises:
            ProblemError: 429, the caller has had its practice of this minute, or has too much in progress.
            GeneratorAwayError: the requests before it took too long.
        """
        caller, counted = self._limits.subject(scope), max(1, math.ceil(cost))
        self._limits.right_of_way.end(scope)
        if self._most and caller and self._in_progress[caller] and self._in_progress[caller] + counted > self._most:
            raise too_much_at_once(self._most)
        self._in_progress[caller] += counted
        try:
            await self._limits.count_items(scope, counted)
            async with self._turn():
                yield
        finally:
            self._in_progress[caller] -= counted
            if not self._in_progress[caller]:
                del self._in_progress[caller]

    async def count(self, scope: Scope, cost: float) -> None:
        """Count bulk practice of this cost before it is made, part by part.

        Raises:
            InvalidInputError: it costs more than a caller may have in a minute.
            ProblemError: 429, the caller has had its practice of this minute.
        """
        self._limits.right_of_way.end(scope)
        quota = self._limits.items_quota(scope)
        if quota and cost > quota:
            problem = f"costs as much as {math.ceil(cost)} items of KiVA, and a caller may have {quota} in a minute"
            raise InvalidInputError.at("limit", None, problem, "ask for fewer rows, or for pictures=url")
        await self._limits.count_items(scope, max(1, math.ceil(cost)))

    @asynccontextmanager
    async def enter_bulk(self, *, goes_on: bool = False) -> AsyncIterator[None]:
        """Wait for a turn for a part of bulk practice that is counted. Others always have a turn beside it.

        What `goes_on` with a call that has nothing to show before its end goes before others: else each of its parts
        would wait as long as a whole call.

        Raises:
            GeneratorAwayError: the requests before it took too long.
        """
        async with AsyncExitStack() as turn:
            try:
                async with asyncio.timeout(self._bulk_patience):
                    if not goes_on:
                        await turn.enter_async_context(self._bulk_line)
                    await turn.enter_async_context(self._bulk_at_once)
            except TimeoutError as error:
                raise too_slow() from error
            await turn.enter_async_context(self._turn())
            yield

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience):
                await self._at_once.acquire()
        except TimeoutError as error:
            raise too_slow() from error
        try:
            await self._limits.right_of_way.give_way(MOST_YIELDED)
            yield
        finally:
            self._at_once.release()


class BulkQueue:
    """The bulk calls of a process whose replies have not begun, and how long a further one would wait.

    Each kind of call takes the mean of the times that passed from a reply to the next one while calls waited.
    """

    def __init__(self, most_seconds: float) -> None:
        self._most_seconds = most_seconds
        self._waiting: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._last_left: float | None = None  # None: none waits, or none of those that wait has been measured

    @contextmanager
    def enter(self, kind: str) -> Iterator[None]:
        """Wait in the queue with a call of this kind, until the block ends.

        Raises:
            ProblemError: 429, the calls before it take too long.
        """
        expected = sum(count * self._seconds_of(name) for name, count in self._waiting.items())
        if expected > self._most_seconds:
            raise too_long_a_queue(expected)
        self._waiting[kind] += 1
        try:
            yield
        finally:
            self._leave(kind)

    def _leave(self, kind: str) -> None:
        now = time.monotonic()
        if self._last_left is not None:
            mean = self._seconds_of(kind)
            self._seconds[kind] = mean + (now - self._last_left - mean) * SHARE_OF_NEWEST
        self._waiting[kind] -= 1
        self._last_left = now if self._waiting.total() else None

    def _seconds_of(self, kind: str) -> float:
        return self._seconds.get(kind, FIRST_GUESS_SECONDS)


def too_slow() -> GeneratorAwayError:
    detail = "too many practice items are asked for now; nothing was changed; try again in some seconds"
    return GeneratorAwayError(detail, retry_after=RETRY_SECONDS)


def too_long_a_queue(seconds: float) -> ProblemError:
    wait = min(math.ceil(seconds), LONGEST_RETRY_SECONDS)
    detail = (
        f"the bulk calls before this one take some {math.ceil(seconds)} s; nothing was changed or counted as practice; "
        f"send it again in {wait} s, and ask for many rows or verdicts in one call"
    )
    return ProblemError(429, detail, headers={"Retry-After": str(wait)})


def too_much_at_once(most: int) -> ProblemError:
    detail = (
        f"practice that counts as more than {most} items of KiVA is in progress for you; nothing was changed; "
        "wait for replies before you ask for more"
    )
    return ProblemError(429, detail, headers={"Retry-After": str(RETRY_SECONDS)})


def track_of(cards: Cards, identity: DrawIdentity) -> Track:
    """Return the track of an identity that anybody may have sent: the generator refuses what it does not make."""
    try:
        card = cards.get(identity.benchmark, identity.version).card
    except DomainError:
        return UNKNOWN
    return find_track(card, identity.track)


def find_track(card: Card, name: str) -> Track:
    """Return a track of a card, or a cheap one in place of one that the generator will refuse."""
    return next((track for track in card.tracks if track.name == name), UNKNOWN)

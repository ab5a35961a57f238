"""Room for practice: so much a caller in any minute, so much in progress at once, and few requests at the generator.

Practice is counted in items of KiVA: an item of another track counts as many as it costs to make, and so does a picture
(`Track.cost`, `Track.picture_cost`). A request that waits for the generator here holds no thread of the api, so what
readers ask for leaves its threads to submissions. It begins while no request under an API key is worked on.
"""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

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
UNKNOWN = Track(name="", help="", settings=())


class PracticeRoom:
    """Counts what callers ask of the generator's practice, and lets in a few of them at a time, in order."""

    def __init__(self, settings: ApiSettings, limits: RateLimitMiddleware) -> None:
        self._limits = limits
        self._most = settings.practice_in_progress
        self._patience = settings.generator_timeout_seconds
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._bulk_at_once = asyncio.Semaphore(AT_ONCE - 1)
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
    async def enter_bulk(self) -> AsyncIterator[None]:
        """Wait for a turn for a part of bulk practice that is counted. Others always have a turn beside it.

        Raises:
            GeneratorAwayError: the requests before it took too long.
        """
        async with self._bulk_at_once, self._turn():
            yield

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience):
                await self._at_once.acquire()
        except TimeoutError as error:
            detail = "too many practice items are asked for now; nothing was changed; try again in some seconds"
            raise GeneratorAwayError(detail, retry_after=RETRY_SECONDS) from error
        try:
            await self._limits.right_of_way.give_way(MOST_YIELDED)
            yield
        finally:
            self._at_once.release()


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

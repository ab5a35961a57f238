"""Rate limits: so many requests a caller in any minute, and so much practice also in any day, counted in Redis for all.

`limits` counts by two windows a caller: the one that runs, and the one before, which weighs less from second to second.
One script of Redis looks and adds, so that no race passes a limit.

What is left is looked up once a second for each caller and counted down from there: a request asks Redis once.
"""

import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa
from cachetools import LRUCache, TTLCache
from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from litestar.concurrency import sync_to_thread
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from api.http.addresses import Addresses
from api.http.right_of_way import RightOfWay
from api.operator.access import operators
from api.settings import ApiSettings
from api.teams.access import is_known
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import token_in

DAY_MINUTES = 24 * 60
KEY_PREFIX = "tetrad-limit"  # of our keys in Redis; the api's user there may touch no others
LOOK_SECONDS = 1.0  # so long we count on from what Redis told, which saves a script for each request
MOST_CALLERS = 10_000  # a process remembers so many windows, and so many digests of good API keys
GOOD_SECONDS = 60.0  # then an API key is looked up again: it may have been revoked
PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
PAUSE_SECONDS = 5.0  # after a failure requests pass uncounted for so long, instead of each waiting
PUBLIC = "/v1/"
UNCOUNTED = {"limit": "uncounted"}
"""`opt` of routes whose handler counts the request."""
HEADERS = "tetrad.limit_headers"
"""In a request's scope: the headers that tell what is left. What is counted last is told."""

PRACTICE = "items of practice, in items of KiVA,"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Policy:
    """At most `quota` requests, or items, in so many minutes; they may come at once. A quota of 0 counts nothing."""

    name: str
    quota: int
    unit: str = "requests"
    minutes: int = 1

    @property
    def seconds(self) -> int:
        return 60 * self.minutes

    @property
    def window(self) -> RateLimitItemPerMinute:
        return RateLimitItemPerMinute(self.quota, self.minutes, namespace=self.name)


def policies(settings: ApiSettings) -> dict[str, Policy]:
    """Return the limits by who asks and for what."""
    return {
        "key": Policy("key", settings.key_requests_per_minute),
        "anonymous": Policy("anonymous", settings.anonymous_requests_per_minute),
        "items": Policy("anonymous-items", settings.anonymous_items_per_minute, PRACTICE),
        "key items": Policy("key-items", settings.key_items_per_minute, PRACTICE),
        "key items of a day": Policy("key-items-a-day", settings.key_items_per_day, PRACTICE, DAY_MINUTES),
        "lookups": Policy("key-lookups", settings.anonymous_requests_per_minute),
        "sign-ins": Policy("sign-ins", settings.sign_ins_per_minute, "attempts to sign in"),
    }


@dataclass(frozen=True)
class Window:
    """The requests that a caller has left at a moment; seconds until it has what it wants, and until it has all."""

    left: int = 0
    next_after: float = 0.0
    all_after: float = 0.0


@dataclass(frozen=True)
class Count:
    """The outcome of counting a request: whether it may pass, and what is left after it."""

    policy: Policy
    allowed: bool
    window: Window

    @property
    def retry_after(self) -> int:
        return max(1, math.ceil(self.window.next_after))

    @property
    def headers(self) -> dict[str, str]:
        """Return the fields of draft-ietf-httpapi-ratelimit-headers; `t` is when all requests are there again."""
        name = self.policy.name
        return {
            "RateLimit-Policy": f'"{name}";q={self.policy.quota};w={self.policy.seconds}',
            "RateLimit": f'"{name}";r={self.window.left};t={math.ceil(self.window.all_after)}',
        }


class RateLimits:
    """Counts requests. While Redis is away nothing is counted, and one line of the log says so."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._storage: RedisStorage | None = None
        self._connections: ConnectionPool[Any] | None = None
        if url:
            once = Retry(NoBackoff(), 1)  # connections go stale
            patience = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
            self._connections = ConnectionPool.from_url(url, retry=once, **patience)
            self._storage = RedisStorage(
                f"async+{url}",
                implementation="redispy",
                key_prefix=KEY_PREFIX,
                connection_pool=self._connections,  # type: ignore[arg-type]  # its options are typed too narrowly
            )
        self._clock = clock
        self._away_until = float("-inf")
        self._is_away = False
        self._looks: LRUCache[tuple[Policy, str], tuple[Window, float]] = LRUCache(MOST_CALLERS)

    @property
    def state(self) -> str:
        """Say whether limits hold, for the health page."""
        if self._storage is None:
            return "not configured"
        return "suspended" if self._is_away else "counted"

    async def take(self, policy: Policy, subject: str, cost: int = 1) -> Count | None:
        """Count a request of the subject, or what it costs; None where nothing is counted.

        What costs more than the quota may pass where nothing was counted before.
        """
        cost = min(cost, policy.quota)
        if self._storage is None or policy.quota == 0 or self._clock() < self._away_until:
            return None
        try:
            allowed = await SlidingWindowCounterRateLimiter(self._storage).hit(policy.window, subject, cost=cost)
            window = await self._window_after(self._storage, policy, subject, cost, allowed=allowed)
        except (RedisError, OSError) as error:
            self._suspend(error)
            return None
        self._resume()
        return Count(policy, allowed, window)

    async def _window_after(
        self, storage: RedisStorage, policy: Policy, subject: str, cost: int, *, allowed: bool
    ) -> Window:
        """Return what is left after a request: by the last look, less what was counted here since, or by a new one.

        A request that may not pass has a new look: it is told when there is room for its cost.
        """
        window, until = self._looks.get((policy, subject), (Window(), float("-inf")))
        if allowed and self._clock() < until:
            window = Window(max(0, window.left - cost), window.next_after, window.all_after)
        else:
            wanted = 1 if allowed else cost
            window, until = await _look(storage, policy, subject, wanted), self._clock() + LOOK_SECONDS
        self._looks[policy, subject] = window, until
        return window

    async def close(self) -> None:
        if self._connections is not None:
            await self._connections.disconnect()

    def _suspend(self, error: Exception) -> None:
        if not self._is_away:
            log.warning("rate limits are suspended: Redis is away", extra={"error": str(error) or type(error).__name__})
        self._is_away = True
        self._away_until = self._clock() + PAUSE_SECONDS

    def _resume(self) -> None:
        if self._is_away:
            log.warning("rate limits are counted again: Redis is back")
        self._is_away = False


async def _look(storage: RedisStorage, policy: Policy, subject: str, wanted: int) -> Window:
    """Return the requests that are left, by the two windows that Redis keeps, and how long until so many are.

    The running window has `count` requests, which all count until it ends; it is the earlier window from then on. The
    earlier window's requests count by the share of its time that is left.
    """
    before, before_ends, count, forgotten = await storage.get_sliding_window(
        policy.window.key_for(subject), policy.seconds
    )
    left = max(0, policy.quota - math.floor(before * before_ends / policy.seconds) - count)
    others = policy.quota - wanted + 1  # as many may count as are fewer than these
    if left >= wanted:
        next_after = 0.0
    elif others > count and before:
        next_after = before_ends - (others - count) * policy.seconds / before
    else:
        next_after = forgotten - policy.seconds + max(0.0, 1 - others / count) * policy.seconds
    return Window(left, max(0.0, next_after), forgotten if count else before_ends)


class RateLimitMiddleware(ASGIMiddleware):
    """Counts each request of the public API, and of a page, before it is worked on, and says in the reply what is left.

    Requests with an operator's token, or an API key that was good a moment ago, are counted by it. All others are
    counted by their address, also those with an API key not seen before: making up API keys gains nothing.

    Many callers may share an address. Where it has nothing left, an API key is looked up all the same, as often a
    minute as the address may ask, and a good one is counted by itself. One that was good before is always looked up.
    """

    scopes = (ScopeType.HTTP,)

    def __init__(self, settings: ApiSettings, addresses: Addresses, engine: sa.Engine) -> None:
        self._limits = RateLimits(settings.redis_url)
        self._policies = policies(settings)
        self._addresses = addresses
        self._is_known = partial(is_known, engine)
        self._operators = frozenset(map(_digest, operators(settings.operator_token)))
        self._good: TTLCache[str, bool] = TTLCache(MOST_CALLERS, GOOD_SECONDS)
        self._once_good: LRUCache[str, bool] = LRUCache(MOST_CALLERS)
        self._has_warned = False
        self.right_of_way = RightOfWay()

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        opt = scope["route_handler"].opt
        if opt.get("limit") == "uncounted" or not (scope["path"].startswith(PUBLIC) or opt.get("page")):
            await next_app(scope, receive, send)
            return
        await self.count(scope)
        if self._is_key(_key_digest(scope)):
            self.right_of_way.begin(scope)

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.right_of_way.end(scope)
                headers = MutableScopeHeaders.from_message(message)
                for name, value in _headers_of(scope).items():
                    headers.setdefault(name, value)  # what refuses a request tells of its own limit
            await send(message)

        try:
            await next_app(scope, receive, tell)
        finally:
            self.right_of_way.end(scope)

    async def count(self, scope: Scope, requests: int = 1) -> None:
        """Count a request that does the work of so many, and note the headers that tell what is left.

        Raises:
            ProblemError: 429, fewer are.
        """
        digest = _key_digest(scope)
        if self._is_key(digest) or (digest in self._once_good and await self._look(digest)):
            _note(scope, await self._take("key", digest, requests))
        else:
            _note(scope, await self._count_by_address(scope, digest, requests))

    async def count_further(self, scope: Scope, requests: int) -> None:
        """Count a request that does the work of so many more.

        Raises:
            ProblemError: 429, fewer are left.
        """
        subject = self.subject(scope)
        if subject and requests:
            name = "key" if self._is_key(_key_digest(scope)) else "anonymous"
            _note(scope, await self._take(name, subject, requests))

    async def count_items(self, scope: Scope, cost: int) -> None:
        """Count practice that costs as much as so many items of KiVA; the request itself is counted before.

        Raises:
            ProblemError: 429, the caller has had its practice of this minute, or its API key that of a day.
        """
        subject = self.subject(scope)
        if not subject:
            return
        if not self._is_key(_key_digest(scope)):
            _note(scope, await self._take("items", subject, cost))
            return
        counted = await self._take("key items", subject, cost)
        await self._take("key items of a day", subject, cost)
        _note(scope, counted)

    def items_quota(self, scope: Scope) -> int:
        """Return how much practice the caller may have in a minute; 0 where nothing is counted."""
        name = "key items" if self._is_key(_key_digest(scope)) else "items"
        return self._policies[name].quota

    async def count_sign_in(self, scope: Scope, digest: str) -> None:
        """Count an attempt to sign in, by the address and by the SHA-256 of the API key that it brings.

        Raises:
            ProblemError: 429, either has had its attempts of this minute.
        """
        for subject in (self._addresses.client(scope), f"key {digest}"):
            if subject is not None:
                await self._take("sign-ins", subject)

    def subject(self, scope: Scope) -> str:
        """Return by what a caller is counted: its API key, its address, or nothing."""
        digest = _key_digest(scope)
        return digest if self._is_key(digest) else self._addresses.client(scope) or ""

    def _is_key(self, digest: str) -> bool:
        return digest in self._operators or digest in self._good

    async def _count_by_address(self, scope: Scope, digest: str, requests: int) -> Count | None:
        address = self._addresses.client(scope)
        if address is None:
            self._warn_of_proxy()
            return None
        try:
            counted = await self._take("anonymous", address, requests)
        except ProblemError:
            if not digest or not await self._may_look(address) or not await self._look(digest):
                raise
            return await self._take("key", digest, requests)
        if digest and counted is not None:
            await self._look(digest)  # from the next request on it is counted by itself
        return counted

    async def _may_look(self, address: str) -> bool:
        counted = await self._limits.take(self._policies["lookups"], address)
        return counted is None or counted.allowed

    async def _look(self, digest: str) -> bool:
        """Return whether the API key of this digest is good, and remember it."""
        is_good = await sync_to_thread(self._is_known, digest)
        if is_good:
            self._good[digest] = self._once_good[digest] = True
        else:
            self._once_good.pop(digest, None)
        return is_good

    def _warn_of_proxy(self) -> None:
        if not self._has_warned:
            log.warning("a trusted proxy names no client: its requests are not counted; have it send X-Forwarded-For")
        self._has_warned = True

    async def _take(self, name: str, subject: str, cost: int = 1) -> Count | None:
        """Count under a policy; return None where nothing is counted.

        Raises:
            ProblemError: 429, nothing is left.
        """
        counted = await self._limits.take(self._policies[name], subject, cost)
        if counted is not None and not counted.allowed:
            raise too_many(counted)
        return counted

    @property
    def state(self) -> str:
        return self._limits.state

    async def close(self) -> None:
        await self._limits.close()


def too_many(counted: Count) -> ProblemError:
    policy, wait = counted.policy, counted.retry_after
    span = "minute" if policy.minutes == 1 else "day"
    detail = (
        f"more than {policy.quota} {policy.unit} a {span} ({policy.name}); nothing was changed; "
        f"try again in {wait} s; with a key (POST /v1/teams) the limit is the key's own"
    )
    return ProblemError(429, detail, headers={**counted.headers, "Retry-After": str(wait)})


def _note(scope: Scope, counted: Count | None) -> None:
    if counted is not None:
        _headers_of(scope).update(counted.headers)


def _headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers of a request that tell what is left, to read and to add to."""
    found: dict[str, str] = scope["state"].setdefault(HEADERS, {})
    return found


def _key_digest(scope: Scope) -> str:
    """Return the digest of the API key that came, empty where none did."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            key = token_in(value.decode("latin-1"))
            return "" if key is None else _digest(key)
    return ""


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()

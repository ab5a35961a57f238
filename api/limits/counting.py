"""Token buckets in Redis, each filled and taken from by one script: atomic, whatever the number of processes.

A library's moving window keeps every request of the window; a bucket is two numbers a caller.
"""

import hashlib
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from api.settings import ApiSettings

WINDOW_SECONDS = 60
KEY_PREFIX = "tetrad-limit:"
PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
PAUSE_SECONDS = 5.0  # after a failure requests pass uncounted for so long, instead of each waiting
TAKE = """
local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(kept[1]) or capacity
tokens = math.min(capacity, tokens + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local allowed = tokens >= 1 and 1 or 0
tokens = tokens - allowed
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil((capacity - tokens) / rate) + 1)
return {allowed, string.format('%.6f', tokens)}
"""
SHA = hashlib.sha1(TAKE.encode()).hexdigest()  # noqa: S324 -- how Redis names scripts
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Policy:
    """So many requests in a window; `quota` 0 counts nothing. As many may come at once as in a whole window."""

    name: str
    quota: int

    @property
    def rate(self) -> float:
        return self.quota / WINDOW_SECONDS


@dataclass(frozen=True)
class Count:
    """What a request found in its bucket: `tokens` are what is left."""

    policy: Policy
    allowed: bool
    tokens: float

    @property
    def retry_after(self) -> int:
        return max(1, math.ceil((1 - self.tokens) / self.policy.rate))

    @property
    def headers(self) -> dict[str, str]:
        """Return the fields of draft-ietf-httpapi-ratelimit-headers; `t` is when the bucket is full again."""
        policy = self.policy
        reset = math.ceil((policy.quota - self.tokens) / policy.rate)
        return {
            "RateLimit-Policy": f'"{policy.name}";q={policy.quota};w={WINDOW_SECONDS}',
            "RateLimit": f'"{policy.name}";r={int(self.tokens)};t={reset}',
        }


def policies(settings: ApiSettings) -> dict[str, Policy]:
    """Return the limits by who asks and for what."""
    return {
        "key": Policy("key", settings.key_requests_per_minute),
        "anonymous": Policy("anonymous", settings.anonymous_requests_per_minute),
        "items": Policy("anonymous-items", settings.anonymous_items_per_minute),
    }


class RateLimits:
    """Counts requests. While Redis is away nothing is counted, and one line of the log says so."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis: Redis | None = None
        if url:
            patience = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
            self._redis = Redis.from_url(url, retry=Retry(NoBackoff(), 1), **patience)  # once: connections go stale
        self._clock = clock
        self._away_until = float("-inf")
        self._is_away = False

    @property
    def state(self) -> str:
        """Say whether limits hold, for the health page."""
        if self._redis is None:
            return "not configured"
        return "suspended" if self._is_away else "counted"

    async def take(self, policy: Policy, subject: str) -> Count | None:
        """Take a token from the subject's bucket; None where nothing is counted."""
        if self._redis is None or policy.quota == 0 or self._clock() < self._away_until:
            return None
        try:
            allowed, tokens = await self._run(self._redis, f"{KEY_PREFIX}{policy.name}:{subject}", policy)
        except (RedisError, OSError) as error:
            self._suspend(error)
            return None
        self._resume()
        return Count(policy, bool(allowed), float(tokens))

    async def close(self) -> None:
        if self._redis is not None:
            await self._redis.aclose()

    async def _run(self, redis: "Redis", key: str, policy: Policy) -> Any:
        arguments = (key, str(policy.quota), str(policy.rate))
        try:
            return await redis.evalsha(SHA, 1, *arguments)
        except NoScriptError:  # Redis was restarted or flushed
            return await redis.eval(TAKE, 1, *arguments)

    def _suspend(self, error: Exception) -> None:
        if not self._is_away:
            log.warning("rate limits are suspended: Redis is away", extra={"error": str(error) or type(error).__name__})
        self._is_away = True
        self._away_until = self._clock() + PAUSE_SECONDS

    def _resume(self) -> None:
        if self._is_away:
            log.warning("rate limits are counted again: Redis is back")
        self._is_away = False

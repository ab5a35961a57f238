"""Token buckets in Redis, each filled and taken from by one script: atomic, whatever the number of processes.

A library's moving window keeps every request of the window; a bucket is two numbers a caller. Whoever may ask often
is asked for seldom: a process takes a tenth of a second's worth at once and spends it within a second, or loses it.
Of a caller's requests at once one takes for all, else each would take a whole block and lose most of it.
What it spends was taken from the shared bucket before, so processes together pass no limit.
"""

import asyncio
import hashlib
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from api.settings import ApiSettings

WINDOW_SECONDS = 60
KEY_PREFIX = "tetrad-limit:"
BLOCK_SECONDS = 1.0
MOST_BLOCKS = 10_000  # callers at a time
PATIENCE_SECONDS = 1.0  # a request waits no longer for a Redis that does not answer
PAUSE_SECONDS = 5.0  # after a failure requests pass uncounted for so long, instead of each waiting
TAKE = """
local capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(kept[1]) or capacity
tokens = math.min(capacity, tokens + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local granted = math.min(tonumber(ARGV[3]), math.floor(tokens))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil((capacity - tokens) / rate) + 1)
return {granted, string.format('%.6f', tokens)}
"""
SHA = hashlib.sha1(TAKE.encode()).hexdigest()  # noqa: S324 -- how Redis names scripts
Script: TypeAlias = Callable[..., Awaitable[Any]]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Policy:
    """So many requests in a window; `quota` 0 counts nothing. As many may come at once as in a whole window."""

    name: str
    quota: int

    @property
    def rate(self) -> float:
        return self.quota / WINDOW_SECONDS

    @property
    def block(self) -> int:
        """How many tokens are taken at once: a tenth of a second's worth, and at least the one that is needed."""
        return max(1, self.quota // (10 * WINDOW_SECONDS))


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


@dataclass
class Block:
    """Tokens that this process has taken and not spent; `shared` is what was left in the bucket then."""

    left: int = 0
    shared: float = 0.0
    until: float = float("-inf")
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class RateLimits:
    """Counts requests. While Redis is away nothing is counted, and one line of the log says so."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis: Redis[bytes] | None = None
        if url:
            once = Retry(NoBackoff(), 1)  # connections go stale
            patience = PATIENCE_SECONDS
            self._redis = Redis.from_url(url, retry=once, socket_timeout=patience, socket_connect_timeout=patience)
        self._clock = clock
        self._away_until = float("-inf")
        self._is_away = False
        self._blocks: OrderedDict[str, Block] = OrderedDict()

    @property
    def state(self) -> str:
        """Say whether limits hold, for the health page."""
        if self._redis is None:
            return "not configured"
        return "suspended" if self._is_away else "counted"

    async def take(self, policy: Policy, subject: str) -> Count | None:
        """Take a token from the subject's bucket; None where nothing is counted."""
        if self._redis is None or policy.quota == 0:
            return None
        key = f"{KEY_PREFIX}{policy.name}:{subject}"
        if policy.block == 1:
            return await self._ask(self._redis, key, policy, Block())
        block = self._block(key)
        if not self._has_left(block):
            async with block.asking:
                if not self._has_left(block):
                    return await self._ask(self._redis, key, policy, block)
        block.left -= 1
        return Count(policy, allowed=True, tokens=block.shared + block.left)

    def _has_left(self, block: Block) -> bool:
        return block.left > 0 and self._clock() < block.until

    def _block(self, key: str) -> Block:
        block = self._blocks.get(key) or self._blocks.setdefault(key, Block())
        self._blocks.move_to_end(key)
        if len(self._blocks) > MOST_BLOCKS:
            self._blocks.popitem(last=False)
        return block

    async def _ask(self, redis: "Redis[bytes]", key: str, policy: Policy, block: Block) -> Count | None:
        """Fill the block from the shared bucket and take one token of it."""
        if self._clock() < self._away_until:
            return None
        try:
            granted, shared = await self._run(redis, key, policy)
        except (RedisError, OSError) as error:
            self._suspend(error)
            return None
        self._resume()
        block.left, block.shared = max(0, int(granted) - 1), float(shared)
        block.until = self._clock() + BLOCK_SECONDS
        return Count(policy, allowed=granted > 0, tokens=block.shared + block.left)

    async def close(self) -> None:
        if self._redis is not None:
            await self._redis.aclose()  # type: ignore[attr-defined]  # its published types are older

    async def _run(self, redis: "Redis[bytes]", key: str, policy: Policy) -> Any:
        known: Script = redis.evalsha
        whole: Script = redis.eval
        try:
            return await known(SHA, 1, key, str(policy.quota), str(policy.rate), str(policy.block))
        except NoScriptError:  # Redis was restarted or flushed
            return await whole(TAKE, 1, key, str(policy.quota), str(policy.rate), str(policy.block))

    def _suspend(self, error: Exception) -> None:
        if not self._is_away:
            log.warning("rate limits are suspended: Redis is away", extra={"error": str(error) or type(error).__name__})
        self._is_away = True
        self._away_until = self._clock() + PAUSE_SECONDS

    def _resume(self) -> None:
        if self._is_away:
            log.warning("rate limits are counted again: Redis is back")
        self._is_away = False

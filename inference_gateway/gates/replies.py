"""Calls under an Idempotency-Key: equal requests share one call, whose reply is kept for an hour.

A call whose caller left runs to its end, so that a repeat finds its reply. Replies are kept in this process and, unless
the route forbids it, in Redis for other processes. Both are bounded in bytes; the oldest replies are dropped first.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from cachetools import TTLCache
from redis.asyncio import Redis
from redis.exceptions import RedisError

KEPT_SECONDS = 3600
LARGEST_SHARED = 2**20
SHARED_BYTES = 64 * 2**20
LOCAL_BYTES = 32 * 2**20
POLL_SECONDS = 0.25
LEASE_MS = 15_000

log = logging.getLogger(__name__)


class DifferentRequestError(Exception):
    """The key was used for another request."""


class KeptReply(msgspec.Struct, frozen=True, array_like=True):
    fingerprint: str
    body: bytes


class Replies:
    """The calls that run, and the replies of those that ended well."""

    def __init__(self, redis: "Redis[Any] | None", prefix: str, *, local_bytes: int = LOCAL_BYTES) -> None:
        self._redis = redis
        self._prefix = prefix
        self._running: dict[str, tuple[str, asyncio.Task[bytes]]] = {}
        self._leased: set[str] = set()
        self._kept: TTLCache[str, KeptReply] = TTLCache(
            local_bytes, KEPT_SECONDS, getsizeof=lambda kept: len(kept.body)
        )
        self._local_bytes = local_bytes

    @property
    def running(self) -> int:
        return len(self._running)

    async def once(
        self, team: str, key: str, fingerprint: str, call: Callable[[], Awaitable[bytes]], *, share: bool = True
    ) -> bytes:
        """Return the reply of the one call under this team's key; make the call if nobody has.

        `fingerprint` is a digest of the request. `share`: the reply may lie in Redis (never one that holds a key).

        Raises:
            DifferentRequestError: the key belongs to another request.
            Exception: the error of the call; then nothing is kept.
        """
        name = hashlib.sha256(f"{team}\n{key}".encode()).hexdigest()
        if kept := self._kept.get(name):
            return _body_for(kept, fingerprint)
        if name not in self._running:
            task = asyncio.create_task(self._make(name, fingerprint, call, share=share))
            self._running[name] = (fingerprint, task)
            task.add_done_callback(lambda ended: self._forget_task(name, ended))
        running, task = self._running[name]
        if running != fingerprint:
            raise DifferentRequestError(key)
        return await asyncio.shield(task)

    async def renew(self) -> None:
        """Keep the leases of the calls that run here, in one trip; RedisError where Redis is away."""
        if self._redis is None or not self._leased:
            return
        async with self._redis.pipeline(transaction=False) as batch:
            for name in self._leased:
                batch.pexpire(self._key("call", name), LEASE_MS)
            await batch.execute()

    async def drain(self, seconds: float) -> None:
        """Wait for calls that run, no longer than so many seconds."""
        if self._running:
            await asyncio.wait([task for _, task in self._running.values()], timeout=seconds)

    async def close(self) -> None:
        """End the calls that still run."""
        running = [task for _, task in self._running.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _forget_task(self, name: str, task: "asyncio.Task[bytes]") -> None:
        self._running.pop(name, None)
        if not task.cancelled():
            task.exception()  # its callers have it, or have gone

    async def _make(self, name: str, fingerprint: str, call: Callable[[], Awaitable[bytes]], *, share: bool) -> bytes:
        found = await self._claim(name, fingerprint)
        if found is not None:
            return _body_for(found, fingerprint)
        try:
            body = await call()
        except BaseException:
            await self._forget(name)
            raise
        kept = KeptReply(fingerprint, body)
        if len(body) <= self._local_bytes // 4:
            self._kept[name] = kept
        if share and len(body) <= LARGEST_SHARED:
            await self._share(name, kept)
        else:
            await self._forget(name)
        return body

    async def _claim(self, name: str, fingerprint: str) -> KeptReply | None:
        """Return the reply of another process, after waiting for it if need be.

        None means that this process makes the call.
        """
        if self._redis is None:
            return None
        try:
            while True:
                async with self._redis.pipeline(transaction=False) as batch:
                    batch.set(self._key("call", name), fingerprint, nx=True, px=LEASE_MS)
                    # After the lease: another process may just have finished. It keeps its reply before it frees it.
                    batch.get(self._key("reply", name))
                    batch.get(self._key("call", name))
                    is_first, packed, other = await batch.execute()
                if is_first:
                    self._leased.add(name)
                if packed:
                    await self._forget(name)
                    return msgspec.msgpack.decode(packed, type=KeptReply)
                if is_first:
                    return None
                if other is not None and other.decode() != fingerprint:
                    raise DifferentRequestError(name)
                await asyncio.sleep(POLL_SECONDS)
        except RedisError as error:
            log.warning(
                "Redis is away: idempotency keys hold within this process only", extra={"reason": type(error).__name__}
            )
            return None

    async def _share(self, name: str, kept: KeptReply) -> None:
        """Keep a reply in Redis, free its call's lease, and drop the oldest replies beyond the bound."""
        if self._redis is None:
            return
        packed = msgspec.msgpack.encode(kept)
        self._leased.discard(name)
        try:
            async with self._redis.pipeline(transaction=False) as batch:
                batch.set(self._key("reply", name), packed, ex=KEPT_SECONDS)
                batch.delete(self._key("call", name))
                batch.rpush(self._key("reply-sizes"), f"{len(packed)}:{name}")
                batch.incrby(self._key("reply-bytes"), len(packed))
                *_, total = await batch.execute()
            while total > SHARED_BYTES and (oldest := await self._redis.lpop(self._key("reply-sizes"))):
                size, _, gone = oldest.decode().partition(":")
                await self._redis.delete(self._key("reply", gone))
                total = await self._redis.decrby(self._key("reply-bytes"), int(size))
        except RedisError as error:
            log.warning("Redis is away: a reply is kept in this process only", extra={"reason": type(error).__name__})

    async def _forget(self, name: str) -> None:
        if name not in self._leased or self._redis is None:
            return
        self._leased.discard(name)
        try:
            await self._redis.delete(self._key("call", name))
        except RedisError as error:  # its lease ends
            log.warning("Redis is away: a call's lease will expire by itself", extra={"reason": type(error).__name__})

    def _key(self, *parts: str) -> str:
        return "|".join((self._prefix, *parts))


def _body_for(kept: KeptReply, fingerprint: str) -> bytes:
    if kept.fingerprint != fingerprint:
        raise DifferentRequestError(fingerprint)
    return kept.body

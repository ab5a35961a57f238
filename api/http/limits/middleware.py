"""Counting each request of the public API before it is worked on, and saying in the reply what is left.

Who comes with a key that was good a moment ago, or with an operator's token, is counted under it; everybody else, and
every key not seen before, under the address: making up keys makes no buckets.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from litestar.concurrency import sync_to_thread
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from api.http.addresses import Addresses
from api.http.limits.counting import Count, RateLimits, policies
from api.operator.tokens import operators
from api.settings import ApiSettings
from tetrad.server.problems import ProblemError
from tetrad.server.tokens import token_in

MOST_REMEMBERED = 10_000  # keys that were good, by hash
GOOD_SECONDS = 60.0  # then it is looked up again: it may have been revoked
PUBLIC = "/v1/"
UNCOUNTED = {"limit": "uncounted"}
ITEMS = {"limit": "items"}
ITEMS_TOO = {"limit": "anonymous items"}
"""What routes say of themselves (`opt`): counted by their handler, among those that make practice items, or twice."""

Recognise: TypeAlias = Callable[[str], bool]
"""Whether a key with this SHA-256 is one of ours, and not revoked."""


class RateLimitMiddleware(ASGIMiddleware):
    scopes = (ScopeType.HTTP,)

    def __init__(self, limits: RateLimits, settings: ApiSettings, addresses: Addresses, recognise: Recognise) -> None:
        self._limits = limits
        self._policies = policies(settings)
        self._addresses = addresses
        self._recognise = recognise
        self._operators = frozenset(map(_digest, operators(settings.operator_token)))
        self._good: OrderedDict[str, float] = OrderedDict()

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        kind = scope["route_handler"].opt.get("limit", "")
        if kind == "uncounted" or not scope["path"].startswith(PUBLIC):
            await next_app(scope, receive, send)
            return
        headers = await self.count(scope, kind)

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableScopeHeaders.from_message(message).update(headers)
            await send(message)

        await next_app(scope, receive, tell)

    async def count(self, scope: Scope, kind: str) -> dict[str, str]:
        """Count one request and return the headers that tell what is left.

        Raises:
            ProblemError: 429, nothing is.
        """
        digest = _key_digest(scope)
        if digest in self._operators or self._good.get(digest, 0.0) > time.monotonic():
            counted = await self._take(["key"], digest)
        else:
            counted = await self._take((kind or "anonymous").split(), self._addresses.of(scope))
        if counted is None:
            return {}
        if digest and counted.policy.name != "key":
            await self._look_up(digest)
        return counted.headers

    async def _take(self, names: Sequence[str], subject: str) -> Count | None:
        """Take a token from each of the subject's buckets; return the last count, None where nothing is counted.

        Raises:
            ProblemError: 429, one is empty.
        """
        last = None
        for name in names:
            counted = await self._limits.take(self._policies[name], subject)
            if counted is not None and not counted.allowed:
                raise too_many(counted)
            last = counted or last
        return last

    @property
    def state(self) -> str:
        return self._limits.state

    async def close(self) -> None:
        await self._limits.close()

    async def _look_up(self, digest: str) -> None:
        """Find out whether the key is a good one; from the next request on it has a bucket of its own."""
        if await sync_to_thread(self._recognise, digest):
            self._good[digest] = time.monotonic() + GOOD_SECONDS
            self._good.move_to_end(digest)
            if len(self._good) > MOST_REMEMBERED:
                self._good.popitem(last=False)


def too_many(counted: Count) -> ProblemError:
    policy, wait = counted.policy, counted.retry_after
    detail = (
        f"more than {policy.quota} requests a minute ({policy.name}); nothing was changed; "
        f"try again in {wait} s; with a key (POST /v1/teams) the limit is the key's own"
    )
    return ProblemError(429, detail, headers={**counted.headers, "Retry-After": str(wait)})


def _key_digest(scope: Scope) -> str:
    """Return the digest of the key that came, empty where none did."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            key = token_in(value.decode("latin-1"))
            return "" if key is None else _digest(key)
    return ""


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()

"""A cache that answers equal requests with the same reply. It is off unless an operator names teams for it.

A reply is kept for the team and the purpose that asked, under the digest of the whole request and of the registry that
answered it. Replies to judges are never kept, because their prompts hold answer keys. A request with a new
Idempotency-Key is a new call; the runner's repeats of a question use new keys.
"""

import hashlib

import msgspec
from cachetools import TTLCache

from inference_gateway.access import Caller
from tetrad.contracts.inference import ChatRequest, EmbeddingRequest

EVERY_TEAM = "*"


class ResponseCache:
    """Complete replies of this process, bounded in bytes and time; the oldest go first."""

    def __init__(self, *, teams: str, seconds: float, most_bytes: int) -> None:
        """Take the names of teams, joined by commas; `*` is all, and "" none."""
        self._teams = frozenset(name.strip() for name in teams.split(",") if name.strip())
        self._most = most_bytes
        self._kept: TTLCache[bytes, bytes] = TTLCache(most_bytes, seconds, getsizeof=len)

    @property
    def held_bytes(self) -> int:
        return int(self._kept.currsize)

    def key(
        self, caller: Caller, registry: str, request: ChatRequest | EmbeddingRequest, directives: str
    ) -> bytes | None:
        """Return the name of the reply, None if it must not be kept; `directives` is the request's Cache-Control."""
        is_on = EVERY_TEAM in self._teams or caller.team in self._teams
        if not is_on or caller.purpose == "judge" or "no-store" in directives:
            return None
        parts = [caller.team, caller.purpose, registry, type(request).__name__]
        return hashlib.sha256("\n".join(parts).encode() + b"\n" + msgspec.json.encode(request)).digest()

    def get(self, key: bytes | None, directives: str) -> bytes | None:
        """Return a kept reply, unless the caller asks for a new one (no-cache)."""
        return None if key is None or "no-cache" in directives else self._kept.get(key)

    def keep(self, key: bytes | None, body: bytes, *, is_complete: bool) -> None:
        """Keep a reply, unless it is cut, refused, blocked or too long for its cap."""
        if key is not None and is_complete and len(body) <= self._most:
            self._kept[key] = body

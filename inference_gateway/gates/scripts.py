"""The scripts of the gates in Redis: each is the gates' Lua files, one idea a file, and one that composes them.

A restarted server has no scripts, so a process notices the restart without an extra request. Before it loads the
scripts again, it closes the ledger, because the server may have lost the spent amounts.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from redis.asyncio import Redis
from redis.exceptions import NoScriptError

_FOLDER = Path(__file__).with_name("scripts")
_PARTS = ("prelude", "budget", "unconfirmed", "rate", "permits", "breaker", "turns", "leases")
SCRIPTS = tuple(sorted(path.stem for path in _FOLDER.glob("*.lua") if path.stem not in _PARTS))


@cache
def source(name: str) -> str:
    """Return the whole text of a script."""
    return "\n".join((_FOLDER / f"{part}.lua").read_text("utf-8") for part in (*_PARTS, name))


@cache
def digest(name: str) -> str:
    """Return the name that a server gives to a script."""
    return hashlib.sha1(source(name).encode(), usedforsecurity=False).hexdigest()


class Scripts:
    """Runs scripts by name on one server."""

    def __init__(self, redis: "Redis[Any]", prefix: str) -> None:
        self._redis = redis
        self._prefix = prefix

    async def run(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run a script and return its reply. Raises: RedisError: the server is away."""
        packed = msgspec.msgpack.encode(arguments)
        try:
            reply = await self._redis.evalsha(digest(name), 1, self._prefix, packed)  # type: ignore[no-untyped-call]
        except NoScriptError:
            if name != "close_ledger":
                await self.close_ledger()
            await self._redis.script_load(source(name))  # type: ignore[no-untyped-call]
            reply = await self._redis.evalsha(digest(name), 1, self._prefix, packed)  # type: ignore[no-untyped-call]
        found: dict[str, Any] = msgspec.msgpack.decode(reply)
        return found

    async def close_ledger(self) -> dict[str, Any]:
        """Close the ledger if the server was restarted since it was opened; return its state."""
        return await self.run("close_ledger", {"run": await self.server_run()})

    async def server_run(self) -> str:
        """Return the id of the server's run, which changes with each start."""
        information = await self._redis.info("server")
        return str(information["run_id"])

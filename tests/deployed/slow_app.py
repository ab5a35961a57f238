"""An ASGI app whose replies at /slow take four seconds: what a drain waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

PIECES = 8
PAUSE_SECONDS = 0.5


def create_app() -> Callable[..., Awaitable[None]]:
    return answer


async def answer(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    if scope["type"] == "lifespan":
        for moment in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{moment}.complete"})
    elif scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(PIECES if scope["path"] == "/slow" else 0):
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            await asyncio.sleep(PAUSE_SECONDS)
        await send({"type": "http.response.body", "body": b""})

"""An upstream that misbehaves as it is told: what llmock lacks (huge bodies, slow bytes, redirects, wrong lengths).

It speaks no provider's shape by itself: a test says what is answered, and looks at what was asked.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

Handler: TypeAlias = Callable[[web.Request], Coroutine[None, None, web.StreamResponse]]


@dataclass(frozen=True)
class Asked:
    """A request as it came: path with query, headers, decoded body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Upstream:
    """The server's address, what it was asked, and what it answers next: `answer` to every request of a path's end."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: list[Handler] = field(default_factory=list)
    otherwise: Handler | None = None

    def reset(self) -> None:
        self.asked.clear()
        self.answers.clear()
        self.otherwise = None

    async def handle(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        self.asked.append(Asked(request.path_qs, dict(request.headers), json.loads(content) if content else {}))
        handler = self.answers.pop(0) if self.answers else self.otherwise
        return web.json_response(chat("ok")) if handler is None else await handler(request)


@contextmanager
def running() -> Iterator[Upstream]:
    """Run the server on loopback, in a thread of its own."""
    upstream, ready, ended = Upstream(), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{path:.*}", upstream.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        upstream.url = f"http://{host}:{port}"
        ready.set()
        await ended.wait()
        await runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}  # answers to callers who went away
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield upstream
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()


def chat(text: str | None, reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    """Return a chat completion in OpenAI's shape."""
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "upstream-model-2026",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        **more,
    }


def replying(document: Any, status: int = 200, **headers: str) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(document, status=status, headers=named)

    return handle


def beside_the_api(otherwise: Handler, revoked: Sequence[str] = ()) -> Handler:
    """Answer as the api does where the list of revoked tokens is asked for, and else as told."""

    async def handle(request: web.Request) -> web.StreamResponse:
        is_list = request.path.endswith("revoked-tokens")
        return await (replying({"revoked": list(revoked), "budgets": {}}) if is_list else otherwise)(request)

    return handle


def failing(status: int, message: str = "no", code: str | None = None, **headers: str) -> Handler:
    return replying({"error": {"message": message, "type": "x_error", "code": code}}, status, **headers)


def sleeping(seconds: float) -> Handler:
    async def handle(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.json_response(chat("late"))

    return handle


def streaming(*events: Any, end: str = "[DONE]", pause: float = 0.0, name: bool = False) -> Handler:
    """Send events; an `end` of "" stops without one, and "break" breaks the connection."""

    async def handle(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for event in events:
            text = event if isinstance(event, str) else json.dumps(event)
            head = f"event: {event['type']}\n" if name else ""
            await answer.write(f"{head}data: {text}\n\n".encode())
            await asyncio.sleep(pause)
        if end == "break":
            assert request.transport is not None
            request.transport.abort()
        elif end:
            await answer.write(f"data: {end}\n\n".encode())
        return answer

    return handle


def chunk(text: str | None = None, reason: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    delta = {} if text is None else {"content": text}
    choices = [{"index": index, "delta": delta, "finish_reason": reason}]
    return {"id": "x", "object": "chat.completion.chunk", "model": "upstream-model-2026", "choices": choices, **more}


async def huge(request: web.Request) -> web.StreamResponse:
    """Answer with a body that never ends."""
    answer = web.StreamResponse(headers={"Content-Type": "application/json"})
    await answer.prepare(request)
    try:
        for _ in range(400):
            await answer.write(b" " * 2**20)
    except (ConnectionError, OSError):
        pass
    return answer


async def slow(request: web.Request) -> web.StreamResponse:
    """Answer a byte at a time."""
    answer = web.StreamResponse(headers={"Content-Type": "application/json"})
    await answer.prepare(request)
    for byte in json.dumps(chat("slow")).encode():
        await answer.write(bytes([byte]))
        await asyncio.sleep(0.1)
    return answer


async def short(request: web.Request) -> web.StreamResponse:
    """Promise more bytes than come."""
    assert request.transport is not None
    body = json.dumps(chat("short")).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body) + 100}\r\n\r\n"
    request.transport.write(head.encode() + body)
    request.transport.close()
    return web.Response()


async def elsewhere(request: web.Request) -> web.StreamResponse:
    raise web.HTTPTemporaryRedirect(str(request.url.with_path("/stolen")))

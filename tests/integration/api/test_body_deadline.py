"""Bodies that don't come, over a real server: their requests end; one that comes slowly, or a stream, is let be."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from litestar import Litestar, get, post
from litestar.params import RawBody
from litestar.response import Stream

from tests.serving import served
from tetrad.server.http_edge import BodyDeadlineMiddleware
from tetrad.server.problems import PROBLEM_HANDLERS

PAUSE, WHOLE = 2.5, 5.0  # seconds
HEAD = b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


@post("/length", status_code=200)
async def length(body: RawBody) -> int:
    return len(body)


@get("/slow")
async def slow() -> Stream:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(8):
            await asyncio.sleep(PAUSE / 4)
            yield b"part "

    return Stream(parts)


@get("/health/ready")
async def ready() -> None: ...


def create_app() -> Litestar:
    middleware = [BodyDeadlineMiddleware(PAUSE, WHOLE)]
    routes = [length, slow, ready]
    return Litestar(routes, middleware=middleware, exception_handlers=PROBLEM_HANDLERS, openapi_config=None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served("tests.integration.api.test_body_deadline:create_app") as server:
        yield server.url


def sent(url: str, size: int, pieces: list[bytes], pause: float) -> bytes:
    """Send a body of `size` bytes in these pieces with pauses between them; return what comes back first."""
    place = urlsplit(url)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=20) as connection:
        connection.sendall(HEAD % size)
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        return connection.recv(4096)


def test_a_body_that_stops_coming_ends_its_request(url: str) -> None:
    begun = time.monotonic()
    assert sent(url, 10, [b"half "], 0).startswith(b"HTTP/1.1 408")
    assert time.monotonic() - begun >= PAUSE


def test_a_body_that_drips_for_too_long_ends_its_request(url: str) -> None:
    pieces = [b"."] * 9
    assert sent(url, 1000, pieces, WHOLE / 10).startswith(b"HTTP/1.1 408")


def test_a_body_that_comes_slowly_is_taken(url: str) -> None:
    reply = sent(url, 4, [b"a", b"b", b"c", b"d"], PAUSE / 10)
    assert reply.startswith(b"HTTP/1.1 200")
    assert reply.endswith(b"4")


def test_a_stream_may_last_longer_than_any_body(url: str) -> None:
    assert httpx.get(f"{url}/slow", timeout=20).text == "part " * 8

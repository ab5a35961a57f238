"""The picture line, against a server that hangs up as often as it is told to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from api.errors import DomainError
from api.http.problems import status_of
from api.upstream.generator import PictureLine
from tests.ports import free_port

FOUND = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\npng"
MISSING = (
    b"HTTP/1.1 404 Not Found\r\nContent-Length: 77\r\n\r\n"
    b'{"type":"about:blank","title":"Not Found","status":404,"detail":"no picture"}'
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def line_to(*answers: bytes) -> AsyncIterator[tuple[PictureLine, list[bytes]]]:
    """Serve these answers in turn, an empty one by hanging up; yield the line and the first lines it sent."""
    left, heard = list(answers), list[bytes]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while left:
            asked = await reader.readuntil(b"\r\n\r\n")
            heard.append(asked.split(b"\r\n")[0])
            answer = left.pop(0)
            if not answer:
                break
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    line = PictureLine(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", 5.0)
    async with server:
        yield line, heard
        await line.close()


@pytest.mark.anyio
async def test_a_connection_that_broke_is_tried_again_once() -> None:
    async with line_to(FOUND, b"", FOUND) as (line, heard):
        assert await line.fetch("POST", "/pictures/a%2Fb", {}) == b"png"
        assert await line.fetch("POST", "/pictures/a%2Fb", {}) == b"png"
    assert set(heard) == {b"POST /pictures/a%2Fb HTTP/1.1"}
    async with line_to(b"", b"", FOUND) as (line, heard):
        with pytest.raises(DomainError) as caught:
            await line.fetch("POST", "/1", {})
    assert status_of(caught.value) == 503
    assert len(heard) == 2


@pytest.mark.anyio
async def test_a_generator_that_is_away_is_named_as_ours() -> None:
    line = PictureLine(f"http://127.0.0.1:{free_port()}", 5.0)
    with pytest.raises(DomainError) as caught:
        await line.fetch("GET", "/1", {})
    assert status_of(caught.value) == 503
    await line.close()
    await line.close()


@pytest.mark.anyio
async def test_what_the_generator_refuses_is_passed_on() -> None:
    async with line_to(MISSING) as (line, _):
        with pytest.raises(DomainError) as caught:
            await line.fetch("GET", "/1", {})
    assert (status_of(caught.value), caught.value.detail) == (404, "no picture")

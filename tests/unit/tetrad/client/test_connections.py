"""Many threads share a client, and its connections are kept for the next requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from threading import Barrier
from typing import ClassVar

import pytest

from tests.serving import answered_by
from tests.unit.tetrad.runner.test_responders import prompt
from tetrad.client import AsyncClient, Client, ServiceError
from tetrad.runner.ports import RefusedError
from tetrad.runner.responders import http_responder

AT_ONCE = 40
ROUNDS = 4


class Together(BaseHTTPRequestHandler):
    """Answers 418 to forty requests at once, each on a connection of its own; counts connections."""

    protocol_version = "HTTP/1.1"
    timeout = 60  # of a connection whose client was never closed
    barrier: ClassVar[Barrier]
    opened: ClassVar[list[object]]

    def setup(self) -> None:
        self.opened.append(self.client_address)
        super().setup()

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.barrier.wait(30)
        self.send_response(418)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815 - as the library names it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def by_client(url: str) -> None:
    with Client(url) as client:
        ask_in_threads(client.benchmarks, ServiceError)


def by_async_client(url: str) -> None:
    async def ask(client: AsyncClient) -> None:
        with pytest.raises(ServiceError):
            await client.benchmarks()

    async def ask_all() -> None:
        async with AsyncClient(url) as client:
            for _ in range(ROUNDS):
                await asyncio.gather(*(ask(client) for _ in range(AT_ONCE)))

    asyncio.run(ask_all())


def by_responder(url: str) -> None:
    respond = http_responder(url, "m")
    ask_in_threads(lambda: respond(prompt()), RefusedError)


def ask_in_threads(ask: Callable[[], object], error: type[Exception]) -> None:
    def refused(_: int) -> None:
        with pytest.raises(error):
            ask()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(ROUNDS):
            list(pool.map(refused, range(AT_ONCE)))


@pytest.mark.parametrize("ask_all", [by_client, by_async_client, by_responder])
def test_connections_of_many_threads_are_kept(ask_all: Callable[[str], None]) -> None:
    Together.barrier = Barrier(AT_ONCE)
    Together.opened = []
    with answered_by(Together) as url:
        ask_all(url)
    # If the machine stands still for 5 s, all expire and are opened once more. By httpx's default at least 100 are.
    assert len(Together.opened) <= 2 * AT_ONCE

"""Replies that begin before a request's body has come: no client loses what it sends next."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from socket import MSG_PEEK
from urllib.parse import urlsplit

import httpx
import pytest

from tests.instance import Instance
from tetrad.server.http_edge import LEFTOVER_BYTES

SECONDS = 20.0
PAUSE = 0.05  # between a head and its body, as two packets of a client may have
BODY = b'{"model": "constant"}'
SERVICES = ("api", "gateway", "generator")
NOWHERE = "/v1/no-such-route"
CHUNKED = {"Transfer-Encoding": "chunked"}
EARLY = {
    "api, no such key": ("api", "POST", "/v1/submissions", 401),
    "api, no such route": ("api", "POST", NOWHERE, 404),
    "api, no such method": ("api", "POST", "/v1/benchmarks", 405),
    "api, a body that no route reads": ("api", "GET", "/v1/benchmarks", 200),
    "api, a HEAD with a body": ("api", "HEAD", "/v1/benchmarks", 200),
    "gateway, no such token": ("gateway", "POST", "/v1/chat/completions", 401),
    "gateway, no such route": ("gateway", "POST", NOWHERE, 404),
    "generator, no such token": ("generator", "POST", "/internal/sealed/draws", 403),
    "generator, no such route": ("generator", "POST", NOWHERE, 404),
}


@contextmanager
def connected(instance: Instance, service: str) -> Iterator[HTTPConnection]:
    """Connect once: where the connection has ended, a further request fails."""
    urls = {"api": instance.url, "gateway": instance.gateway_url, "generator": instance.generator_url}
    with closing(HTTPConnection(urlsplit(urls[service]).netloc, timeout=SECONDS)) as connection:
        connection.connect()
        connection.auto_open = 0
        yield connection


def send_head(connection: HTTPConnection, method: str, path: str, headers: dict[str, str]) -> None:
    connection.putrequest(method, path)
    sent = {"Content-Type": "application/json"} | headers
    if method == "POST":
        sent["Authorization"] = "Bearer " + "no-such-token" * 4
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders()


def read_reply(connection: HTTPConnection) -> tuple[int, bool]:
    """Return a reply's status, and whether it says that the connection ends."""
    reply = connection.getresponse()
    reply.read()
    return reply.status, reply.headers.get("Connection", "").lower() == "close"


@pytest.mark.parametrize(("service", "method", "path", "status"), EARLY.values(), ids=EARLY)
def test_a_connection_is_kept_when_a_body_comes_after_the_head(
    instance: Instance, service: str, method: str, path: str, status: int
) -> None:
    with connected(instance, service) as connection:
        for _ in range(3):
            send_head(connection, method, path, {"Content-Length": str(len(BODY))})
            time.sleep(PAUSE)
            connection.send(BODY)
            assert read_reply(connection) == (status, False)


@pytest.mark.parametrize("service", SERVICES)
def test_a_reply_says_that_the_connection_ends_when_no_body_comes(instance: Instance, service: str) -> None:
    with connected(instance, service) as connection, connection.sock.dup() as below:
        below.settimeout(SECONDS)
        send_head(connection, "POST", NOWHERE, {"Content-Length": str(len(BODY))})
        assert read_reply(connection) == (404, True)
        assert below.recv(1) == b"", "it ends"


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Content-Length": str(LEFTOVER_BYTES + 1)}, id="large"),
        pytest.param({"Content-Length": "2", "Expect": "100-continue"}, id="expects"),
    ],
)
def test_a_body_that_is_large_or_held_back_is_not_waited_for(
    instance: Instance, service: str, headers: dict[str, str]
) -> None:
    with connected(instance, service) as connection:
        send_head(connection, "POST", NOWHERE, headers)
        assert connection.sock.recv(12, MSG_PEEK) == b"HTTP/1.1 404", "nothing, as 100 Continue, comes before"
        assert read_reply(connection) == (404, True)


def test_a_chunked_body_of_any_length_is_left_when_it_is_large(instance: Instance) -> None:
    with connected(instance, "api") as connection:
        send_head(connection, "POST", NOWHERE, CHUNKED)
        connection.send(b"5\r\nhello\r\n0\r\n\r\n")
        assert read_reply(connection) == (404, False)
        send_head(connection, "POST", NOWHERE, CHUNKED)
        connection.send(b"10000\r\n" + b"x" * LEFTOVER_BYTES + b"\r\n5\r\nhello\r\n")
        assert read_reply(connection) == (404, True)


def test_a_client_reads_why_its_large_body_was_refused(instance: Instance) -> None:
    with httpx.Client(base_url=instance.url, timeout=SECONDS, headers={"Authorization": "Bearer none"}) as client:
        for _ in range(5):
            assert client.post("/v1/submissions", content=bytes(5 * 2**20)).status_code == 401

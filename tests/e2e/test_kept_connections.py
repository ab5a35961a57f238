"""Replies that begin before a request's body has come, over raw sockets: no client loses what it sends next."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from tests.instance import Instance
from tetrad.server.http_edge import LEFTOVER_BYTES

SECONDS = 20.0
PAUSE = 0.05  # between a head and its body, as two packets of a client may have
BODY = b'{"model": "constant"}'
CLOSES = b"connection: close"
SERVICES = ("api", "gateway", "generator")
NOWHERE = "/v1/no-such-route"
REFUSED = {
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
def connected(instance: Instance, service: str) -> Iterator[socket.socket]:
    urls = {
        "api": instance.url,
        "gateway": f"http://127.0.0.1:{instance.data_directory.gateway_port}",
        "generator": instance.environment("api")["TETRAD_API_GENERATOR_URL"],
    }
    place = urlsplit(urls[service])
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=SECONDS) as connection:
        yield connection


def head_of(method: str, path: str, size: int, *more: str) -> bytes:
    token = "Authorization: Bearer " + "no-such-token" * 4 if method == "POST" else "X-None: 1"
    lines = [f"{method} {path} HTTP/1.1", "Host: a", "Content-Type: application/json", token, *more]
    return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode()


def reply_of(connection: socket.socket, method: str = "POST") -> tuple[int, bytes]:
    """Read one reply; return its status and its head, in lower case."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(2**16)
        assert piece, f"the connection ended after {received!r}"
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    head = head.lower()
    size = int(head.partition(b"content-length: ")[2].split()[0])
    while method != "HEAD" and len(body) < size:
        body += connection.recv(2**16)
    return int(head.split()[1]), head


@pytest.mark.parametrize(("service", "method", "path", "status"), REFUSED.values(), ids=REFUSED)
def test_a_connection_is_kept_when_a_body_comes_after_the_head(
    instance: Instance, service: str, method: str, path: str, status: int
) -> None:
    with connected(instance, service) as connection:
        for _ in range(3):
            connection.sendall(head_of(method, path, len(BODY)))
            time.sleep(PAUSE)
            connection.sendall(BODY)
            found, head = reply_of(connection, method)
            assert found == status
            assert CLOSES not in head


@pytest.mark.parametrize("service", SERVICES)
def test_a_reply_says_that_the_connection_ends_when_no_body_comes(instance: Instance, service: str) -> None:
    with connected(instance, service) as connection:
        connection.sendall(head_of("POST", NOWHERE, len(BODY)))
        found, head = reply_of(connection)
        assert (found, CLOSES in head) == (404, True)
        assert connection.recv(1) == b"", "it ends"


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "head",
    [
        pytest.param(head_of("POST", NOWHERE, LEFTOVER_BYTES + 1), id="large"),
        pytest.param(head_of("POST", NOWHERE, 2, "Expect: 100-continue"), id="expects"),
    ],
)
def test_a_body_that_is_large_or_held_back_is_not_waited_for(instance: Instance, service: str, head: bytes) -> None:
    with connected(instance, service) as connection:
        connection.sendall(head)
        found, head = reply_of(connection)
        assert (found, CLOSES in head) == (404, True)


def test_a_chunked_body_of_any_length_is_left_when_it_is_large(instance: Instance) -> None:
    head = head_of("POST", NOWHERE, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with connected(instance, "api") as connection:
        connection.sendall(head + b"5\r\nhello\r\n0\r\n\r\n")
        assert CLOSES not in reply_of(connection)[1]
        connection.sendall(head + b"10000\r\n" + b"x" * LEFTOVER_BYTES + b"\r\n5\r\nhello\r\n")
        assert CLOSES in reply_of(connection)[1]


def test_a_client_reads_why_its_large_body_was_refused(instance: Instance) -> None:
    with httpx.Client(base_url=instance.url, timeout=SECONDS, headers={"Authorization": "Bearer none"}) as client:
        for _ in range(5):
            assert client.post("/v1/submissions", content=bytes(5 * 2**20)).status_code == 401

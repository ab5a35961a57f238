"""Requests that no client sends, over raw sockets: each service refuses them as the sender's fault."""

import re
import socket
from urllib.parse import urlsplit

import pytest

from tests.instance import Instance

REQUEST_ID = re.compile(rb'"request_id":"[^"]*"')  # each request has its own

SERVICES = ("api", "gateway", "generator")
SECONDS = 20.0
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = {
    "a size that is no number": b"zz\r\nhello\r\n0\r\n\r\n",
    "a size of 17 digits": b"FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
    "a quotation that is left open over a line": b'5;a="b\n"\r\nhello\r\n0\r\n\r\n',
    "a chunk longer than its size": b"5\r\nhelloXX0\r\n\r\n",
    "a size that ends in a line feed alone": b"5\nhello\r\n0\r\n\r\n",
}
BY_THE_SERVER = b""
HOST, CODING = b'"field":"Host"', b'"field":"Transfer-Encoding"'
HEADS = {
    "two Hosts": (HOST, b"Host: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}"),
    "the same Host twice": (HOST, b"Host: a\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"),
    "no Host": (HOST, b"Content-Length: 2\r\n\r\n{}"),
    "a coding that there is not": (
        BY_THE_SERVER,
        b"Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ),
    "a coding that there is not, and a length": (
        BY_THE_SERVER,
        b"Host: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}",
    ),
    "a coding before chunked": (CODING, b"Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    "two codings in two fields": (
        CODING,
        b"Host: a\r\n" + b"Transfer-Encoding: x\r\n" + CHUNKED + b"2\r\n{}\r\n0\r\n\r\n",
    ),
    "two lengths": (BY_THE_SERVER, b"Host: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "a space before the colon": (BY_THE_SERVER, b"Host: a\r\nContent-Length : 2\r\n\r\n{}"),
    "a field over two lines": (BY_THE_SERVER, b"Host: a\r\nX-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}"),
}


class Target:
    """A service of the instance, and the beginning of a request that it would read the body of."""

    def __init__(self, instance: Instance, service: str) -> None:
        secrets = instance.secrets
        url, route, token = {
            "api": (instance.url, "/v1/teams", ""),
            "gateway": (
                instance.gateway_url,
                "/v1/chat/completions",
                secrets.judge_token,
            ),
            "generator": (
                instance.generator_url,
                "/internal/sealed/draws",
                secrets.sealed_token,
            ),
        }[service]
        place = urlsplit(url)
        self._address = (str(place.hostname), int(place.port or 0))
        self._begin = f"POST {route} HTTP/1.1\r\nContent-Type: application/json\r\n".encode()
        self._begin += f"Authorization: Bearer {token}\r\n".encode() if token else b""
        self._log = instance.data_directory.logs / f"{service}.log"

    def reply(self, rest: bytes, *, end: bool = False) -> bytes:
        """Send the rest of the request and return the first piece of the reply."""
        with socket.create_connection(self._address, timeout=SECONDS) as connection:
            connection.sendall(self._begin + rest)
            if end:
                connection.shutdown(socket.SHUT_WR)
            return connection.recv(4096)

    def faults(self) -> int:
        return self._log.read_text().count("unhandled error")


@pytest.fixture(scope="module", params=SERVICES)
def target(request: pytest.FixtureRequest, instance: Instance) -> Target:
    return Target(instance, request.param)


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
def test_chunks_that_are_none_are_the_sender_s_fault(target: Target, chunks: bytes) -> None:
    before = target.faults()
    reply = target.reply(b"Host: a\r\n" + CHUNKED + chunks)
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert b"7.1" in reply, "the problem says what is wrong"
    assert target.faults() == before


@pytest.mark.parametrize("rest", [b"Content-Length: 5\r\n\r\n{}", CHUNKED + b"5\r\n{}"], ids=["length", "chunks"])
def test_a_body_that_breaks_off_is_the_sender_s_fault(target: Target, rest: bytes) -> None:
    before = target.faults()
    assert target.reply(b"Host: a\r\n" + rest, end=True).startswith(b"HTTP/1.1 400 ")
    assert target.faults() == before


@pytest.mark.parametrize(("problem", "head"), HEADS.values(), ids=HEADS)
def test_a_head_that_can_be_read_in_two_ways_is_refused(target: Target, problem: bytes, head: bytes) -> None:
    """Some the server refuses by itself, without a word."""
    reply = target.reply(head)
    assert reply.startswith(b"HTTP/1.1 400 ")
    body = reply.partition(b"\r\n\r\n")[2]
    assert problem in body
    assert bool(problem) == bool(body)


def test_a_quotation_that_is_left_open_within_its_line_changes_no_body(target: Target) -> None:
    """The server passes extensions over; what counts is that they move no end of a chunk."""
    plain, quoted = (
        target.reply(b"Host: a\r\n" + CHUNKED + size + b"\r\n[1,2]\r\n0\r\n\r\n") for size in (b"5", b'5;a="b')
    )
    bodies = (REQUEST_ID.sub(b"", reply.partition(b"\r\n\r\n")[2]) for reply in (plain, quoted))
    assert len(set(bodies)) == 1
    assert plain.split()[1] in {b"400", b"422"}


def test_a_head_with_bare_line_feeds_is_one_request(target: Target) -> None:
    """RFC 9112, section 2.2, lets a server take them; a second request must not come of it."""
    with_feeds = b"Host: a\nContent-Length: 5\n\n[1,2]"
    reply = target.reply(with_feeds)
    assert reply.split()[1] in {b"400", b"422"}
    assert reply.count(b"HTTP/1.1 ") == 1


def test_every_reply_forbids_guessing_its_type_and_errors_are_not_kept(target: Target) -> None:
    reply = target.reply(b"Host: a\r\nContent-Length: 2\r\n\r\n{}").lower()
    assert b"x-content-type-options: nosniff" in reply
    assert b"no-store" in reply

"""A client that costs little itself: raw kept-alive connections, a request on each, then a reply from each."""

import socket
from types import TracebackType
from typing import Self

COUNT = 8
CHUNK = 1 << 18


class Connections:
    """A few connections to one server; replies must carry a Content-Length."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._open = [socket.create_connection((host, port), timeout=30) for _ in range(COUNT)]
        for connection in self._open:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self._open:
            connection.close()

    def get(self, path: str, count: int) -> int:
        """Get the path so often; return the bytes of a body.

        Raises:
            AssertionError: a reply is no 200.
        """
        request = f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode()
        size = 0
        for start in range(0, count, len(self._open)):
            busy = self._open[: count - start]
            for connection in busy:
                connection.sendall(request)
            for connection in busy:
                size = _body(connection)
        return size


def _body(connection: socket.socket) -> int:
    """Read one reply and return how long its body was."""
    head = b""
    while (end := head.find(b"\r\n\r\n")) < 0:
        head += _some(connection)
    if not head.startswith(b"HTTP/1.1 200"):
        raise AssertionError(f"the server said {head[:200]!r}")
    lines = head[:end].lower().split(b"\r\n")
    length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:"))
    left = length - (len(head) - end - 4)
    while left > 0:
        left -= len(_some(connection))
    return length


def _some(connection: socket.socket) -> bytes:
    content = connection.recv(CHUNK)
    if not content:
        raise AssertionError("the server closed a connection that was to be kept alive")
    return content

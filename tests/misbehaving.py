"""A proxy before a real service, in a thread of the test: it misbehaves on demand.

with misbehaving("http://127.0.0.1:8001") as proxy:
    proxy.behave(status=503)
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

import httpx

from tests.serving import ThreadedServer

Change = Callable[[str, bytes], bytes]
"""From the path of a request and the body of its answer to another body."""
KEPT_HEADERS = ("authorization", "content-type", "accept")


def keep_body(_path: str, body: bytes) -> bytes:
    return body


@dataclass
class Misbehaving:
    """The proxy's address, and what it does to requests from now on."""

    url: str
    status: int = 200
    retry_after: str = ""
    delay: float = 0.0
    change: Change = keep_body
    in_progress: int = 0
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def behave(
        self, *, status: int = 200, retry_after: str = "", delay: float = 0.0, change: Change = keep_body
    ) -> None:
        """Answer with this status and no body, or so many seconds late, or with another body; by default as is.

        A status may come with a Retry-After. A request that is being delayed goes on as soon as the delay is shorter.
        """
        self.status, self.retry_after, self.delay, self.change = status, retry_after, delay, change

    def settle(self) -> None:
        """Refuse what is being delayed, so that nothing of a test before reaches the service, and behave again."""
        self.behave(status=503)
        while self.in_progress:
            time.sleep(0.01)
        self.behave()

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._counting:
            self.in_progress += 1
        try:
            yield
        finally:
            with self._counting:
                self.in_progress -= 1


@contextmanager
def misbehaving(target: str) -> Iterator[Misbehaving]:
    """Pass requests on to the service at this address until the block ends."""
    with httpx.Client(base_url=target, timeout=60) as client:

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                # Who has its reply is in progress no more: the count ends before a byte of it is sent.
                with proxy.counted():
                    status, kind, body = self.pass_on()
                self.reply(status, kind, body)

            do_POST = do_GET  # noqa: N815 - the names of http.server

            def pass_on(self) -> tuple[int, str, bytes]:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                began = time.monotonic()
                while time.monotonic() - began < proxy.delay:
                    time.sleep(0.02)
                if (status := proxy.status) != 200:
                    return status, "application/json", b""
                headers = {name: self.headers[name] for name in KEPT_HEADERS if name in self.headers}
                reply = client.request(self.command, self.path, content=content, headers=headers)
                kind = reply.headers.get("content-type", "application/json")
                body = proxy.change(self.path, reply.content) if reply.is_success else reply.content
                return reply.status_code, kind, body

            def reply(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                if proxy.retry_after:
                    self.send_header("Retry-After", proxy.retry_after)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write nothing."""

        with ThreadedServer(("127.0.0.1", 0), Handler) as server:
            proxy = Misbehaving(f"http://127.0.0.1:{server.server_port}")
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield proxy
            proxy.settle()
            server.shutdown()
            thread.join()

"""The numbers of processes without an HTTP server of their own, on a port of their own: workers, a whole instance."""

import hmac
import logging
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from prometheus_client import CONTENT_TYPE_LATEST

PATH = "/metrics"
CALLER_SECONDS = 20.0  # the longest that a caller may take to send a request or to read the reply

log = logging.getLogger(__name__)


def serve_metrics(address: str, token: str, exposition: Callable[[], bytes]) -> ThreadingHTTPServer:
    """Answer `GET /metrics` at HOST:PORT in threads of this process, to whoever sends the token.

    Without an exposition that can be made the answer is 500, and the reason is in the log.

    Raises:
        OSError: somebody else listens there.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = CALLER_SECONDS

        def do_GET(self) -> None:
            status, body = self._answer()
            self.send_response(status)
            self.send_header("Content-Type", CONTENT_TYPE_LATEST)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _answer(self) -> tuple[HTTPStatus, bytes]:
            if self.path != PATH:
                return HTTPStatus.NOT_FOUND, b"# only /metrics is here\n"
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if not token or not hmac.compare_digest(given.encode(), token.encode()):
                return HTTPStatus.UNAUTHORIZED, b"# send the metrics token as Authorization: Bearer TOKEN\n"
            try:
                return HTTPStatus.OK, exposition()
            except Exception:
                log.exception("the numbers can't be shown")
                return HTTPStatus.INTERNAL_SERVER_ERROR, b"# see the log\n"

        def log_message(self, *_: object) -> None:
            """Write nothing: the standard library would write the path with its query."""

    host, _, port = address.rpartition(":")
    server = ThreadingHTTPServer((host, int(port)), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, kwargs={"poll_interval": 3600.0}, name="metrics", daemon=True).start()
    return server

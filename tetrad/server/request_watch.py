"""Watches the requests of a service: gives each an id, counts it, and writes its line of the log.

It wraps the whole app, so that a request which is refused before it is routed is seen, too. What a line holds is said
here and nowhere else: the template of the route and never the path, no query, no header, no body.
"""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import perf_counter
from typing import Any, Protocol

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from tetrad.server.logs import json_lines
from tetrad.server.request_ids import REQUEST_ID, TRACEPARENT, RequestContext, current, read_ids, waited_ms
from tetrad.server.traces import Traces, traces

SLOW_SECONDS = 1.0
UNMATCHED = "unmatched"
"""The route of all requests that meet none: labels in callers' words would make endless series."""
COUNTED_ONLY = frozenset({"/health/live", "/health/ready", "/metrics"})
"""Routes that are asked every few seconds. They have a line only if they are slow or fail."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
"""Any method but these: they would make endless series, too."""
KEPT = "tetrad.kept"
"""In the scope of a request that a kept reply answers before it is routed: its route. It has a line as those above."""
HTTP = ScopeType.HTTP  # a member of an enumeration is looked up anew each time it is named
SERVER_ERROR = int(HTTPStatus.INTERNAL_SERVER_ERROR)
NO_REPLY = 499  # the caller left before the reply began: as nginx writes it
SENT_ID, SENT_TRACE = REQUEST_ID.lower().encode(), TRACEPARENT.encode()

WhoAsks = Callable[[Scope], Mapping[str, str]]
"""Return the fields that name the caller of an answered request: the id of a key, the team. Never a secret."""


class RequestMetrics(Protocol):
    """Counts requests (metrics.py)."""

    def observe(self, route: str, method: str, status: int, seconds: float) -> None: ...

    def observe_kept(self, route: str) -> None: ...

    def observe_waits(self, asked: RequestContext) -> None: ...


def route_of(scope: Scope) -> str:
    """Return the template of a request's route, never its path."""
    return str(scope.get(KEPT) or scope.get("path_template") or UNMATCHED)


def nobody(_: Scope) -> Mapping[str, str]:
    return {}


def watch_requests(app: Litestar, metrics: RequestMetrics, who: WhoAsks = nobody, *, is_ours: bool = False) -> None:
    """Watch the requests of an app. `is_ours`: only our own services can ask it (request_ids.py)."""
    app.asgi_handler = watching(app.asgi_handler, metrics, who, is_ours=is_ours)
    app.on_shutdown.append(_write_what_waits)


def watching(inner: ASGIApp, metrics: RequestMetrics, who: WhoAsks = nobody, *, is_ours: bool = False) -> ASGIApp:
    """Return an app whose requests are watched."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != HTTP:
            await inner(scope, receive, send)
            return
        watched = _Watched(scope, send, is_ours=is_ours)
        token = current.set(watched.asked)
        try:
            await inner(scope, receive, watched.send)
        except Exception:
            watched.status = watched.status or SERVER_ERROR
            raise
        finally:
            current.reset(token)
            watched.end(metrics, who)

    return handle


class _Watched:
    """One request: its ids, and what is known of its reply so far."""

    __slots__ = ("_begun", "_method", "_replied", "_scope", "_send", "_sender", "_size", "asked", "status")

    def __init__(self, scope: Scope, send: Send, *, is_ours: bool) -> None:
        self.asked = read_ids(*_ids_in(scope), is_ours=is_ours)
        self.status = 0
        self._scope = scope
        self._send = send
        method = str(scope.get("method"))  # answer_head changes it
        self._method = method if method in METHODS else OTHER
        self._size = 0
        self._begun = self._replied = perf_counter()
        self._sender = traces()
        if self._sender is not None:
            self._sender.begin(self.asked, is_ours=is_ours)

    async def send(self, message: Message) -> None:
        """Send a message, measure it, and add the request's id to the head of the reply."""
        if message["type"] == "http.response.start":
            self.status, self._replied = message["status"], perf_counter()
            # a kept reply's list is not ours
            message["headers"] = [*message["headers"], (SENT_ID, self.asked.id.encode())]
        elif message["type"] == "http.response.body":
            self._size += len(message["body"])
        await self._send(message)

    def end(self, metrics: RequestMetrics, who: WhoAsks) -> None:
        """Count the request, and write its line and its trace."""
        scope, asked = self._scope, self.asked
        if not self.status:
            self.status, self._replied = NO_REPLY, perf_counter()
        route, seconds = route_of(scope), self._replied - self._begun
        metrics.observe(route, self._method, self.status, seconds)
        if KEPT in scope:
            metrics.observe_kept(route)
        if asked.waited:
            metrics.observe_waits(asked)
        if self._sender is not None and asked.parts is not None:
            self._send_trace(self._sender, route)
        is_slow = seconds >= SLOW_SECONDS
        if is_slow or self.status >= SERVER_ERROR or not (route in COUNTED_ONLY or KEPT in scope):
            fields = {
                "request": asked.id,
                "method": self._method,
                "route": route,
                "status": self.status,
                "ms": int((perf_counter() - self._begun) * 100_000) / 100,  # `round` takes longer than the clock
                "bytes": self._size,
                **who(scope),
            }
            _write_line(fields, asked, self.status, is_slow=is_slow)

    def _send_trace(self, sender: Traces, route: str) -> None:
        attributes: dict[str, Any] = {
            "http.request.method": self._method,
            "http.route": route,
            "tetrad.request": self.asked.id,
            "http.response.status_code": self.status,
        }
        has_failed = self.status >= SERVER_ERROR
        sender.end(self.asked, f"{self._method} {route}", self._begun, attributes, has_failed=has_failed)


def _write_line(fields: dict[str, Any], asked: RequestContext, status: int, *, is_slow: bool) -> None:
    """Write the line; if the request was slow or failed, with what the time went to."""
    lines = json_lines()
    if lines is None:
        return
    has_failed = status >= SERVER_ERROR
    if is_slow or has_failed:
        fields |= {"slow": is_slow, "waited_ms": waited_ms(asked)}
    if asked.parent and asked.trace != asked.id:
        fields["trace"] = asked.trace
    lines.add_request(fields, logging.ERROR if has_failed else logging.WARNING if is_slow else logging.INFO)


def _ids_in(scope: Scope) -> tuple[str | None, str | None]:
    """Return X-Request-Id and traceparent, as they came."""
    request_id = traceparent = None
    for name, value in scope["headers"]:
        if name == SENT_ID:
            request_id = value.decode("latin-1")
        elif name == SENT_TRACE:
            traceparent = value.decode("latin-1")
    return request_id, traceparent


async def _write_what_waits() -> None:
    if (lines := json_lines()) is not None:
        lines.flush()

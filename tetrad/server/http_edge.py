"""Checks that every service makes before it reads a request, and headers that it adds to every response.

The server accepts some requests that a proxy may parse differently, and so one request can be smuggled inside another.
Therefore an app refuses two Hosts, no Host, and a body in a transfer coding that it does not decode. Each body holds
one of the server's connections. So a body that does not arrive in time is refused with 408. A body that breaks off, or
is not valid chunks, is refused with 400, because the server reports both only as the end of the connection. A reply
that comes before its request's body says so if it ends the connection.
"""

import asyncio
from contextlib import suppress
from http import HTTPStatus

from litestar.datastructures import MutableScopeHeaders
from litestar.enums import HttpMethod, ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, ReceiveMessage, Scope, Send

from tetrad.server.problems import ProblemError, refuse

PAUSE_SECONDS = 30.0  # between two pieces
BODY_SECONDS = 600.0  # enough for 64 MiB at 1 Mbit/s
LEFTOVER_BYTES = 2**16  # of a body that no route reads
LEFTOVER_SECONDS = 2.0
SAFE_HEADERS = {"X-Content-Type-Options": "nosniff"}
UNFINISHED = "the body broke off, or its chunks are malformed (RFC 9112, section 7.1); send the whole body again"


class RequestHeadMiddleware(ASGIMiddleware):
    """Refuses a request whose head can be read in two ways."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        check_head(scope)
        await next_app(scope, receive, send)


def check_head(scope: Scope) -> None:
    """Check the fields of a head that set the target and the end of a request.

    Raises:
        ProblemError: 400, it has no Host or several, or a transfer coding that is not `chunked`.
    """
    hosts = _values(scope, b"host")
    if len(hosts) > 1:
        raise refuse(400, "Host", ", ".join(hosts), "is there twice", "send one Host (RFC 9112, section 3.2)")
    if hosts in ([], [""]) and scope["http_version"] != "1.0":
        raise refuse(400, "Host", None, "is missing", "send one Host (RFC 9112, section 3.2)")
    codings = ", ".join(_values(scope, b"transfer-encoding"))
    if codings and codings.lower() != "chunked":
        raise refuse(400, "Transfer-Encoding", codings, "is not chunked alone", "send `chunked`, or a Content-Length")


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for known, value in scope["headers"] if known == name]


class BodyDeadlineMiddleware(ASGIMiddleware):
    """Ends a request whose body breaks off, pauses for `pause` seconds or takes more than `whole` seconds."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, pause: float = PAUSE_SECONDS, whole: float = BODY_SECONDS) -> None:
        self._pause = pause
        self._whole = whole

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on, and end it if its body does not arrive in time.

        Raises:
            ProblemError: 408 or 400, where the body is waited for.
        """
        clock = asyncio.get_running_loop().time
        until: float | None = None
        is_whole = not announces_body(scope)

        async def in_time() -> ReceiveMessage:
            nonlocal until, is_whole
            if is_whole:
                return await receive()  # a stream waits here until its listener leaves, however long
            until = clock() + self._whole if until is None else until
            try:
                async with asyncio.timeout(min(self._pause, until - clock())):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(
                    HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time; send it again"
                ) from None
            if message["type"] == "http.disconnect":
                raise ProblemError(HTTPStatus.BAD_REQUEST, UNFINISHED)
            is_whole = not message.get("more_body", False)
            return message

        await next_app(scope, in_time, send)


def announces_body(scope: Scope) -> bool:
    """Return whether a request's head says that a body follows."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0")
        for name, value in scope["headers"]
    )


class _Body:
    """A request's body as the app receives it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._scope = scope
        self._receive = receive
        self._is_begun = False
        self._is_whole = False

    async def receive(self) -> ReceiveMessage:
        self._is_begun = True
        message = await self._receive()
        self._is_whole = self._is_whole or not message.get("more_body", False)  # or nobody is there any more
        return message

    async def take_leftover(self) -> bool:
        """Receive a small body that the app has not begun to; return whether the body has arrived whole.

        A client that sends `Expect` holds its body back, and has no need to send it once it has a reply.
        """
        announced = int(next(iter(_values(self._scope, b"content-length")), 0))
        if self._is_begun or announced > LEFTOVER_BYTES or _values(self._scope, b"expect"):
            return self._is_whole
        taken = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(LEFTOVER_SECONDS):
                while not self._is_whole and taken <= LEFTOVER_BYTES:
                    message = await self.receive()
                    taken += len(message["body"]) if message["type"] == "http.request" else 0
        return self._is_whole


def keep_connections(app: ASGIApp) -> ASGIApp:
    """Return an app whose replies tell when their connection ends because a body was not read.

    The server ends a connection, without a word, on which a reply began before the request's body had arrived, and a
    client loses what it sends there next. A refusal needs no body, so it often begins before. A small body is therefore
    received before the reply begins. With any other, the reply says `Connection: close` (RFC 9112, section 9.6). It
    wraps the whole app, because routing refuses requests, too.
    """

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not announces_body(scope):
            await app(scope, receive, send)
            return
        body = _Body(scope, receive)

        async def send_after_body(message: Message) -> None:
            if message["type"] == "http.response.start" and not await body.take_leftover():
                MutableScopeHeaders.from_message(message)["Connection"] = "close"
            await send(message)

        await app(scope, body.receive, send_after_body)

    return handle


def answer_head(app: ASGIApp) -> ASGIApp:
    """Return an app that answers HEAD as GET, without the body (RFC 9110, 9.3.2), wherever there is a GET.

    It wraps the whole app, because routing comes before middleware.
    """

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["method"] != "HEAD":
            await app(scope, receive, _allowing_head(send))
            return
        is_begun = False

        async def receive_until_begun() -> ReceiveMessage:
            """Tell a stream, which would go on for ever, that its listener has left."""
            return {"type": "http.disconnect"} if is_begun else await receive()

        async def send_head(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                is_begun = True

        scope["method"] = HttpMethod.GET  # in place: who watches the request finds its route there
        await app(scope, receive_until_begun, _allowing_head(send_head))

    return handle


def _allowing_head(send: Send) -> Send:
    """Return a `send` that names HEAD beside GET in what a 405 allows."""

    async def allow(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.METHOD_NOT_ALLOWED:
            headers = MutableScopeHeaders.from_message(message)
            if "GET" in headers.get("allow", ""):
                headers["Allow"] = f"{headers['allow']}, HEAD"
        await send(message)

    return allow


async def add_safe_headers(message: Message, scope: Scope) -> None:
    """Add headers, so that browsers guess no type, and caches keep no error and no reply to the holder of a key.

    For Litestar's `before_send`. A cache header that the route sets is kept.
    """
    if message["type"] != "http.response.start":
        return
    headers = MutableScopeHeaders.from_message(message)
    for name, value in SAFE_HEADERS.items():
        headers.setdefault(name, value)
    if "cache-control" not in headers:
        if _values(scope, b"authorization"):
            headers["Cache-Control"] = "private, no-store"
        elif message["status"] >= HTTPStatus.BAD_REQUEST:
            headers["Cache-Control"] = "no-store"

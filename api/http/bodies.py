"""Two bounds on request bodies: how long one may take to come, and how many bytes of them this process holds at once.

Each body holds a connection, of which a server has so many, so one that does not come is ended.

An upload is read whole before it is judged. Bytes are counted as they arrive, not as they are announced, because
announcing costs nothing; they count until the reply is sent. Small bodies always pass, so that everything but uploads
goes on where uploads have filled the room. Requests without an API key can't fill all of it.
"""

import asyncio
from http import HTTPStatus

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, ReceiveMessage, Scope, Send

from tetrad.server.problems import ProblemError

ROOM = 512 * 2**20
ROOM_WITHOUT_KEY = ROOM // 2
SMALL = 2**16
RETRY_AFTER = {"Retry-After": "5"}
PAUSE_SECONDS = 30.0  # between two pieces
BODY_SECONDS = 600.0  # enough for 64 MiB at 1 Mbit/s


class BodyRoom(ASGIMiddleware):
    scopes = (ScopeType.HTTP,)

    def __init__(self) -> None:
        self.held = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        own = 0

        async def counted() -> ReceiveMessage:
            nonlocal own
            message = await receive()
            if message["type"] == "http.request":
                size = len(message["body"])
                own += size
                self.held += size
                self._check(own, has_key=scope.get("auth") is not None)
            return message

        try:
            await next_app(scope, counted, send)
        finally:
            self.held -= own

    def _check(self, own: int, *, has_key: bool) -> None:
        """Check that a request that holds `own` bytes may read on.

        Raises:
            ProblemError: 503, all requests together hold too much.
        """
        if own > SMALL and self.held > (ROOM if has_key else ROOM_WITHOUT_KEY):
            detail = "too many large bodies are under way; nothing was changed; try again in some seconds"
            raise ProblemError(503, detail, headers=RETRY_AFTER)


class BodyDeadlineMiddleware(ASGIMiddleware):
    """Ends a request whose body pauses for `pause` seconds or takes more than `whole` seconds."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, pause: float = PAUSE_SECONDS, whole: float = BODY_SECONDS) -> None:
        self._pause = pause
        self._whole = whole

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Hand the request on, and end it when its body does not come.

        Raises:
            ProblemError: 408, where the body is waited for.
        """
        clock = asyncio.get_running_loop().time
        until: float | None = None
        is_whole = False

        async def in_time() -> ReceiveMessage:
            nonlocal until, is_whole
            if is_whole:
                return await receive()  # a stream waits here until its listener leaves, however long
            until = clock() + self._whole if until is None else until
            try:
                async with asyncio.timeout(min(self._pause, until - clock())):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, "the body did not come in time; send it again") from None
            is_whole = not message.get("more_body", False)
            return message

        await next_app(scope, in_time, send)

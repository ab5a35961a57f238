"""A body that does not come: its request is ended, for each holds a connection, of which a server has so many."""

import asyncio
from http import HTTPStatus

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, ReceiveMessage, Scope, Send

from tetrad.server.problems import ProblemError

PAUSE_SECONDS = 30.0  # between two pieces
BODY_SECONDS = 600.0  # for 64 MiB that is a line of 1 Mbit/s


class BodyDeadlineMiddleware(ASGIMiddleware):
    """Lets a body pause for `pause` seconds and take `whole` seconds; what comes after it may wait for ever."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, pause: float = PAUSE_SECONDS, whole: float = BODY_SECONDS) -> None:
        self._pause = pause
        self._whole = whole

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Hand the request on, with what ends it when its body does not come.

        Raises:
            ProblemError: 408, where the body is waited for.
        """
        clock = asyncio.get_running_loop().time
        until: float | None = None
        is_whole = False

        async def in_time() -> ReceiveMessage:
            nonlocal until, is_whole
            if is_whole:
                return await receive()  # a stream waits here for its listener to go
            until = clock() + self._whole if until is None else until
            try:
                async with asyncio.timeout(min(self._pause, until - clock())):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, "the body did not come in time; send it again") from None
            is_whole = not message.get("more_body", False)
            return message

        await next_app(scope, in_time, send)

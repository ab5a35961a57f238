"""A bound on request bodies: how many bytes of them this process holds at once.

An upload is read whole before it is judged. Bytes are counted as they arrive, not as they are announced, because
announcing costs nothing; they count until the reply is sent. Small bodies always pass, so that everything but uploads
goes on where uploads have filled the room. Requests without an API key can't fill all of it.
"""

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, ReceiveMessage, Scope, Send

from tetrad.server.problems import ProblemError

ROOM = 512 * 2**20
ROOM_WITHOUT_KEY = ROOM // 2
SMALL = 2**16
RETRY_AFTER = {"Retry-After": "5"}


LARGEST = "largest body without a key"
TOO_LARGE = "without an API key the body may have {largest} bytes; send a key (POST /v1/teams gives one)"


def without_key(largest: int) -> dict[str, int]:
    """Return the `opt` of a route whose body may have so many bytes when no API key comes with it."""
    return {LARGEST: largest}


def _largest_without_key(scope: Scope) -> float:
    handler = scope.get("route_handler")
    return float("inf") if handler is None else float(handler.opt.get(LARGEST, "inf"))


class BodyRoom(ASGIMiddleware):
    scopes = (ScopeType.HTTP,)

    def __init__(self) -> None:
        self.held = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        own = 0

        async def receive_counted() -> ReceiveMessage:
            nonlocal own
            message = await receive()
            if message["type"] == "http.request":
                size = len(message["body"])
                own += size
                self.held += size
                has_key = scope.get("auth") is not None
                self._check(own, has_key=has_key)
                if not has_key and own > SMALL and own > (largest := _largest_without_key(scope)):
                    raise ProblemError(413, TOO_LARGE.format(largest=int(largest)))
            return message

        try:
            await next_app(scope, receive_counted, send)
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

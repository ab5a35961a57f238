"""Doing a creation once: what routes and the functions behind them see of idempotency."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa
from litestar import Request, Response
from litestar.di import NamedDependency

from api.context import Services
from api.http.idempotency.client_key import client_key
from api.http.idempotency.records import Claim, KeptReply, claim, keep, release

T = TypeVar("T", bound=msgspec.Struct)
Keep: TypeAlias = Callable[[sa.Connection, T], None]
"""What a creating function calls with what it made, as the last act of its transaction."""

JSON = "application/json"
REPLAYED = {"Idempotency-Replayed": "true"}


def unkept(_connection: sa.Connection, _made: msgspec.Struct) -> None:
    """Keep nothing: the request has no key."""


class Once:
    """The creation that one request asks for; `claimed` is its key's claim or an earlier reply under that key."""

    def __init__(self, engine: sa.Engine, claimed: Claim | KeptReply | None) -> None:
        self._engine = engine
        self._claimed = claimed

    def __call__(
        self, make: Callable[[Keep[T]], T], headers: Callable[[T], dict[str, str]], status: int = 201
    ) -> Response[T]:
        """Make it, or give the reply of the first time."""
        claimed = self._claimed
        if isinstance(claimed, KeptReply):
            return _response(claimed, REPLAYED)
        if claimed is None:
            return _response(_reply(make(unkept), headers, status))
        try:
            made = make(lambda connection, made: keep(connection, claimed, _reply(made, headers, status)))
        except BaseException:
            release(self._engine, claimed)
            raise
        return _response(_reply(made, headers, status))


async def once_of(request: Request[Any, Any, Any], services: NamedDependency[Services]) -> Callable[[], Once]:
    """Return what begins the creation: in the handler's thread, after its caller and body were looked at."""
    body = await request.body()

    def begin() -> Once:
        key = client_key(request, services.addresses.of(request.scope), body)
        return Once(services.engine, None if key is None else claim(services.engine, key))

    return begin


def _reply(made: T, headers: Callable[[T], dict[str, str]], status: int) -> KeptReply:
    return KeptReply(status, headers(made), msgspec.json.encode(made))


def _response(reply: KeptReply, more: dict[str, str] | None = None) -> Response[Any]:
    return Response(reply.body, status_code=reply.status, media_type=JSON, headers={**reply.headers, **(more or {})})

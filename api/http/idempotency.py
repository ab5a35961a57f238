"""Idempotency-Key on the POSTs that create: done once, however often sent.

The header is draft-ietf-httpapi-idempotency-key-header.
"""

import hashlib
import hmac
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from litestar import Request, Response
from litestar.di import NamedDependency

from api.context import AppContext
from api.database.idempotency import (
    HEADER,
    ClientKey,
    Keep,
    KeptReply,
    Lease,
    keep_api_key,
    keep_reply,
    lease,
    release,
    unkept,
)
from api.http.state import HttpState
from tetrad.canonical import hexdigest
from tetrad.contracts.accounts import NewApiKey, Registration
from tetrad.server.problems import refuse
from tetrad.server.tokens import bearer_token

LEGAL = re.compile(r"[\x21-\x7e]{1,255}")
LEAST_LENGTH_WITHOUT_CREDENTIAL = 22  # 128 random bits as base64; a UUID has 36
JSON = "application/json"
REPLAYED = {"Idempotency-Replayed": "true"}


T = TypeVar("T", bound=msgspec.Struct)
K = TypeVar("K", Registration, NewApiKey)
"""A creation whose reply holds an API key; its `about` says which."""


class Once:
    """The creation that one request asks for; `held` is its key's lease or an earlier reply under that key."""

    def __init__(self, engine: sa.Engine, held: Lease | KeptReply | None) -> None:
        self._engine = engine
        self._held = held

    def __call__(
        self, make: Callable[[Keep[T]], T], headers: Callable[[T], dict[str, str]], status: int = 201
    ) -> Response[T]:
        """Make it, or give the reply of the first time."""
        held = self._held
        if isinstance(held, KeptReply):
            return _response(held, REPLAYED)
        if held is None:
            return _response(_reply(make(unkept), headers, status))
        made = self._make_leased(
            held, lambda: make(lambda connection, made: keep_reply(connection, held, _reply(made, headers, status)))
        )
        return _response(_reply(made, headers, status))

    def with_api_key(
        self,
        make: Callable[[Keep[K]], K],
        issue_again: Callable[[str, Keep[K]], K],
        headers: Callable[[K], dict[str, str]],
    ) -> Response[K]:
        """Make something whose reply holds an API key. The reply is kept nowhere.

        A repeat calls `issue_again` with the id of the API key of the time before. That one was lost, so it is revoked
        and another one is issued.
        """
        held = self._held
        if not isinstance(held, Lease):  # replies with an API key are never kept
            return _response(_reply(make(unkept), headers, 201))
        before = held.api_key

        def keep(connection: sa.Connection, made: K) -> None:
            keep_api_key(connection, held, made.about.id)

        made = self._make_leased(held, lambda: make(keep) if before is None else issue_again(before, keep))
        return _response(_reply(made, headers, 201), {} if before is None else REPLAYED)

    def _make_leased(self, held: Lease, make: Callable[[], T]) -> T:
        try:
            return make()
        except BaseException:
            release(self._engine, held)
            raise


async def once_of(
    request: Request[Any, Any, Any], context: NamedDependency[AppContext], http_state: NamedDependency[HttpState]
) -> Callable[[], Once]:
    """Return a function that begins the creation. It runs in the handler's thread, once caller and body are checked."""
    body = await request.body()

    def begin() -> Once:
        key = client_key(request, http_state.addresses.of(request.scope), body)
        return Once(context.engine, None if key is None else lease(context.engine, key))

    return begin


def client_key(request: Request[Any, Any, Any], address: str, body: bytes) -> ClientKey | None:
    """Return the key of the request, or None where it has none. Each credential, route and key has its own record.

    Raises:
        ProblemError: 422, it is no key, or too short where nothing else tells callers apart.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    key = _unquote(sent)
    token = bearer_token(request)
    if not LEGAL.fullmatch(key):
        raise refuse(422, HEADER, sent, "is not 1 to 255 visible ASCII characters", "send a new UUID for each creation")
    if token is None and len(key) < LEAST_LENGTH_WITHOUT_CREDENTIAL:
        problem = f"is shorter than {LEAST_LENGTH_WITHOUT_CREDENTIAL} characters, and it alone protects the reply"
        raise refuse(422, HEADER, sent, problem, "send a new UUID for each creation")
    who = f"address {address}" if token is None else f"token {hashlib.sha256(token.encode()).hexdigest()}"
    record = hexdigest("tetrad/idempotency/1", who, request.method, request.url.path, key)
    asked = f"{request.headers.get('content-type', '')}\n{request.url.query}\n".encode() + body
    secret = f"{token or ''}\n{key}".encode()  # without it a fingerprint tells nothing of a body
    return ClientKey(record, hmac.new(secret, asked, hashlib.sha256).hexdigest())


def _unquote(sent: str) -> str:
    """Return the key; the draft writes it as a quoted string, most clients without quotes."""
    text = sent.strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == '"' else text  # noqa: PLR2004 -- two quotes


def _reply(made: T, headers: Callable[[T], dict[str, str]], status: int) -> KeptReply:
    return KeptReply(status, headers(made), msgspec.json.encode(made))


def _response(reply: KeptReply, more: dict[str, str] | None = None) -> Response[Any]:
    return Response(reply.body, status_code=reply.status, media_type=JSON, headers={**reply.headers, **(more or {})})

"""Keys are looked at before bodies: whoever has none, or the wrong one, makes the api hold nothing."""

import asyncio
import json
import re
from typing import Any

import pytest
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

from api.http import bodies
from tests.integration.api.conftest import Client
from tests.integration.api.team import Team

PLACE = re.compile(r"\{\w+:\w+\}")


class BodyReadError(Exception):
    """The api asked for a byte of the body."""


def answered_unread(app: Litestar, method: str, path: str, key: str) -> tuple[int, str]:
    """Return the status and detail of the reply to a request whose body can't be read."""
    sent: list[Any] = []

    async def receive() -> Any:
        raise BodyReadError

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-length", b"60000000"), (b"content-type", b"application/json")]
    if key:
        headers.append((b"authorization", f"Bearer {key}".encode()))
    scope: Any = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "server": ("testserver", 80),
        "client": ("testclient", 50_000),
        "scheme": "http",
        "http_version": "1.1",
    }
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"]).get("detail", "")


def handlers(app: Litestar) -> list[HTTPRouteHandler]:
    return [
        handler
        for route in app.routes
        for handler in getattr(route, "route_handlers", [])
        if any(one.get("key") for one in handler.resolve_security() or [])
    ]


@pytest.mark.parametrize("key", ["", "tetrad_made_up"])
def test_no_route_that_needs_a_key_reads_a_body_before_it_has_looked_at_the_key(client: Client, key: str) -> None:
    found = handlers(client.app)
    assert {"sealAnswers", "openSubmission", "registerModel"} <= {handler.operation_id for handler in found}
    for handler in found:
        path = PLACE.sub("0", next(iter(handler.paths)))
        (method,) = handler.http_methods
        assert answered_unread(client.app, method, "/v1" + path, key)[0] == 401, path


def test_what_a_key_may_do_is_looked_at_before_the_body_too(client: Client, team: Team) -> None:
    reader = team.post("/v1/keys", {"name": "reader", "scopes": ["read"]}).json()["key"]
    status, detail = answered_unread(client.app, "POST", "/v1/submissions/x/answers", reader)
    assert (status, detail) == (403, "this needs a key with scope submit; this one has read")


def test_a_good_key_has_its_body_read(client: Client, team: Team) -> None:
    key = team.headers["Authorization"].removeprefix("Bearer ")
    assert answered_unread(client.app, "POST", "/v1/submissions/x/answers", key)[0] == 500, "it can't be read here"


def test_a_large_body_that_finds_no_room_is_503_and_a_small_one_is_taken(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "ROOM_WITHOUT_KEY", 0)
    refused = client.post("/v1/verifications", content=bytes(bodies.SMALL + 1))
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert client.post("/v1/verifications", content=bytes(bodies.SMALL)).status_code == 422

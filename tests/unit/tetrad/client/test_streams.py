"""Following events over broken connections, bundles in chunks, and waiting for one's turn."""

import asyncio
import io
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.unit.tetrad.client.test_verbs import BOTH, Handler, ask, asynchronous, synchronous, use
from tetrad.client import ServiceError, UnreachableError
from tetrad.client import asynchronous as async_module
from tetrad.client import synchronous as sync_module
from tetrad.contracts.submissions import Event


def sent(number: int, kind: str) -> str:
    return f'id: {number}\r\nevent: {kind}\r\ndata: {{"id":{number},"at":"","kind":"{kind}","data":{{}}}}\r\n\r\n'


class Breaking(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that ends in the middle, as when the service is killed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __iter__(self) -> Iterator[bytes]:
        yield self.text.encode()
        raise httpx.RemoteProtocolError("peer closed the connection")

    async def __aiter__(self) -> Any:
        for chunk in self:
            yield chunk


def followed(kind: str, handler: Handler, after: int = 0) -> list[Event]:
    if kind == "sync":
        with synchronous(handler) as client:
            return list(client.follow("sub_1", after=after))

    async def run() -> list[Event]:
        async with asynchronous(handler) as client:
            return [event async for event in client.follow("sub_1", after=after)]

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_module, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(async_module, "PAUSE_SECONDS", 0.0)


def replies(*each: Callable[[], httpx.Response]) -> tuple[Handler, list[str | None]]:
    """Return a service that gives these replies in turn, and the ids it was asked to go on from."""
    asked: list[str | None] = []
    waiting = iter(each)

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("Last-Event-ID"))
        return next(waiting)()

    return handler, asked


@BOTH
def test_events_are_followed_over_broken_connections_without_loss_or_double(kind: str) -> None:
    text = f": hello\nretry: 2000\n\n{sent(1, 'opened')}{sent(2, 'x')}{sent(3, 'late')[:20]}"
    handler, asked = replies(
        lambda: httpx.Response(200, stream=Breaking(text)),
        lambda: httpx.Response(200, text=": waiting\n\n"),
        lambda: httpx.Response(200, text=sent(3, "late") + sent(4, "scored")),
    )
    assert [event.id for event in followed(kind, handler)] == [1, 2, 3, 4]
    assert asked == [None, "2", "2"]


@BOTH
def test_a_stream_that_is_over_already_is_not_asked_for_again(kind: str) -> None:
    handler, asked = replies(lambda: httpx.Response(204))
    assert followed(kind, handler, after=9) == []
    assert asked == ["9"]


@BOTH
def test_a_service_that_stays_away_is_given_up(kind: str) -> None:
    asked: list[None] = []

    def away(_: httpx.Request) -> httpx.Response:
        asked.append(None)
        raise httpx.ConnectError("refused")

    with pytest.raises(UnreachableError):
        followed(kind, away)
    assert len(asked) == 21


@BOTH
def test_a_refused_stream_is_an_error_with_its_reason(kind: str) -> None:
    problem = {"type": "x", "title": "Not Found", "status": 404, "detail": "there is no submission"}
    with pytest.raises(ServiceError, match="there is no submission"):
        followed(kind, lambda _: httpx.Response(404, json=problem))


@BOTH
def test_a_bundle_is_written_as_it_comes_and_a_broken_one_is_an_error(kind: str) -> None:
    def fetch(handler: Handler, file: io.BytesIO) -> None:
        use(kind, handler, lambda client: client.bundle("sub_1", file))

    file = io.BytesIO()
    fetch(lambda request: httpx.Response(200, text=request.headers["Accept"]), file)
    assert file.getvalue() == b"application/x-tar"
    with pytest.raises(UnreachableError, match="peer closed"):
        fetch(lambda _: httpx.Response(200, stream=Breaking("half")), io.BytesIO())


@BOTH
def test_whoever_is_over_the_limit_waits_its_turn_but_not_for_ever(kind: str) -> None:
    problem = {"type": "x", "title": "Too Many Requests", "status": 429, "detail": "later"}
    team = {"id": "team_1", "name": "a", "title": "A", "created_at": ""}
    handler, asked = replies(
        lambda: httpx.Response(429, json=problem, headers={"Retry-After": "0"}),
        lambda: httpx.Response(200, json=team),
    )
    assert ask(kind, handler, "team").name == "a"
    assert len(asked) == 2
    for wait in ("61", "soon"):
        with pytest.raises(ServiceError, match="later"):
            ask(kind, lambda _, wait=wait: httpx.Response(429, json=problem, headers={"Retry-After": wait}), "team")  # type: ignore[misc]

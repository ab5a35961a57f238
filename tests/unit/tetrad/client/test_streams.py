"""Following events over broken connections, bundles in chunks, and waiting for one's turn."""

import asyncio
import io
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec
import pytest

from tests.unit.tetrad.client.test_verbs import BOTH, Handler, ask, asynchronous, synchronous, use
from tests.unit.tetrad.rows.written import row
from tests.waiting import wait_until
from tetrad.client import ServiceError, UnreachableError, row_pages
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
    for wait in ("121", "soon"):
        with pytest.raises(ServiceError, match="later"):
            ask(kind, lambda _, wait=wait: httpx.Response(429, json=problem, headers={"Retry-After": wait}), "team")  # type: ignore[misc]


def fetched(kind: str, handler: Handler, count: int | None = None, key: str | None = "k") -> list[str]:
    """Return the ids of rows that a client fetches."""
    if kind == "sync":
        with synchronous(handler, key) as client:
            return [made.id for made in client.rows("toy", count=count, offset=7, prefetch=2)]

    async def run() -> list[str]:
        async with asynchronous(handler, key) as client:
            return [made.id async for made in client.rows("toy", count=count, offset=7, prefetch=2)]

    return asyncio.run(run())


def lines(first: int, until: int) -> str:
    """Return the lines of items, two each."""
    rows = [row(index, name) for index in range(first, until) for name in ("which", "count")]
    return "".join(f"{msgspec.json.encode(made).decode()}\n" for made in rows)


@BOTH
def test_rows_come_over_broken_connections_without_loss_or_double(kind: str) -> None:
    asked: list[dict[str, str]] = []
    seed = {"Tetrad-Seed": "42"}
    half = lines(7, 9) + lines(9, 10).partition("\n")[0] + "\n"  # the first of two rows of item 9
    waiting = iter(
        [
            httpx.Response(200, stream=Breaking(half), headers=seed),
            httpx.Response(429, headers={"Retry-After": "0"}, json={"status": 429, "title": "", "detail": ""}),
            httpx.Response(200, text=lines(9, 11), headers=seed),
        ]
    )

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(dict(request.url.params))
        return next(waiting)

    found = fetched(kind, handler, count=4)
    assert found == [f"itm_toy_{index}/{name}" for index in range(7, 11) for name in ("which", "count")]
    assert [(one.get("seed"), one["offset"], one["limit"]) for one in asked] == [
        (None, "7", "4"),
        ("42", "9", "2"),
        ("42", "9", "2"),
    ]


@BOTH
@pytest.mark.parametrize(
    ("key", "count", "limits"), [("k", 512, [512]), ("k", 1200, [1000]), ("k", None, [100]), (None, 512, [100])]
)
def test_a_team_s_step_is_one_request(kind: str, key: str | None, count: int | None, limits: list[int]) -> None:
    asked: list[int] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(int(request.url.params["limit"]))
        return httpx.Response(200, text=lines(7, 9))

    assert len(fetched(kind, handler, count=count, key=key)) == 4
    assert asked == limits


@BOTH
def test_rows_end_where_no_further_item_matches(kind: str) -> None:
    assert len(fetched(kind, lambda _: httpx.Response(200, text=lines(7, 9)))) == 4


def test_rows_are_read_ahead_only_so_far_and_the_reader_ends_with_its_listener() -> None:
    read: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    ahead = row_pages.read_ahead(numbers(), 3)
    assert next(ahead) == 0
    wait_until(lambda: len(read) > 3)
    time.sleep(0.2)  # it might read on
    assert 3 < len(read) < 8
    ahead.close()  # type: ignore[attr-defined]  # a generator's
    names = [thread.name for thread in threading.enumerate()]
    for _ in range(50):
        if "rows" not in names:
            break
        time.sleep(0.05)
        names = [thread.name for thread in threading.enumerate()]
    assert "rows" not in names

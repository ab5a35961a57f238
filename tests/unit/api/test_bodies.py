"""Tests of the bound on all request bodies that are still arriving."""

import asyncio
from typing import Any

import pytest

from api.http import bodies
from api.http.bodies import SMALL, BodyRoom
from tetrad.server.problems import ProblemError

KEYED: Any = {"type": "http", "auth": "somebody"}
KEYLESS: Any = {"type": "http", "auth": None}


@pytest.fixture(autouse=True)
def room_for_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "ROOM", 7 * SMALL)
    monkeypatch.setattr(bodies, "ROOM_WITHOUT_KEY", 5 * SMALL)


async def send(_: Any) -> None:
    pass


class Held:
    """A request whose body has come and whose reply has not gone."""

    def __init__(self, room: BodyRoom, scope: Any, size: int) -> None:
        self._read, self._replied = asyncio.Event(), asyncio.Event()
        self._size = size
        self._task = asyncio.create_task(room.handle(scope, self._receive, send, self._app))

    async def _receive(self) -> Any:
        return {"type": "http.request", "body": bytes(self._size), "more_body": False}

    async def _app(self, _scope: Any, receive: Any, _send: Any) -> None:
        await receive()
        self._read.set()
        await self._replied.wait()

    async def is_taken(self) -> bool:
        """Return whether the body was read; an error of the middleware is raised here."""
        read = asyncio.create_task(self._read.wait())
        await asyncio.wait({self._task, read}, return_when=asyncio.FIRST_COMPLETED)
        read.cancel()
        if self._task.done():
            await self._task
        return self._read.is_set()

    async def reply(self) -> None:
        self._replied.set()
        await self._task


def test_when_the_room_is_full_large_bodies_come_later_and_small_ones_pass() -> None:
    async def run() -> None:
        room = BodyRoom()
        held = [Held(room, KEYED, 3 * SMALL) for _ in range(2)]
        assert all([await one.is_taken() for one in held])
        with pytest.raises(ProblemError) as caught:
            await Held(room, KEYED, 3 * SMALL).is_taken()
        assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
        small = [Held(room, KEYLESS, SMALL) for _ in range(9)]
        assert all([await one.is_taken() for one in small])
        for one in [*held, *small]:
            await one.reply()
        assert room.held == 0
        again = Held(room, KEYED, 3 * SMALL)
        assert await again.is_taken()
        await again.reply()

    asyncio.run(run())


def test_who_shows_no_key_leaves_room_for_those_who_do() -> None:
    async def run() -> None:
        room = BodyRoom()
        held = [Held(room, KEYLESS, 3 * SMALL)]
        assert await held[0].is_taken()
        with pytest.raises(ProblemError):
            await Held(room, KEYLESS, 3 * SMALL).is_taken()
        held.append(Held(room, KEYED, 3 * SMALL))
        assert await held[1].is_taken()
        for one in held:
            await one.reply()

    asyncio.run(run())

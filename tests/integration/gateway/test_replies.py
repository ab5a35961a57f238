"""Calls under an Idempotency-Key, on one process and on several."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from redis import Redis as BlockingRedis
from redis.asyncio import Redis

from inference_gateway.gates import replies as module
from inference_gateway.gates.replies import DifferentRequestError, Replies


class Model:
    """It answers slowly, and counts."""

    def __init__(self, seconds: float = 0.1, error: Exception | None = None) -> None:
        self.calls = 0
        self.ended = 0
        self._seconds = seconds
        self._error = error

    async def __call__(self) -> bytes:
        self.calls += 1
        number = self.calls
        await asyncio.sleep(self._seconds)
        self.ended += 1
        if self._error is not None:
            raise self._error
        return f"reply {number}".encode()


def over(url: str, test: Callable[[Replies, Replies], Awaitable[None]]) -> None:
    """Run a test with the replies of two processes."""

    async def run() -> None:
        async with Redis.from_url(url) as one, Redis.from_url(url) as other:
            await test(Replies(one, "tetrad:{gateway}"), Replies(other, "tetrad:{gateway}"))

    asyncio.run(run())


def test_one_call_is_made_however_often_and_wherever_it_is_asked_for(
    valkey: str, redis: "BlockingRedis[bytes]"
) -> None:
    async def test(here: Replies, there: Replies) -> None:
        model = Model()
        asked = [replies.once("lynx", "key", "digest", model) for replies in (here, there, here, there)]
        assert set(await asyncio.gather(*asked)) == {b"reply 1"}
        assert await there.once("lynx", "key", "digest", model) == b"reply 1"
        assert model.calls == 1
        assert await here.once("puma", "key", "digest", model) == b"reply 2"  # another team's key is another key

    over(valkey, test)
    assert 3500 < redis.ttl(redis.keys("tetrad:{gateway}|reply|*")[0]) <= 3600


def test_the_call_of_a_caller_that_went_away_runs_to_its_end(valkey: str, redis: "BlockingRedis[bytes]") -> None:
    async def test(here: Replies, there: Replies) -> None:
        model = Model(seconds=1)
        caller = asyncio.create_task(here.once("lynx", "key", "digest", model))
        await asyncio.sleep(0.03)
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        assert (model.ended, here.running) == (0, 1)
        assert await there.once("lynx", "key", "digest", model) == b"reply 1"
        assert model.calls == 1
        await here.drain(1)
        assert here.running == 0

    over(valkey, test)


def test_a_key_belongs_to_one_request(valkey: str, redis: "BlockingRedis[bytes]") -> None:
    async def test(here: Replies, there: Replies) -> None:
        model = Model()
        first = asyncio.create_task(here.once("lynx", "key", "digest", model))
        await asyncio.sleep(0.03)
        for replies in (here, there):
            with pytest.raises(DifferentRequestError):
                await replies.once("lynx", "key", "another digest", model)
        await first
        for replies in (here, there):
            with pytest.raises(DifferentRequestError):
                await replies.once("lynx", "key", "another digest", model)

    over(valkey, test)


def test_a_failed_call_keeps_nothing_and_may_be_made_again(valkey: str, redis: "BlockingRedis[bytes]") -> None:
    async def test(here: Replies, there: Replies) -> None:
        with pytest.raises(ZeroDivisionError):
            await here.once("lynx", "key", "digest", Model(error=ZeroDivisionError()))
        assert await there.once("lynx", "key", "digest", Model()) == b"reply 1"

    over(valkey, test)
    assert redis.keys("tetrad:{gateway}|call|*") == []


def test_a_call_of_a_process_that_died_may_be_made_after_its_lease(
    valkey: str, redis: "BlockingRedis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEASE_MS", 1500)

    async def test(dying: Replies, live: Replies) -> None:
        never = asyncio.create_task(dying.once("lynx", "key", "digest", Model(seconds=100)))
        for _ in range(4):
            await asyncio.sleep(0.5)
            await dying.renew()
        waiting = asyncio.create_task(live.once("lynx", "key", "digest", Model()))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        assert await asyncio.wait_for(waiting, 5) == b"reply 1"
        await dying.close()
        assert (await asyncio.gather(never, return_exceptions=True))[0].__class__ is asyncio.CancelledError

    over(valkey, test)


def test_what_may_not_be_shared_is_kept_by_its_process_alone(valkey: str, redis: "BlockingRedis[bytes]") -> None:
    async def test(here: Replies, there: Replies) -> None:
        model = Model()
        assert await here.once("lynx", "key", "digest", model, share=False) == b"reply 1"
        assert await here.once("lynx", "key", "digest", model, share=False) == b"reply 1"
        assert await there.once("lynx", "key", "digest", model, share=False) == b"reply 2"

    over(valkey, test)
    assert redis.keys("tetrad:{gateway}|reply*") == []


def test_kept_replies_are_bounded_in_bytes(
    valkey: str, redis: "BlockingRedis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARED_BYTES", 10_000)

    async def reply() -> bytes:
        return b"x" * 1000

    async def test(here: Replies, _: Replies) -> None:
        for number in range(30):
            await here.once("lynx", str(number), "digest", reply)

    over(valkey, test)
    kept = redis.keys("tetrad:{gateway}|reply|*")
    assert 5 <= len(kept) <= 10
    assert int(redis.get("tetrad:{gateway}|reply-bytes") or 0) == sum(len(redis.get(key) or b"") for key in kept)


def test_with_redis_away_a_process_still_makes_a_call_once() -> None:
    over("redis://127.0.0.1:9/0", _once_away)


async def _once_away(here: Replies, _: Replies) -> None:
    model = Model()
    asked = [here.once("lynx", "key", "digest", model) for _ in range(5)]
    assert set(await asyncio.gather(*asked)) == {b"reply 1"}

"""An Idempotency-Key at the door: one call upstream, whoever asks how often, also when callers go away."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from aiohttp import web

from tests.integration.inference_gateway.conftest import Gateway
from tests.integration.inference_gateway.upstream import Upstream, chat, failing, replying, sleeping

ASKED: dict[str, Any] = {"model": "far", "messages": [{"role": "user", "content": "Which?\n(A) a\n(B) b"}]}
COMPLETIONS = "/v1/chat/completions"


def ask(client: httpx.Client, key: str, **changed: Any) -> httpx.Response:
    return client.post(COMPLETIONS, json={**ASKED, **changed}, headers={"Idempotency-Key": key})


async def slowly(request: web.Request) -> web.StreamResponse:
    await sleeping(0.8)(request)
    return await replying(chat("slow"))(request)


def test_the_same_key_is_one_call_and_one_reply(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = slowly
    with gateway.http() as client, ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: ask(client, "one-call"), range(4)))
        replies.append(ask(client, "one-call"))
        assert {reply.status_code for reply in replies} == {200}
        assert len({reply.content for reply in replies}) == 1
        assert len(upstream.asked) == 1
        assert ask(client, "another-call").content != replies[0].content
        assert len(upstream.asked) == 2


def test_the_call_of_a_caller_that_went_away_is_finished_and_its_reply_kept(
    gateway: Gateway, upstream: Upstream
) -> None:
    upstream.otherwise = slowly
    with gateway.http() as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post(COMPLETIONS, json=ASKED, headers={"Idempotency-Key": "gone"}, timeout=0.3)
        reply = ask(client, "gone")
    assert reply.json()["choices"][0]["message"]["content"] == "slow"
    assert len(upstream.asked) == 1


def test_a_call_that_failed_may_be_made_again_under_its_key(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = failing(400)
    with gateway.http() as client:
        assert ask(client, "failed").status_code >= 400
        upstream.otherwise = replying(chat("ok"))
        assert ask(client, "failed").status_code == 200


def test_a_key_of_another_request_and_one_for_a_stream_are_refused_by_name(
    gateway: Gateway, upstream: Upstream
) -> None:
    with gateway.http() as client:
        assert ask(client, "mine").status_code == 200
        other = ask(client, "mine", seed=2)
        stream = ask(client, "stream", stream=True)
        long = ask(client, "k" * 256)
    assert [reply.status_code for reply in (other, stream, long)] == [422] * 3
    for reply, problem in ((other, "another request"), (stream, "not kept"), (long, "not a valid key")):
        assert problem in reply.json()["error"]["message"]


def test_embeddings_are_made_once_too(gateway: Gateway, upstream: Upstream) -> None:
    document = {"data": [{"index": 0, "embedding": [1.0, 0.0]}], "model": "words", "usage": {"prompt_tokens": 1}}
    upstream.otherwise = replying(document)
    with gateway.http() as client:
        replies = [
            client.post("/v1/embeddings", json={"model": "words", "input": "a"}, headers={"Idempotency-Key": "vector"})
            for _ in range(2)
        ]
    assert [reply.status_code for reply in replies] == [200, 200], replies[0].text
    assert replies[0].content == replies[1].content
    assert len(upstream.asked) == 1

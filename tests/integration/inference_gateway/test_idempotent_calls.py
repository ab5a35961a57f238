"""An Idempotency-Key at the door: one call upstream, whoever asks how often, also when callers go away."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from aiohttp import web

from tests.integration.inference_gateway.conftest import Gateway
from tests.integration.inference_gateway.upstream import Upstream, chat, chunk, failing, replying, sleeping, streaming

ASKED: dict[str, Any] = {"model": "far", "messages": [{"role": "user", "content": "Which?\n(A) a\n(B) b"}]}
COMPLETIONS = "/v1/chat/completions"
KEY = "Idempotency-Key"


def ask(client: httpx.Client, key: str, **changed: Any) -> httpx.Response:
    return client.post(COMPLETIONS, json={**ASKED, **changed}, headers={KEY: key})


async def slowly(request: web.Request) -> web.StreamResponse:
    await sleeping(0.3)(request)
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


def test_a_stream_is_one_call_and_its_repeat_has_the_same_events_at_once(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = streaming(chunk("(A"), chunk(")"), chunk(reason="stop"), pause=1.0)
    asked = {**ASKED, "model": "blind"}  # far's time-outs would end so slow a reply on a busy machine
    with gateway.http() as client:
        begun = time.monotonic()
        with client.stream("POST", COMPLETIONS, json={**asked, "stream": True}, headers={KEY: "stream"}) as live:
            lines, first = [], 0.0
            for line in live.iter_lines():
                first = first or time.monotonic() - begun
                lines.append(line)
        again = ask(client, "stream", **asked, stream=True)
        whole = ask(client, "stream", **asked)
    assert first < time.monotonic() - begun - 1, "pieces come as they are made"
    assert again.text.splitlines() == lines
    assert lines[-2] == "data: [DONE]"
    assert again.headers["x-tetrad-kept"] == "true"
    assert whole.status_code == 422, "the same key in one piece is another request"
    assert len(upstream.asked) == 1


def test_a_stream_whose_caller_went_away_is_read_to_its_end_and_kept(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = streaming(chunk("(A"), chunk(")"), chunk(reason="stop"), pause=0.4)
    with gateway.http() as client:
        with client.stream("POST", COMPLETIONS, json={**ASKED, "stream": True}, headers={KEY: "left"}) as live:
            next(live.iter_lines())
        again = ask(client, "left", stream=True)
    assert again.text.count('"content"') == 2
    assert again.text.endswith("data: [DONE]\n\n")
    assert len(upstream.asked) == 1


def test_a_stream_that_was_cut_or_refused_is_not_kept(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = streaming(chunk("(A"), end="")
    with gateway.http() as client:
        cut = ask(client, "broken", stream=True)
        assert "event: error" in cut.text
        assert "[DONE]" not in cut.text
        upstream.otherwise = failing(400)
        assert ask(client, "broken", stream=True).status_code >= 400
        upstream.otherwise = streaming(chunk("(B)"), chunk(reason="stop"))
        whole = ask(client, "broken", stream=True)
    assert "(B)" in whole.text
    assert whole.text.endswith("data: [DONE]\n\n")


def test_a_key_of_another_request_is_refused_by_name(gateway: Gateway, upstream: Upstream) -> None:
    with gateway.http() as client:
        assert ask(client, "mine").status_code == 200
        other = ask(client, "mine", seed=2)
        stream = ask(client, "mine", stream=True)
        long = ask(client, "k" * 256)
    assert [reply.status_code for reply in (other, stream, long)] == [422] * 3
    for reply, problem in ((other, "another request"), (stream, "another request"), (long, "not a valid key")):
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

"""Chat models that ask an embedding model of the gateway: what they ask passes the gates as anybody's call does."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from tests.analogies import analogy, in_words
from tests.integration.inference_gateway.conftest import (
    PRACTICE_TOKEN,
    Gateway,
    gateway_with,
    registry,
    signed_token,
    signing,
)
from tests.integration.inference_gateway.test_metrics_and_logs import lines
from tests.integration.inference_gateway.upstream import Upstream, beside_the_api, failing

WORDS = {"verb": ["hitting", "riding"], "agent": ["cat", "dog", "man"]}
MODELS = """
[eye]
provider = "openai"
kind = "embedding"
title = "An embedder of pictures and texts"
address = "{url}/v1"
training = "never"
pictures = {{ most = 3, side = 512 }}

[dear-eye]
provider = "openai"
kind = "embedding"
title = "One for money"
address = "{url}/v1"
training = "never"
pictures = {{ tokens = 100 }}
price = {{ input = 1.5, source = "a test", date = "2026-11-01" }}

[learning-eye]
provider = "openai"
kind = "embedding"
title = "One whose provider may train on what it gets"
address = "{url}/v1"

[asking]
provider = "embeddings"
kind = "chat"
title = "Asks the eye"
options = {{ model = "eye", way = "arithmetic" }}

[asking-dear]
provider = "embeddings"
kind = "chat"
title = "Asks the one for money"
options = {{ model = "dear-eye", way = "arithmetic" }}

[asking-learning]
provider = "embeddings"
kind = "chat"
title = "Asks the one that may learn"
options = {{ model = "learning-eye", way = "only-b" }}

[in-words]
provider = "embeddings"
kind = "chat"
title = "Asks the eye for words, too"
options = {{ model = "eye", way = "predicted-situations", words = "words.json" }}
"""


async def embedding(request: web.Request) -> web.StreamResponse:
    """Answer with a vector for each input: that of a picture depends on its bytes, and so does the text's."""
    inputs = (await request.json())["input"]
    found = [
        {"index": at, "embedding": [float(len(one)), float(sum(one.encode())), 1.0]} for at, one in enumerate(inputs)
    ]
    return web.json_response({"data": found, "model": "eye-2026", "usage": {"prompt_tokens": 10 * len(inputs)}})


@pytest.fixture(scope="module")
def shared(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("asking")
    (folder / "words.json").write_text(json.dumps(WORDS))
    with gateway_with(folder, registry(misbehaving.url) + MODELS.format(url=misbehaving.url)) as gateway:
        yield gateway


@pytest.fixture
def asking(shared: Gateway, upstream: Upstream) -> Gateway:
    upstream.otherwise = embedding
    return shared


def ask(client: httpx.Client, model: str = "asking", number: int = 1, **more: Any) -> httpx.Response:
    messages = analogy(number).messages()
    return client.post("/v1/chat/completions", json={"model": model, "messages": messages, **more})


def test_what_it_asks_is_a_call_of_the_caller_with_a_record_of_its_own(asking: Gateway, upstream: Upstream) -> None:
    before = len(lines(asking))
    with asking.http(PRACTICE_TOKEN) as client:
        reply = ask(client)
    assert reply.status_code == 200, reply.text
    assert reply.json()["choices"][0]["message"]["content"] in {"(1)", "(2)", "(3)", "(4)"}
    assert reply.json()["usage"]["prompt_tokens"] == 70, "the tokens of what was embedded"
    assert [len(one.body["input"]) for one in upstream.asked] == [3, 3, 1], "no more than the model takes at once"
    *embedded, chat = lines(asking)[before:]
    assert [(one["operation"], one["model"], one["pictures"]) for one in embedded] == [
        ("embedding", "eye", number) for number in (3, 3, 1)
    ]
    assert (chat["operation"], chat["model"], chat["provider"]) == ("chat", "asking", "embeddings")
    assert {(one["team"], one["token"], one["purpose"]) for one in (*embedded, chat)} == {
        ("service", "service-2", "practice")
    }
    assert chat["upstream_ms"] >= sum(one["upstream_ms"] for one in embedded)


def test_one_layer_retries_and_the_error_is_that_of_the_model_that_was_asked(
    asking: Gateway, upstream: Upstream
) -> None:
    upstream.otherwise = failing(500)
    with asking.http() as client:
        for stream in (False, True):
            upstream.asked.clear()
            reply = ask(client, stream=stream)
            assert (reply.status_code, reply.headers["x-should-retry"]) == (502, "false")
            assert reply.json()["error"]["code"] == "upstream_unavailable"
            assert len(upstream.asked) == 3, "its attempts, and not those of the asking model times these"
        upstream.otherwise = failing(400, "bad picture")
        upstream.asked.clear()
        refused = ask(client)
    assert (refused.status_code, len(upstream.asked)) == (400, 1)
    assert "bad picture" in refused.json()["detail"]
    assert [one["error"] for one in lines(asking)[-2:]] == ["upstream_request"] * 2


def test_a_question_that_it_can_t_answer_asks_for_nothing(asking: Gateway, upstream: Upstream) -> None:
    with asking.http() as client:
        reply = client.post("/v1/chat/completions", json={"model": "asking", "messages": in_words(1).messages()})
    assert reply.status_code == 200
    assert upstream.asked == []


def test_a_damaged_picture_is_named_by_its_field_in_the_chat(asking: Gateway, upstream: Upstream) -> None:
    """It is noticed where it is made smaller for the eye, which takes 512 pixels: the second picture of the batch."""
    messages = analogy(1, side=600).messages()
    pictures = [part for part in messages[-1]["content"] if part["type"] == "image_url"]
    head, _, body = pictures[4]["image_url"]["url"].partition(",")
    pictures[4]["image_url"]["url"] = f"{head},{body[: len(body) // 8 * 4]}"
    with asking.http() as client:
        refused = client.post("/v1/chat/completions", json={"model": "asking", "messages": messages})
    assert refused.status_code == 422, refused.text
    (fault,) = refused.json()["faults"]
    place = messages[-1]["content"].index(pictures[4])
    assert (fault["field"], "damaged" in fault["problem"]) == (
        f"messages[{len(messages) - 1}].content[{place}].image_url.url",
        True,
    )
    assert len(upstream.asked) == 1, "the batch before it"


def test_what_costs_money_and_can_t_be_booked_is_not_asked(asking: Gateway, upstream: Upstream) -> None:
    with asking.http() as client:
        reply = ask(client, "asking-dear")
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "ledger_away")
    assert upstream.asked == []


def test_sealed_pictures_reach_no_provider_that_may_train_on_them_by_way_of_another_model(
    asking: Gateway, upstream: Upstream
) -> None:
    with asking.http() as sealed, asking.http(PRACTICE_TOKEN) as practice:
        refused = ask(sealed, "asking-learning")
        assert (refused.status_code, "may train" in refused.json()["detail"]) == (403, True)
        assert upstream.asked == []
        assert ask(practice, "asking-learning").status_code == 200
    assert len(upstream.asked) == 1


def test_words_are_embedded_once_however_many_questions_come_at_once(asking: Gateway, upstream: Upstream) -> None:
    async def slow_for_words(request: web.Request) -> web.StreamResponse:
        if not (await request.json())["input"][0].startswith("data:"):
            await asyncio.sleep(0.3)
        return await embedding(request)

    upstream.otherwise = slow_for_words
    with asking.http() as client, ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda number: ask(client, "in-words", number), range(4)))
    assert {reply.status_code for reply in replies} == {200}
    assert sorted(reply.json()["usage"]["prompt_tokens"] for reply in replies) == [70, 70, 70, 70 + 50]
    texts = [one.body["input"] for one in upstream.asked if not one.body["input"][0].startswith("data:")]
    captions = [
        "a photo of someone hitting",
        "a photo of someone riding",
        "a photo of a cat",
        "a photo of a dog",
        "a photo of a man",
    ]
    assert [text for batch in texts for text in batch] == captions


def test_pictures_are_counted_once_so_that_calls_don_t_wait_for_themselves(upstream: Upstream, tmp_path: Path) -> None:
    """A call of 7 pictures of 160 pixels has 0.7 of the one MiB: what it asks would find no room for them again."""
    upstream.otherwise = embedding
    settings = {"TETRAD_GATEWAY_PICTURE_MIB": "1", "TETRAD_GATEWAY_WAIT_SECONDS": "3"}
    (tmp_path / "words.json").write_text(json.dumps(WORDS))
    models = registry(upstream.url) + MODELS.format(url=upstream.url)
    with gateway_with(tmp_path, models, **settings) as gateway, gateway.http() as client, ThreadPoolExecutor(4) as pool:
        messages = analogy(1, side=160).messages()
        body = {"model": "asking", "messages": messages}
        replies = list(pool.map(lambda _: client.post("/v1/chat/completions", json=body), range(4)))
    assert [reply.status_code for reply in replies] == [200] * 4, replies[0].text


def test_a_token_for_the_asking_model_is_enough_and_opens_no_other(upstream: Upstream, tmp_path: Path) -> None:
    upstream.otherwise = beside_the_api(embedding)
    (tmp_path / "words.json").write_text(json.dumps(WORDS))
    models = registry(upstream.url) + MODELS.format(url=upstream.url)
    token = signed_token("gwt_lynx", team="lynx", models=["asking"])
    with gateway_with(tmp_path, models, **signing(upstream.url)) as gateway, gateway.http(token) as client:
        while (reply := ask(client)).status_code == 503:
            pass
        assert reply.status_code == 200, reply.text
        assert [one["id"] for one in client.get("/v1/models").json()["data"]] == ["asking"]
        refused = client.post("/v1/embeddings", json={"model": "eye", "input": "a"})
        assert refused.status_code == 404
        named = [one for one in lines(gateway) if not one["error"]]
    assert {(one["team"], one["token"]) for one in named} == {("lynx", "gwt_lynx")}
    assert {one["model"] for one in named} == {"asking", "eye"}


def test_an_embedder_that_hangs_frees_the_asking_model_s_place(upstream: Upstream, tmp_path: Path) -> None:
    async def hung(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(20)
        return web.Response()

    upstream.otherwise = hung
    models = MODELS.format(url=upstream.url).replace(
        'title = "An embedder of pictures and texts"', 'title = "E"\ntimeouts = { connect = 1, read = 0.5, total = 1 }'
    )
    (tmp_path / "words.json").write_text(json.dumps(WORDS))
    with gateway_with(tmp_path, models) as gateway, gateway.http() as client:
        reply = ask(client)
        assert (reply.status_code, reply.json()["error"]["code"]) == (504, "upstream_timeout")
        upstream.otherwise = embedding
        assert ask(client).status_code == 200

"""One budget of bytes, counted decoded, for the pictures of all calls: chats and embeddings."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from tests.integration.inference_gateway.conftest import Gateway, gateway_with, registry
from tests.integration.inference_gateway.upstream import Upstream, chat

Picture = Callable[[int, int], str]
EMBEDDER = """
[pictures]
provider = "openai"
kind = "embedding"
title = "Pictures"
address = "{url}/v1"
modalities = ["image", "text"]
training = "never"
pictures = {{ side = 32, most = 3 }}
"""


@pytest.fixture(scope="module")
def tight(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway with one MiB for pictures: 512 x 512 pixels."""
    models = registry(misbehaving.url) + EMBEDDER.format(url=misbehaving.url)
    folder: Path = tmp_path_factory.mktemp("tight")
    with gateway_with(folder, models, TETRAD_GATEWAY_PICTURE_MIB="1") as gateway:
        yield gateway


def showing(*pictures: str, model: str = "far") -> dict[str, Any]:
    content = [{"type": "image_url", "image_url": {"url": one}} for one in pictures]
    return {"model": model, "messages": [{"role": "user", "content": content}]}


def test_a_call_that_alone_passes_the_budget_is_refused_before_anything_is_decoded(
    tight: Gateway, upstream: Upstream, picture: Picture
) -> None:
    large, half = picture(1024, 512), picture(512, 257)
    with tight.http() as client:
        for path, body in {
            "/v1/chat/completions": showing(large),
            "/v1/embeddings": {"model": "pixel-statistics", "input": [half, half]},
        }.items():
            reply = client.post(path, json=body)
            assert reply.status_code == 413, reply.text
            assert "for all calls in flight" in reply.json()["error"]["message"]
    assert upstream.asked == []


def test_calls_wait_for_each_other_s_pictures(tight: Gateway, upstream: Upstream, picture: Picture) -> None:
    running, most = 0, 0

    async def count(_: web.Request) -> web.StreamResponse:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.2)
        running -= 1
        return web.json_response(chat("ok"))

    upstream.otherwise = count
    fitting = picture(256, 512)  # half of the budget
    with tight.http() as client, ThreadPoolExecutor(6) as pool:
        bodies = [showing(fitting)] * 6
        replies = list(pool.map(lambda body: client.post("/v1/chat/completions", json=body), bodies))
    assert {reply.status_code for reply in replies} == {200}
    assert most == 2


def test_pictures_to_embed_are_fitted_as_those_of_a_chat(tight: Gateway, upstream: Upstream, picture: Picture) -> None:
    async def embedded(_: web.Request) -> web.StreamResponse:
        found = [{"index": at, "embedding": [1.0]} for at in range(3)]
        return web.json_response({"data": found, "model": "m"})

    upstream.otherwise = embedded
    small, large = picture(16, 32), picture(64, 32)
    with tight.http() as client:
        reply = client.post("/v1/embeddings", json={"model": "pictures", "input": [small, "words", large]})
        refused = client.post("/v1/embeddings", json={"model": "pictures", "input": [small] * 4})
    sent = upstream.asked[0].body["input"]
    assert sent[:2] == [small, "words"]
    assert sent[2] != large
    sizes = [(one["width"], one["height"], one["resized"]) for one in reply.json()["measured"]["pictures"]]
    assert sizes == [(16, 32, False), (32, 16, True)]
    assert (refused.status_code, "at most 3" in refused.json()["detail"]) == (422, True)


def test_what_waits_too_long_for_its_pictures_is_told_when_to_come_again(
    upstream: Upstream, picture: Picture, tmp_path: Path
) -> None:
    async def slow(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(1.2)
        return web.json_response(chat("ok"))

    upstream.otherwise = slow
    settings = {"TETRAD_GATEWAY_PICTURE_MIB": "1", "TETRAD_GATEWAY_WAIT_SECONDS": "0.2"}
    patient = registry(upstream.url).replace("read = 1.5, total = 4", "read = 20, total = 20")
    with (
        gateway_with(tmp_path, patient, **settings) as gateway,
        gateway.http() as client,
        ThreadPoolExecutor(2) as pool,
    ):
        body = showing(picture(512, 512))
        replies: list[httpx.Response] = list(
            pool.map(lambda _: client.post("/v1/chat/completions", json=body), range(2))
        )
    refused = max(replies, key=lambda reply: reply.status_code)
    assert sorted(reply.status_code for reply in replies) == [200, 429]
    assert refused.headers["Retry-After"] == "5"

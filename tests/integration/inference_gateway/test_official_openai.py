"""The official `openai` package against the gateway, unchanged: chat, streams, embeddings, models, errors, retries."""

import base64
import struct
import time
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.integration.inference_gateway.conftest import CANARY, PRACTICE_TOKEN, Gateway
from tests.integration.inference_gateway.upstream import (
    Upstream,
    chunk,
    failing,
    replying,
    sleeping,
    streaming,
)
from tests.waiting import wait_until

QUESTION: list[Any] = [{"role": "user", "content": "Which?\n(A) a\n(B) b"}]


def test_a_chat_is_answered_and_fits_the_package_s_types(gateway: Gateway, upstream: Upstream) -> None:
    reply = gateway.client().chat.completions.create(model="far", messages=QUESTION, temperature=0, seed=3)
    ChatCompletion.model_validate(reply.model_dump(), strict=True)
    assert (reply.choices[0].message.content, reply.choices[0].finish_reason) == ("ok", "stop")
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (5, 2)
    assert reply.system_fingerprint == "fp_1"
    measured = reply.model_extra["measured"]  # type: ignore[index]
    assert measured["model"] == "upstream-model-2026"
    assert measured["parameters"] == {"temperature": 0.0, "seed": 3, "max_tokens": 64}
    assert (measured["seed"], measured["attempts"], measured["served_by"]) == ("sent", 1, "far")
    sent = upstream.asked[0]
    assert sent.body == {"model": "upstream-model", "messages": QUESTION, "temperature": 0, "seed": 3, "max_tokens": 64}
    assert sent.headers["Authorization"] == f"Bearer {CANARY}"


def test_a_reply_can_be_sent_back_as_a_turn(gateway: Gateway, upstream: Upstream) -> None:
    client = gateway.client()
    first = client.chat.completions.create(model="far", messages=QUESTION)
    turns: list[Any] = [*QUESTION, first.choices[0].message, {"role": "user", "content": "Sure?"}]
    client.chat.completions.create(model="far", messages=turns)
    assert upstream.asked[1].body["messages"][1] == {"role": "assistant", "content": "ok"}


def test_pictures_within_limits_pass_byte_for_byte_and_others_are_made_smaller(
    gateway: Gateway, upstream: Upstream, picture: Callable[[int, int], str]
) -> None:
    small, large = picture(64, 128), picture(512, 256)
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in (small, large)]
    messages: Any = [{"role": "user", "content": [*parts, {"type": "text", "text": "?"}]}]
    reply = gateway.client().chat.completions.create(model="far", messages=messages)
    first, second, _ = upstream.asked[0].body["messages"][0]["content"]
    assert first["image_url"] == {"url": small, "detail": "low"}
    assert second["image_url"]["url"] != large
    sizes = [
        (one["width"], one["height"], one["detail"], one["resized"])
        for one in reply.model_extra["measured"]["pictures"]  # type: ignore[index]
    ]
    assert sizes == [(64, 128, "low", False), (128, 64, "low", True)]


def test_what_was_given_is_sent_and_nothing_else(gateway: Gateway, upstream: Upstream) -> None:
    client = gateway.client()
    schema: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}, "strict": True}}
    client.chat.completions.create(
        model="far",
        messages=[{"role": "developer", "content": "Be brief."}, *QUESTION],
        top_p=0.5,
        n=2,
        stop=["\n"],
        max_completion_tokens=7,
        response_format=schema,
        reasoning_effort="low",
        extra_body={"user": "somebody"},
    )
    body = upstream.asked[0].body
    assert body.pop("messages")[0] == {"role": "system", "content": "Be brief."}
    assert body == {
        "model": "upstream-model",
        "top_p": 0.5,
        "n": 2,
        "stop": ["\n"],
        "max_tokens": 7,
        "response_format": schema,
        "reasoning_effort": "low",
    }
    client.chat.completions.create(model="blind", messages=QUESTION)
    assert upstream.asked[1].body == {"model": "blind", "messages": QUESTION}


def test_a_stream_is_read_to_its_end_with_usage(gateway: Gateway, upstream: Upstream) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
    last = {"id": "x", "model": "upstream-model-2026", "choices": [], "usage": usage}
    upstream.otherwise = streaming(chunk("Hel"), chunk("lo"), chunk(None, "stop"), last)
    with gateway.client().chat.completions.create(
        model="far", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    ) as stream:
        chunks = list(stream)
    for one in chunks:
        ChatCompletionChunk.model_validate(one.model_dump(), strict=True)
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "Hello"
    assert [one.choices[0].finish_reason for one in chunks if one.choices] == [None, None, "stop"]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3
    assert upstream.asked[0].body["stream_options"] == {"include_usage": True}


def test_a_model_that_cannot_stream_is_streamed_in_one_piece(gateway: Gateway) -> None:
    stream = gateway.client().chat.completions.create(model="constant", messages=QUESTION, stream=True)
    chunks = list(stream)
    assert [one.choices[0].delta.content for one in chunks] == ["(A)", None]
    assert chunks[-1].usage is None, "usage comes where it is asked for"


@pytest.mark.parametrize("end", ["", "[DONE]", "break"])
def test_a_stream_that_is_cut_ends_with_an_error_and_never_with_done(
    gateway: Gateway, upstream: Upstream, end: str
) -> None:
    upstream.otherwise = streaming(chunk("Hel"), end=end)
    heard: list[str | None] = []
    stream = gateway.client().chat.completions.create(model="far", messages=QUESTION, stream=True)
    with pytest.raises(openai.APIError, match="broke off"):
        heard.extend(one.choices[0].delta.content for one in stream)
    assert heard == ["Hel"]
    assert len(upstream.asked) == 1, "nothing is tried again after the first piece"
    with gateway.http() as http:
        raw = http.post("/v1/chat/completions", json={"model": "far", "messages": QUESTION, "stream": True}).text
    assert "[DONE]" not in raw
    assert raw.rstrip().rsplit("\n\n", 1)[-1].startswith("event: error\n")


def test_a_stream_that_fails_before_its_first_piece_is_an_answer_with_a_status(
    gateway: Gateway, upstream: Upstream
) -> None:
    upstream.answers = [failing(503), streaming(chunk("a"), chunk(None, "stop"))]
    stream = gateway.client(max_retries=0).chat.completions.create(model="far", messages=QUESTION, stream=True)
    assert "".join(one.choices[0].delta.content or "" for one in stream) == "a"
    upstream.otherwise = failing(400, "no such thing")
    with pytest.raises(openai.BadRequestError, match="no such thing"):
        gateway.client().chat.completions.create(model="far", messages=QUESTION, stream=True)


def test_embeddings_are_base64_by_the_package_s_default(gateway: Gateway, picture: Callable[[int, int], str]) -> None:
    client, shown = gateway.client(), picture(20, 10)
    packed = client.embeddings.create(model="pixel-statistics", input=[shown])
    plain = client.embeddings.create(model="pixel-statistics", input=shown, encoding_format="float")
    assert packed.data[0].embedding == pytest.approx(plain.data[0].embedding, abs=1e-6)
    assert len(plain.data[0].embedding) == 321
    with gateway.http() as http:
        asked = {"model": "pixel-statistics", "input": shown, "encoding_format": "base64"}
        raw = base64.b64decode(http.post("/v1/embeddings", json=asked).json()["data"][0]["embedding"])
    assert struct.unpack("<321f", raw) == pytest.approx(plain.data[0].embedding, abs=1e-6)


def test_embeddings_of_an_upstream_come_in_the_order_of_the_inputs(gateway: Gateway, upstream: Upstream) -> None:
    vectors = [{"index": 1, "embedding": [3.0, 4.0]}, {"index": 0, "embedding": [1.0, 2.0]}]
    upstream.otherwise = replying({"data": vectors, "model": "w", "usage": {"prompt_tokens": 4, "total_tokens": 4}})
    found = gateway.client().embeddings.create(model="words", input=["a", "b"], dimensions=2)
    assert [one.embedding for one in found.data] == [[1.0, 2.0], [3.0, 4.0]]
    assert found.usage.prompt_tokens == 4
    assert upstream.asked[0].body["dimensions"] == 2
    upstream.otherwise = replying({"data": vectors[:1], "model": "w"})
    with pytest.raises(openai.InternalServerError, match="can't be read"):
        gateway.client().embeddings.create(model="words", input=["a", "b"])


def test_the_models_are_listed_with_capabilities_price_and_limits_and_no_address(gateway: Gateway) -> None:
    client = gateway.client()
    listed = {model.id: model for model in client.models.list()}
    far = client.models.retrieve("far")
    assert listed["far"] == far
    told: dict[str, Any] = far.model_extra or {}
    assert told["price"] is None
    dear = listed["dear"].model_extra or {}
    price = {"input": 1.5, "output": 6.0, "cached_input": None, "currency": "USD"}
    assert dear["price"] == {**price, "source": "a test", "date": "2026-11-01"}
    assert told["capabilities"]["modalities"] == ["image", "text"]
    assert "seed" in told["capabilities"]["parameters"]
    assert (told["limits"]["context"], told["limits"]["output"], told["limits"]["pictures"]["most"]) == (8192, 64, 3)
    assert (listed["learner"].model_extra or {})["purposes"] == ["practice"]
    with gateway.http() as http:
        text = http.get("/v1/models").text
    assert "127.0.0.1" not in text
    assert "CANARY" not in text
    with pytest.raises(openai.NotFoundError, match="is no chat or embedding model"):
        client.models.retrieve("gpt-17")


def test_errors_say_their_reason_through_the_package(gateway: Gateway, upstream: Upstream) -> None:
    client = gateway.client()
    with pytest.raises(openai.NotFoundError, match="is no chat model of this gateway; choose one of") as unknown:
        client.chat.completions.create(model="gpt-17", messages=QUESTION)
    assert (unknown.value.param, unknown.value.code) == ("model", "model_not_found")
    with pytest.raises(openai.BadRequestError, match="seed: is not a parameter that blind takes; leave it out") as told:
        client.chat.completions.create(model="blind", messages=QUESTION, seed=1)
    assert (told.value.param, told.value.code) == ("seed", "unsupported_value")
    with pytest.raises(openai.UnprocessableEntityError, match="is more than far writes; send at most 64"):
        client.chat.completions.create(model="far", messages=QUESTION, max_tokens=65)
    with pytest.raises(openai.AuthenticationError, match="nobody knows this token"):
        gateway.client("wrong-token-of-somebody").models.list()
    assert upstream.asked == [], "what a model can't do is refused here"
    upstream.otherwise = failing(400, f"bad request with {CANARY}", "bad_thing")
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="far", messages=QUESTION)
    assert refused.value.code == "upstream_request"
    assert CANARY not in str(refused.value)


def test_the_gateway_retries_and_the_package_does_not_retry_again(gateway: Gateway, upstream: Upstream) -> None:
    upstream.answers = [failing(429, Retry_After="1"), failing(500)]
    begun = time.monotonic()
    reply = gateway.client(max_retries=0).chat.completions.create(model="far", messages=QUESTION)
    assert reply.choices[0].message.content == "ok"
    assert reply.model_extra["measured"]["attempts"] == 3  # type: ignore[index]
    assert time.monotonic() - begun >= 1, "Retry-After is waited for"
    upstream.reset()
    upstream.otherwise = failing(503)
    with pytest.raises(openai.InternalServerError, match="overloaded") as spent:
        gateway.client(max_retries=5).chat.completions.create(model="far", messages=QUESTION)
    assert spent.value.response.headers["x-should-retry"] == "false"
    assert len(upstream.asked) == 3, "one layer retries"


def test_a_wait_longer_than_allowed_is_not_waited_for(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = failing(429, Retry_After="86400")
    begun = time.monotonic()
    with pytest.raises(openai.RateLimitError) as limited:
        gateway.client().chat.completions.create(model="far", messages=QUESTION)
    assert time.monotonic() - begun < 50
    assert limited.value.response.headers["Retry-After"] == "60", "then a call is sent again, whatever it asked for"
    assert len(upstream.asked) == 1


def test_time_outs_are_told_and_the_package_does_not_try_again(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = sleeping(3)
    with pytest.raises(openai.InternalServerError, match="did not answer in time") as late:
        gateway.client(max_retries=2).chat.completions.create(model="far", messages=QUESTION)
    assert late.value.response.status_code == 504
    assert len(upstream.asked) == 1  # it may be billed, and the same address would take as long again
    with pytest.raises(openai.APITimeoutError):
        gateway.client(timeout=0.3, max_retries=0).chat.completions.create(model="far", messages=QUESTION)
    wait_until(lambda: len(upstream.asked) == 2)  # or else it would come in the next test


def test_sealed_calls_go_to_no_provider_that_may_train(gateway: Gateway, upstream: Upstream) -> None:
    with pytest.raises(openai.PermissionDeniedError, match="can't be used for sealed calls: its provider may train"):
        gateway.client().chat.completions.create(model="learner", messages=QUESTION)
    assert upstream.asked == []
    practised = gateway.client(PRACTICE_TOKEN).chat.completions.create(model="learner", messages=QUESTION)
    assert practised.choices[0].message.content == "ok"

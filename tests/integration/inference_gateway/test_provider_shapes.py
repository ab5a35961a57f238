"""Our adapters' requests fit the types of the official packages, and those servers' answers are understood.

Bodies are checked against the packages' own request types; replies come from `llmock` and from a server that says what
llmock does not: refusals, blocks, thoughts, cached tokens.
"""

import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import completion_create_params
from pydantic import ConfigDict, TypeAdapter, with_config

from tests.integration.inference_gateway.conftest import CANARY, Gateway, gateway_with
from tests.integration.inference_gateway.upstream import Upstream, replying, streaming

QUESTION: list[Any] = [{"role": "user", "content": "Which?"}]


def asked(picture: str) -> list[Any]:
    return [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "In English."},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": picture}}]},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "Well?"},
    ]


SCHEMA: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "claude-x-1",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "(A)"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5, "output_tokens": 6},
}
CONTENT = {
    "candidates": [
        {"content": {"parts": [{"text": "hm", "thought": True}, {"text": "(A)"}]}, "finishReason": "STOP", "index": 0}
    ],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 4},
    "modelVersion": "gemini-x-1",
}


def types_of(package: str) -> Any:
    """Import the types of a package where they are used: that takes seconds, of every process that collects tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that are not ours
        return importlib.import_module(package)


def strictly(kind: Any, body: Any) -> None:
    """Check a body against a package's type; a field that the type does not know is an error."""
    TypeAdapter(with_config(ConfigDict(extra="forbid"))(kind)).validate_python(body)


def test_openai_s_body_fits_its_type(gateway: Gateway, upstream: Upstream, picture: Callable[[int, int], str]) -> None:
    gateway.client().chat.completions.create(
        model="far", messages=asked(picture(8, 8)), n=2, stop="x", seed=1, response_format=SCHEMA, top_p=0.1
    )
    strictly(completion_create_params.CompletionCreateParamsNonStreaming, upstream.asked[0].body)


def test_anthropic_s_body_fits_its_type_and_its_reply_is_understood(
    gateway: Gateway, upstream: Upstream, picture: Callable[[int, int], str]
) -> None:
    upstream.otherwise = replying(MESSAGE)
    shown = picture(8, 8)
    reply = gateway.client().chat.completions.create(
        model="claude",
        messages=asked(shown),
        stop="x",
        max_tokens=9,
        reasoning_effort="low",
        response_format=SCHEMA,
    )
    sent = upstream.asked[0]
    strictly(types_of("anthropic.types.message_create_params").MessageCreateParamsNonStreaming, sent.body)
    assert sent.path == "/anthropic/v1/messages"
    assert (sent.headers["x-api-key"], sent.headers["anthropic-version"]) == (CANARY, "2023-06-01")
    assert sent.body["system"] == "Be brief.\n\nIn English."
    source = sent.body["messages"][0]["content"][0]["source"]
    assert f"data:{source['media_type']};base64,{source['data']}" == shown
    assert (sent.body["max_tokens"], sent.body["stop_sequences"]) == (9, ["x"])
    assert sent.body["output_config"] == {
        "effort": "low",
        "format": {"type": "json_schema", "schema": {"type": "object"}},
    }
    assert reply.choices[0].message.content == "(A)"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (12, 6)
    assert reply.usage.prompt_tokens_details is not None
    assert reply.usage.prompt_tokens_details.cached_tokens == 4


def test_gemini_s_body_fits_its_type_and_its_reply_is_understood(
    gateway: Gateway, upstream: Upstream, picture: Callable[[int, int], str]
) -> None:
    upstream.otherwise = replying(CONTENT)
    reply = gateway.client().chat.completions.create(
        model="gemini", messages=asked(picture(8, 8)), seed=5, n=1, reasoning_effort="low", response_format=SCHEMA
    )
    sent = upstream.asked[0]
    assert sent.path == "/gemini/v1beta/models/gemini-x:generateContent", "the key is no part of the address"
    assert sent.headers["x-goog-api-key"] == CANARY
    gemini_types = types_of("google.genai.types")
    gemini_types.GenerationConfig.model_validate(sent.body["generationConfig"])
    for turn in [*sent.body["contents"], sent.body["systemInstruction"]]:
        gemini_types.Content.model_validate(turn)
    assert set(sent.body) == {"contents", "systemInstruction", "generationConfig"}
    assert [turn["role"] for turn in sent.body["contents"]] == ["user", "model", "user"]
    assert sent.body["generationConfig"] == {
        "maxOutputTokens": 64,
        "seed": 5,
        "candidateCount": 1,
        "thinkingConfig": {"thinkingLevel": "LOW"},
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    }
    assert reply.choices[0].message.content == "(A)", "thoughts are no part of the reply"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (3, 6)
    assert reply.usage.completion_tokens_details is not None
    assert reply.usage.completion_tokens_details.reasoning_tokens == 4
    assert reply.model_extra["measured"]["model"] == "gemini-x-1"  # type: ignore[index]


@pytest.mark.parametrize(
    ("model", "change", "problem"),
    [
        ("claude", {"seed": 1}, "seed: is not a parameter that claude takes"),
        ("claude", {"n": 2}, "n: is not a parameter that claude takes"),
        ("claude", {"temperature": 0.5}, "temperature: is not a parameter that claude takes"),
        ("claude", {"reasoning_effort": "minimal"}, "reasoning_effort: is not an effort of this model"),
        ("claude", {"response_format": {"type": "json_object"}}, "response_format: is not a format that this model"),
        ("gemini", {"reasoning_effort": "none"}, "reasoning_effort: is not a level of this model"),
        ("gemini", {"messages": [{"role": "system", "content": "x"}]}, "messages: have no turn of the user"),
        (
            "claude",
            {"messages": [*QUESTION, {"role": "system", "content": "x"}]},
            r"messages\[1\].role: stands after a turn",
        ),
    ],
)
def test_what_a_model_cannot_do_is_refused_by_name_before_anything_is_sent(
    gateway: Gateway, upstream: Upstream, model: str, change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=problem):
        gateway.client().chat.completions.create(**{"model": model, "messages": QUESTION, **change})
    assert upstream.asked == []


@pytest.mark.parametrize(
    ("model", "document", "expected"),
    [
        ("claude", {**MESSAGE, "stop_reason": "max_tokens"}, ("length", "length", "max_tokens")),
        (
            "claude",
            {**MESSAGE, "stop_reason": "max_tokens", "content": []},
            ("length", "length-before-text", "max_tokens"),
        ),
        ("claude", {**MESSAGE, "stop_reason": "refusal", "content": []}, ("content_filter", "refused", "refusal")),
        ("claude", {**MESSAGE, "stop_reason": None}, ("length", "cut", "")),
        ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}, ("content_filter", "blocked", "SAFETY")),
        ("gemini", {"promptFeedback": {"blockReason": "OTHER"}}, ("content_filter", "blocked", "OTHER")),
        ("gemini", {"candidates": [{"finishReason": "MAX_TOKENS"}]}, ("length", "length-before-text", "MAX_TOKENS")),
        ("gemini", {"candidates": [{"finishReason": "MALFORMED_RESPONSE"}]}, ("length", "cut", "MALFORMED_RESPONSE")),
    ],
)
def test_every_stop_reason_is_told_in_one_family_with_the_raw_one_beside_it(
    gateway: Gateway, upstream: Upstream, model: str, document: Any, expected: tuple[str, str, str]
) -> None:
    upstream.otherwise = replying(document)
    choice = gateway.client().chat.completions.create(model=model, messages=QUESTION).choices[0]
    stop = choice.model_extra["stop"]  # type: ignore[index]
    assert (choice.finish_reason, stop["kind"], stop["reason"]) == expected


def test_a_prompt_that_azure_s_filter_stops_is_a_blocked_reply_and_no_error(
    gateway: Gateway, upstream: Upstream
) -> None:
    upstream.otherwise = replying({"error": {"message": "filtered", "code": "content_filter"}}, 400)
    choice = gateway.client().chat.completions.create(model="far", messages=QUESTION).choices[0]
    assert choice.finish_reason == "content_filter"
    assert choice.model_extra["stop"] == {"kind": "blocked", "reason": "content_filter"}  # type: ignore[index]


ANTHROPIC_EVENTS: list[Any] = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "(A)"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]
GEMINI_EVENTS: list[Any] = [
    {"candidates": [{"content": {"parts": [{"text": "(A"}]}, "index": 0}], "usageMetadata": {"promptTokenCount": 12}},
    {
        "candidates": [{"content": {"parts": [{"text": ")"}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 9},
    },
]


@pytest.mark.parametrize(("model", "events"), [("claude", ANTHROPIC_EVENTS), ("gemini", GEMINI_EVENTS)])
def test_streams_are_understood_and_one_without_an_end_is_cut(
    gateway: Gateway, upstream: Upstream, model: str, events: list[Any]
) -> None:
    def stream() -> list[Any]:
        options: Any = {"stream": True, "stream_options": {"include_usage": True}}
        return list(gateway.client().chat.completions.create(model=model, messages=QUESTION, **options))

    upstream.otherwise = streaming(*events, end="", name=model == "claude")
    chunks = stream()
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "(A)"
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (12, 9)
    upstream.otherwise = streaming(*events[: 3 if model == "claude" else 1], end="", name=model == "claude")
    with pytest.raises(openai.APIError, match="broke off"):
        stream()


def test_an_error_in_the_midst_of_anthropic_s_stream_is_told(gateway: Gateway, upstream: Upstream) -> None:
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    upstream.otherwise = streaming(*ANTHROPIC_EVENTS[:3], fault, end="", name=True)
    stream = gateway.client().chat.completions.create(model="claude", messages=QUESTION, stream=True)
    with pytest.raises(openai.APIError, match="overloaded"):
        list(stream)


def test_gemini_s_embeddings_are_asked_in_one_batch(gateway: Gateway, upstream: Upstream) -> None:
    upstream.otherwise = replying({"embeddings": [{"values": [1.0, 2.0]}, {"values": [3.0, 4.0]}]})
    found = gateway.client().embeddings.create(model="gemini-words", input=["a", "b"], encoding_format="float")
    assert [one.embedding for one in found.data] == [[1.0, 2.0], [3.0, 4.0]]
    assert found.usage is None, "none was reported: that is not 0"
    assert upstream.asked[0].path == "/gemini/v1beta/models/gemini-words:batchEmbedContents"


MOCKED = """
[{name}]
provider = "{name}"
kind = "chat"
title = "{name} at llmock"
address = "{address}"
upstream = "{upstream}"
secret = {{ variable = "CANARY_KEY" }}
output_cap = 64
training = "never"
"""
UPSTREAMS = {
    "openai": ("/v1", "gpt-4o"),
    "anthropic": ("/anthropic/v1", "claude-sonnet-4-5"),
    "gemini": ("/gemini/v1beta", "gemini-2.5-flash"),
}


@pytest.fixture
def mocked(llmock: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    models = "".join(
        MOCKED.format(name=name, address=llmock.url + path, upstream=upstream)
        for name, (path, upstream) in UPSTREAMS.items()
    )
    with gateway_with(tmp_path_factory.mktemp("mocked"), models) as gateway:
        yield gateway
        for client in gateway.made:
            client.close()
        assert CANARY not in gateway.log.read_text()


def test_llmock_finds_no_fault_with_us(mocked: Gateway, llmock: Any) -> None:
    client = mocked.client(max_retries=0)
    for model, after in {"openai": 2, "anthropic": 4, "gemini": 1}.items():  # after a first piece of text
        assert client.chat.completions.create(model=model, messages=QUESTION).choices[0].message.content
        llmock.rate_limit(times=2, retry_after=0.5)
        retried = client.chat.completions.create(model=model, messages=QUESTION)
        assert retried.model_extra["measured"]["attempts"] == 3  # type: ignore[index]
        stream = client.chat.completions.create(model=model, messages=QUESTION, stream=True)
        assert "".join(one.choices[0].delta.content or "" for one in stream if one.choices)
        llmock.truncate(after_chunks=after)
        stream = client.chat.completions.create(model=model, messages=QUESTION, stream=True)
        with pytest.raises(openai.APIError, match="broke off"):
            list(stream)
        llmock.disconnect(after_chunks=after)
        stream = client.chat.completions.create(model=model, messages=QUESTION, stream=True)
        with pytest.raises(openai.APIError, match="broke off"):
            list(stream)
        llmock.corrupt(after_chunks=after)
        stream = client.chat.completions.create(model=model, messages=QUESTION, stream=True)
        with pytest.raises(openai.APIError, match="can't be read"):
            list(stream)
    llmock.assert_resilient()

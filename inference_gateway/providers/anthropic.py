"""Anthropic's Messages API.

Source: the public API reference of Anthropic, messages, version 2023-06-01, and the types of its package 2.12, which
know no temperature and no top_p any more.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec

from inference_gateway.providers import (
    ChatModel,
    Choice,
    Completion,
    EmbeddingModel,
    OptionsError,
    Piece,
    ProviderError,
    UnsupportedError,
    stop_of,
)
from inference_gateway.providers.options import ExtraFields, options_as
from inference_gateway.providers.turns import inline, instructions_of, parts_of
from inference_gateway.providers.written import Written
from inference_gateway.upstream_http import Endpoint, error_of
from tetrad.contracts.inference import ChatRequest, ContentPart, ImagePart, JsonObject, JsonOfSchema, Message, StopKind

VERSION = "2023-06-01"
PARAMETERS = frozenset(
    {
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "response_format",
        "reasoning_effort",
    }
)
EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
STOPS: Mapping[str, StopKind] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "pause_turn": "cut",
    "": "cut",
}
ERROR_STATUS: Mapping[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "api_error": 500,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout_error": 504,
}
"""Statuses of errors that come inside a stream."""


class Anthropic:
    """The provider `anthropic`, at one address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        if self._endpoint.output_cap is None:
            raise OptionsError(
                "output_cap: is missing, and this provider requires one; give the model's largest output in tokens"
            )
        return AnthropicChat(self._endpoint, options_as(options, ExtraFields))

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:  # noqa: ARG002 - of the Protocol
        raise OptionsError('kind: anthropic has no embeddings; use kind = "chat"')


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _Reply(msgspec.Struct):
    """The reply, and the `message` of a stream's first event."""

    content: list[_Block] = []
    stop_reason: str | None = None
    usage: _Usage | None = None
    model: str = ""


class _Delta(msgspec.Struct):
    type: str = ""
    text: str = ""
    stop_reason: str | None = None


class _Fault(msgspec.Struct):
    type: str = ""
    message: str = ""


class _Event(msgspec.Struct):
    type: str
    message: _Reply | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: _Fault | None = None


class AnthropicChat:
    """A chat model of Anthropic's API."""

    def __init__(self, endpoint: Endpoint, options: ExtraFields) -> None:
        self._endpoint, self._options = endpoint, options

    def check(self, request: ChatRequest) -> None:
        self._body(request)

    async def chat(self, request: ChatRequest) -> Completion:
        body = msgspec.json.encode(self._body(request))
        answer = await self._endpoint.http.post(self._endpoint, "/messages", self._headers, body)
        try:
            reply = msgspec.json.decode(answer, type=_Reply)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ProviderError("garbled", code="no-message") from None
        text = "".join(block.text or "" for block in reply.content if block.type == "text")
        return self._completion(text, reply.stop_reason or "", reply, reply.usage, request)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        body = msgspec.json.encode({**self._body(request), "stream": True})
        written, start, usage = Written(), _Reply(), _Usage()
        async with self._endpoint.http.post_for_events(self._endpoint, "/messages", self._headers, body) as events:
            async for raw in events:
                event = self._decode(raw.data)
                if event.message is not None:
                    start, usage = event.message, event.message.usage or usage
                if event.usage is not None:
                    usage = _merge(usage, event.usage)
                if event.delta is not None and event.delta.text:
                    yield written.add(Piece(index=0, text=event.delta.text))
                if event.delta is not None and event.delta.stop_reason:
                    written.end(0, event.delta.stop_reason)
                if event.type == "message_stop":
                    break
        yield self._completion(written.text(0), written.reason(0), start, usage, request)

    @property
    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self._endpoint.secret.reveal(), "anthropic-version": VERSION}

    def _decode(self, data: str) -> _Event:
        try:
            event = msgspec.json.decode(data, type=_Event)
        except msgspec.DecodeError:
            raise ProviderError("garbled", code="no-event") from None
        if event.error is not None:
            found = {"error": {"type": event.error.type, "message": event.error.message}}
            status = ERROR_STATUS.get(event.error.type, 500)
            raise error_of(status, msgspec.json.encode(found), self._endpoint.secret)
        return event

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        texts, turns = instructions_of(request.messages)
        body = {"model": self._endpoint.name, "messages": [_turn(turn) for turn in turns], **self._parameters(request)}
        return {**body, "system": "\n\n".join(texts)} if texts else body

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        stop = [request.stop] if isinstance(request.stop, str) else request.stop
        given = {
            "max_tokens": request.output_cap() or self._endpoint.output_cap,
            "stop_sequences": stop,
            "output_config": _output_config(request) or None,
        }
        return {**{name: value for name, value in given.items() if value is not None}, **self._options.extra}

    def _completion(
        self, text: str, reason: str, reply: _Reply, usage: _Usage | None, request: ChatRequest
    ) -> Completion:
        used = usage or _Usage()
        choice = Choice(text=text, stop=stop_of(STOPS.get(reason, "complete"), text, reason))
        return Completion(
            text=text,
            stop=choice.stop,
            prompt_tokens=_prompt_tokens(used),
            completion_tokens=used.output_tokens,
            cached_tokens=used.cache_read_input_tokens,
            model=reply.model,
            parameters=self._parameters(request),
        )


def _output_config(request: ChatRequest) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.reasoning_effort is not None:
        if request.reasoning_effort not in EFFORTS:
            problem = "is not an effort of this model"
            raise UnsupportedError(
                "reasoning_effort", request.reasoning_effort, problem, f"send one of {', '.join(sorted(EFFORTS))}"
            )
        config["effort"] = request.reasoning_effort
    if isinstance(request.response_format, JsonObject):
        remedy = "send json_schema with a schema, or leave it out"
        raise UnsupportedError("response_format", "json_object", "is not a format that this model can keep to", remedy)
    if isinstance(request.response_format, JsonOfSchema):
        config["format"] = {"type": "json_schema", "schema": request.response_format.json_schema.schema}
    return config


def _turn(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [_block(part) for part in parts_of(message)]}


def _block(part: ContentPart) -> dict[str, Any]:
    if not isinstance(part, ImagePart):
        return {"type": "text", "text": part.text}
    if part.image_url.detail != "auto":
        remedy = "leave it out, or send auto"
        raise UnsupportedError("detail", part.image_url.detail, "is not a parameter that this model takes", remedy)
    picture = inline(part.image_url)
    source = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
    return {"type": "image", "source": source}


def _prompt_tokens(usage: _Usage) -> int | None:
    """Return all tokens of the prompt: Anthropic counts tokens written to the cache and read from it separately."""
    if usage.input_tokens is None:
        return None
    return usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)


def _merge(before: _Usage, now: _Usage) -> _Usage:
    """Return the usage so far: later events repeat some numbers and bring others."""
    given = {name: value for name, value in msgspec.structs.asdict(now).items() if value is not None}
    return msgspec.structs.replace(before, **given)

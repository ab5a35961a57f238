"""Anthropic's Messages API.

Source: the public API reference of Anthropic, messages, version 2023-06-01, and the types of its package 2.12, which
know no temperature and no top_p any more.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, TypeVar

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
from inference_gateway.upstream_errors import error_in
from inference_gateway.upstream_http import Endpoint
from inference_gateway.usage import add_counts, read_count
from tetrad.contracts.inference import ChatRequest, ContentPart, ImagePart, JsonObject, JsonOfSchema, Message, StopKind
from tetrad.lenient_json import decode_leniently

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
    "end_turn": "complete",
    "stop_sequence": "complete",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
    "pause_turn": "cut",
    "tool_use": "cut",
    "": "cut",
}
"""Any other reason is unknown."""


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


class _Block(msgspec.Struct):
    """A block of a reply, and a part of one in a stream."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None


class _Details(msgspec.Struct):
    """Why a model refused, in the provider's words."""

    explanation: str | None = None


class _Reply(msgspec.Struct):
    """The reply, and the `message` of a stream's first event. A reply without `content` can't be read."""

    content: list[_Block]
    stop_reason: str | None = None
    stop_details: _Details | None = None
    usage: Any = None
    model: str | None = None


class _Delta(_Block):
    stop_reason: str | None = None
    stop_details: _Details | None = None


class _Event(msgspec.Struct):
    type: str = ""
    message: _Reply | None = None
    delta: _Delta | None = None
    usage: Any = None


K = TypeVar("K", _Reply, _Event)


class AnthropicChat:
    """A chat model of Anthropic's API."""

    def __init__(self, endpoint: Endpoint, options: ExtraFields) -> None:
        self._endpoint, self._options = endpoint, options

    def check(self, request: ChatRequest) -> None:
        self._body(request)

    async def chat(self, request: ChatRequest) -> Completion:
        body = msgspec.json.encode(self._body(request))
        answer = await self._endpoint.http.post(self._endpoint, "/messages", self._headers, body)
        reply = self._decode(answer, _Reply)
        text = "".join(block.text or "" for block in reply.content if block.type == "text")
        thought = "".join(block.thinking or "" for block in reply.content)
        reason, details = reply.stop_reason or "", reply.stop_details
        return self._completion(
            _choice(text, reason, _explanation(details), thought), reply.usage, reply.model, request
        )

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        body = msgspec.json.encode({**self._body(request), "stream": True})
        written, model, usage = Written(), "", dict[str, Any]()
        async with self._endpoint.http.post_for_events(self._endpoint, "/messages", self._headers, body) as events:
            async for raw in events:
                event = self._decode(raw.data.encode(), _Event)
                if event.message is not None:
                    model = event.message.model or model
                    usage = _merge(usage, event.message.usage)
                usage = _merge(usage, event.usage)
                for piece in _pieces(event.delta, written):
                    yield piece
                if event.type == "message_stop":
                    break
        choice = _choice(written.text(0), written.reason(0), written.refusal(0), written.thoughts(0))
        yield self._completion(choice, usage, model, request)

    @property
    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self._endpoint.secret.reveal(), "anthropic-version": VERSION}

    def _decode(self, body: bytes, kind: type[K]) -> K:
        """Decode a reply or an event. Raises: ProviderError: it holds an error, or can't be read."""
        try:
            document = decode_leniently(body)
            if (fault := error_in(document, self._endpoint.secret)) is not None:
                raise fault
            return msgspec.convert(document, kind)
        except ValueError:
            raise ProviderError("garbled", code="no-message") from None

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

    def _completion(self, choice: Choice, usage: object, model: str | None, request: ChatRequest) -> Completion:
        return Completion(
            text=choice.text,
            stop=choice.stop,
            refusal=choice.refusal,
            thought=choice.thought,
            prompt_tokens=_prompt_tokens(usage),
            completion_tokens=read_count(usage, "output_tokens"),
            cached_tokens=read_count(usage, "cache_read_input_tokens"),
            model=model or "",
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


def _choice(text: str, reason: str, refusal: str | None, thought: str | None) -> Choice:
    stop = stop_of(STOPS.get(reason, "unknown"), text, reason)
    return Choice(text=text, stop=stop, refusal=refusal or None, thought=thought or None)


def _explanation(details: _Details | None) -> str | None:
    return None if details is None else details.explanation


def _pieces(delta: _Delta | None, written: Written) -> Iterator[Piece]:
    """Keep what a part of a stream brings, and yield its pieces."""
    if delta is None:
        return
    if delta.thinking:
        written.think(0, delta.thinking)
    if delta.text:
        yield written.add(Piece(index=0, text=delta.text))
    if refusal := _explanation(delta.stop_details):
        yield written.add(Piece(index=0, text=refusal, is_refusal=True))
    if delta.stop_reason:
        written.end(0, delta.stop_reason)


def _prompt_tokens(usage: object) -> int | None:
    """Return all tokens of the prompt: Anthropic counts tokens written to the cache and read from it separately."""
    counted = read_count(usage, "input_tokens")
    cached = (read_count(usage, name) for name in ("cache_creation_input_tokens", "cache_read_input_tokens"))
    return None if counted is None else add_counts(counted, *cached)


def _merge(before: Mapping[str, Any], now: object) -> dict[str, Any]:
    """Return the usage so far: later events repeat some numbers and bring others."""
    given = now if isinstance(now, Mapping) else {} if now is None else {"input_tokens": now}
    return {**before, **{name: value for name, value in given.items() if value is not None}}

"""Servers with OpenAI's chat completions and embeddings: OpenAI, Azure, vLLM, Ollama, OpenRouter and others.

Source: the public OpenAI API reference; of vLLM, Ollama and OpenRouter, their pages on OpenAI compatibility. Only the
needed fields of replies are read, and null counts as missing, because such servers leave much out.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

import msgspec

from inference_gateway.providers import (
    CHAT_PARAMETERS,
    ChatModel,
    Choice,
    Completion,
    EmbeddingModel,
    Piece,
    ProviderError,
    Vectors,
    stop_of,
)
from inference_gateway.providers.options import options_as
from inference_gateway.providers.written import Written
from inference_gateway.upstream_http import Endpoint, error_of
from tetrad.contracts.inference import ChatRequest, Message, Stop, StopKind

PARAMETERS = CHAT_PARAMETERS
DONE = "[DONE]"
STOPS: Mapping[str, StopKind] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "blocked",
    "": "cut",
    "error": "cut",
    "abort": "cut",
}
"""Reasons that are no ordinary end, OpenRouter's and vLLM's among them. Any other one is complete."""
BLOCKED_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
"""Codes of a 400 that is not the caller's mistake: a filter stopped the prompt (Azure)."""


class ChatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The differences of one of these servers from OpenAI's.

    `cap_field`: the name under which it takes the output cap. `developer_role`: it knows the role `developer`.
    `stream_usage`: it takes `stream_options`. `api_version`: Azure's, put into the query. `key_header`: where the key
    goes. `extra`: further fields of every request.
    """

    cap_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    developer_role: bool = False
    stream_usage: bool = True
    api_version: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9.-]*$")] = ""
    key_header: Literal["authorization", "api-key"] = "authorization"
    extra: dict[str, Any] = {}


class OpenAI:
    """The provider `openai`, at one address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        return OpenAIChat(self._endpoint, options_as(options, ChatOptions))

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        return OpenAIEmbedding(self._endpoint, options_as(options, ChatOptions))


class _Details(msgspec.Struct):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class _Words(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    message: _Words | None = None
    delta: _Words | None = None
    finish_reason: str | None = None


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    error: Any = None


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Vectors(msgspec.Struct):
    data: list[_Vector]
    usage: _Usage | None = None
    model: str | None = None


class OpenAIChat:
    """A chat model of such a server."""

    def __init__(self, endpoint: Endpoint, options: ChatOptions) -> None:
        self._endpoint, self._options = endpoint, options

    async def chat(self, request: ChatRequest) -> Completion:
        parameters = self._parameters(request)
        try:
            body = await self._endpoint.http.post(self._endpoint, self._path, self._headers, self._body(request))
        except ProviderError as error:
            if error.code in BLOCKED_CODES:
                return _blocked_completion(error.code, parameters)
            raise
        reply = self._decode(body)
        if not reply.choices:
            raise ProviderError("garbled", code="no-choices")
        first, *further = [_choice(choice) for choice in sorted(reply.choices, key=lambda choice: choice.index)]
        return _completion(first, further, reply.usage, reply, parameters)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        parameters = self._parameters(request)
        written = Written()
        last = _Reply()
        try:
            async with self._endpoint.http.post_for_events(
                self._endpoint, self._path, self._headers, self._body(request, streamed=True)
            ) as events:
                async for event in events:
                    if event.data == DONE:
                        break
                    part = self._decode(event.data.encode())
                    last = _merge(last, part)
                    for piece in _pieces(part, written):
                        yield piece
        except ProviderError as error:
            if error.code not in BLOCKED_CODES or error.status is None:
                raise
            yield _blocked_completion(error.code, parameters)
            return
        first, *further = [
            _choice_of_end(written.text(index), written.reason(index), written.refusal(index))
            for index in written.indices(request.n or 1)
        ]
        yield _completion(first, further, last.usage, last, parameters)

    @property
    def _path(self) -> str:
        return "/chat/completions" + _version(self._options)

    @property
    def _headers(self) -> dict[str, str]:
        return _key_header(self._endpoint, self._options)

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        given = {
            "temperature": request.temperature,
            "top_p": request.top_p,
            self._options.cap_field: request.output_cap(),
            "stop": request.stop,
            "seed": request.seed,
            "response_format": request.response_format,
            "reasoning_effort": request.reasoning_effort,
            "n": request.n,
        }
        return {**{name: value for name, value in given.items() if value is not None}, **self._options.extra}

    def _body(self, request: ChatRequest, *, streamed: bool = False) -> bytes:
        messages = [self._message(message) for message in request.messages]
        body = {"model": self._endpoint.name, "messages": messages, **self._parameters(request)}
        if streamed:
            body["stream"] = True
            if self._options.stream_usage:
                body["stream_options"] = {"include_usage": True}
        return msgspec.json.encode(body)

    def _message(self, message: Message) -> Message:
        if message.role == "developer" and not self._options.developer_role:
            return msgspec.structs.replace(message, role="system")
        return message

    def _decode(self, body: bytes) -> _Reply:
        try:
            reply = msgspec.json.decode(body, type=_Reply)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ProviderError("garbled", code="no-chat-completion") from None
        if reply.error:  # OpenRouter says so with status 200, and in the midst of streams
            raise _error_inside(reply.error, self._endpoint)
        return reply


class OpenAIEmbedding:
    """An embedding model of such a server: of texts."""

    def __init__(self, endpoint: Endpoint, options: ChatOptions) -> None:
        self._endpoint, self._options = endpoint, options

    async def embed(self, inputs: Sequence[str]) -> Vectors:
        return await self.embed_sized(inputs, None)

    async def embed_sized(self, inputs: Sequence[str], dimensions: int | None) -> Vectors:
        parameters: dict[str, Any] = {**self._options.extra} | (
            {} if dimensions is None else {"dimensions": dimensions}
        )
        body = {"model": self._endpoint.name, "input": inputs, "encoding_format": "float", **parameters}
        path = "/embeddings" + _version(self._options)
        headers = _key_header(self._endpoint, self._options)
        answer = await self._endpoint.http.post(self._endpoint, path, headers, msgspec.json.encode(body))
        try:
            found = msgspec.json.decode(answer, type=_Vectors)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ProviderError("garbled", code="no-embeddings") from None
        vectors = [embedding.embedding for embedding in sorted(found.data, key=lambda embedding: embedding.index)]
        if len(vectors) != len(inputs) or len({len(vector) for vector in vectors}) != 1:
            raise ProviderError("garbled", code="wrong-number-of-embeddings")
        tokens = None if found.usage is None else found.usage.prompt_tokens
        return Vectors(vectors=vectors, prompt_tokens=tokens, model=found.model or "", parameters=parameters)


def _version(options: ChatOptions) -> str:
    return f"?api-version={quote(options.api_version)}" if options.api_version else ""


def _key_header(endpoint: Endpoint, options: ChatOptions) -> dict[str, str]:
    key = endpoint.secret.reveal()
    if not key:
        return {}
    return {"api-key": key} if options.key_header == "api-key" else {"Authorization": f"Bearer {key}"}


def _choice(found: _Choice) -> Choice:
    message = found.message or _Words()
    return _choice_of_end(message.content or "", found.finish_reason or "", message.refusal)


def _choice_of_end(text: str, reason: str, refusal: str | None) -> Choice:
    kind = STOPS.get(reason, "complete")
    if refusal and kind == "complete":
        kind = "refused"
    return Choice(text=text, stop=stop_of(kind, text, reason), refusal=refusal or None)


def _pieces(part: _Reply, written: Written) -> list[Piece]:
    found = []
    for choice in part.choices or []:
        delta = choice.delta or _Words()
        if delta.content:
            found.append(written.add(Piece(index=choice.index, text=delta.content)))
        if delta.refusal:
            found.append(written.add(Piece(index=choice.index, text=delta.refusal, is_refusal=True)))
        if choice.finish_reason:
            written.end(choice.index, choice.finish_reason)
    return found


def _merge(last: _Reply, part: _Reply) -> _Reply:
    """Return the stream's usage and identity so far. Usage comes in the last chunk, or in several."""
    return _Reply(
        usage=part.usage or last.usage,
        model=part.model or last.model,
        system_fingerprint=part.system_fingerprint or last.system_fingerprint,
    )


def _completion(
    first: Choice, further: Sequence[Choice], usage: _Usage | None, reply: _Reply, parameters: Mapping[str, object]
) -> Completion:
    used = usage or _Usage()
    return Completion(
        text=first.text,
        stop=first.stop,
        refusal=first.refusal,
        further=further,
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        cached_tokens=None if used.prompt_tokens_details is None else used.prompt_tokens_details.cached_tokens,
        reasoning_tokens=(
            None if used.completion_tokens_details is None else used.completion_tokens_details.reasoning_tokens
        ),
        model=reply.model or "",
        fingerprint=reply.system_fingerprint,
        parameters=parameters,
    )


def _blocked_completion(reason: str, parameters: Mapping[str, object]) -> Completion:
    stop = Stop(kind="blocked", reason=reason)
    return Completion(text="", stop=stop, prompt_tokens=None, completion_tokens=None, parameters=parameters)


def _error_inside(error: object, endpoint: Endpoint) -> ProviderError:
    """Return the error that a body of status 200 holds; its `code` usually is a status."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 502  # noqa: PLR2004 - the statuses of errors
    return error_of(status, msgspec.json.encode({"error": error}), endpoint.secret)

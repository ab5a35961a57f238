"""Servers with OpenAI's chat completions and embeddings: OpenAI, Azure, vLLM, Ollama, OpenRouter and others.

Source: the public OpenAI API reference; of vLLM, Ollama and OpenRouter, their pages on OpenAI compatibility. Only the
needed fields of replies are read, and null counts as missing, because such servers leave much out.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from http import HTTPStatus
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
)
from inference_gateway.providers.options import options_as
from inference_gateway.providers.written import Written
from inference_gateway.upstream_errors import error_in, error_of
from inference_gateway.upstream_http import Endpoint, ServerSentEvent
from inference_gateway.usage import read_count
from tetrad.chat_replies import ReadChoice, UnreadableReplyError, choices_of, deltas_of, kind_of_end
from tetrad.contracts.inference import ChatRequest, Message, Stop
from tetrad.lenient_json import decode_leniently

PARAMETERS = CHAT_PARAMETERS
DONE = "[DONE]"
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


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Vectors(msgspec.Struct):
    data: list[_Vector]
    usage: Any = None
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
        try:
            document = self._decode(body)
            found = choices_of(document)
        except UnreadableReplyError:
            raise ProviderError("garbled", code="no-text") from None
        return _completion([_choice(choice) for choice in found], document, parameters)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        parameters = self._parameters(request)
        written = Written()
        last: dict[str, Any] = {}
        try:
            async with self._endpoint.http.post_for_events(
                self._endpoint, self._path, self._headers, self._body(request, streamed=True)
            ) as events:
                async for event in events:
                    if event.data == DONE:
                        break
                    part = self._decode_event(event)
                    last |= {name: part[name] for name in _IDENTITY if part.get(name)}
                    for piece in _pieces(part, written):
                        yield piece
        except ProviderError as error:
            if error.code not in BLOCKED_CODES or error.status is None:
                raise
            yield _blocked_completion(error.code, parameters)
            return
        yield _completion([_written_choice(written, at) for at in written.indices(request.n or 1)], last, parameters)

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

    def _decode(self, body: bytes) -> dict[str, Any]:
        try:
            document = decode_leniently(body)
        except ValueError:
            raise ProviderError("garbled", code="no-chat-completion") from None
        if (fault := error_in(document, self._endpoint.secret)) is not None:
            raise fault  # OpenRouter says so with status 200, and in the midst of streams
        return document if isinstance(document, dict) else {}

    def _decode_event(self, event: ServerSentEvent) -> dict[str, Any]:
        if event.name == "error":
            raise error_of(HTTPStatus.OK, event.data.encode(), self._endpoint.secret)
        return self._decode(event.data.encode())


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
            document = decode_leniently(answer)
            if (fault := error_in(document, self._endpoint.secret)) is not None:
                raise fault
            found = msgspec.convert(document, _Vectors)
        except ValueError:
            raise ProviderError("garbled", code="no-embeddings") from None
        vectors = [embedding.embedding for embedding in sorted(found.data, key=lambda embedding: embedding.index)]
        if len(vectors) != len(inputs) or len({len(vector) for vector in vectors}) != 1:
            raise ProviderError("garbled", code="wrong-number-of-embeddings")
        tokens = read_count(found.usage, "prompt_tokens")
        return Vectors(vectors=vectors, prompt_tokens=tokens, model=found.model or "", parameters=parameters)


def _version(options: ChatOptions) -> str:
    return f"?api-version={quote(options.api_version)}" if options.api_version else ""


def _key_header(endpoint: Endpoint, options: ChatOptions) -> dict[str, str]:
    key = endpoint.secret.reveal()
    if not key:
        return {}
    return {"api-key": key} if options.key_header == "api-key" else {"Authorization": f"Bearer {key}"}


def _choice(found: ReadChoice) -> Choice:
    words = found.words
    return Choice(
        text=words.text,
        stop=Stop(kind=found.kind(), reason=found.reason),
        refusal=words.refusal or None,
        thought=words.thought or None,
    )


def _written_choice(written: Written, index: int) -> Choice:
    text, refusal, reason = written.text(index), written.refusal(index), written.reason(index)
    kind = kind_of_end(reason, text, refusal or "")
    return Choice(text=text, stop=Stop(kind=kind, reason=reason), refusal=refusal, thought=written.thoughts(index))


def _pieces(part: Mapping[str, Any], written: Written) -> list[Piece]:
    found = []
    for choice in deltas_of(part):
        words = choice.words
        if words.thought:
            written.think(choice.index, words.thought)
        if words.text:
            found.append(written.add(Piece(index=choice.index, text=words.text)))
        if words.refusal:
            found.append(written.add(Piece(index=choice.index, text=words.refusal, is_refusal=True)))
        if choice.reason not in _UNENDED:
            written.end(choice.index, choice.reason)
    return found


_UNENDED = frozenset({"", "null"})  # Qwen writes the word while a reply goes on
_IDENTITY = ("usage", "model", "system_fingerprint")
"""What chunks say of the whole reply. Usage comes in the last chunk, or in several."""


def _completion(choices: Sequence[Choice], reply: Mapping[str, Any], parameters: Mapping[str, object]) -> Completion:
    first, *further = choices
    usage, model, fingerprint = (reply.get(name) for name in _IDENTITY)
    return Completion(
        text=first.text,
        stop=first.stop,
        refusal=first.refusal,
        thought=first.thought,
        further=further,
        prompt_tokens=read_count(usage, "prompt_tokens"),
        completion_tokens=read_count(usage, "completion_tokens"),
        cached_tokens=read_count(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning_tokens=read_count(usage, "completion_tokens_details", "reasoning_tokens"),
        model=model if isinstance(model, str) else "",
        fingerprint=fingerprint if isinstance(fingerprint, str) else None,
        parameters=parameters,
    )


def _blocked_completion(reason: str, parameters: Mapping[str, object]) -> Completion:
    stop = Stop(kind="blocked", reason=reason)
    return Completion(text="", stop=stop, prompt_tokens=None, completion_tokens=None, parameters=parameters)

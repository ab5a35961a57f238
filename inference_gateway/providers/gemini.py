"""Google's Gemini API: generateContent and streamGenerateContent.

Source: the public reference of the Gemini API, v1beta. The key goes as a header: in the address it would end in logs.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
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
    UnsupportedError,
    Vectors,
    stop_of,
)
from inference_gateway.providers.options import ExtraFields, options_as
from inference_gateway.providers.turns import inline, instructions_of, parts_of
from inference_gateway.providers.written import Written
from inference_gateway.upstream_errors import error_in
from inference_gateway.upstream_http import Endpoint
from inference_gateway.usage import add_counts, read_count
from tetrad.contracts.inference import (
    ChatRequest,
    ContentPart,
    ImagePart,
    JsonObject,
    JsonOfSchema,
    Message,
    StopKind,
)
from tetrad.lenient_json import decode_leniently

PARAMETERS = CHAT_PARAMETERS
LEVELS = frozenset({"minimal", "low", "medium", "high", "xhigh"})
RESOLUTIONS = {"low": "MEDIA_RESOLUTION_LOW", "high": "MEDIA_RESOLUTION_HIGH"}
STOPS: Mapping[str, StopKind] = {
    "STOP": "complete",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        [
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "LANGUAGE",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "MODEL_ARMOR",
        ],
        "blocked",
    ),
    **dict.fromkeys(
        [
            "",
            "FINISH_REASON_UNSPECIFIED",
            "OTHER",
            "MALFORMED_FUNCTION_CALL",
            "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS",
            "MISSING_THOUGHT_SIGNATURE",
            "MALFORMED_RESPONSE",
            "NO_IMAGE",
            "IMAGE_OTHER",
            "CONTINUATION",
        ],
        "cut",
    ),
}
"""Any other reason is unknown."""


class Gemini:
    """The provider `gemini`, at one address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        return GeminiChat(self._endpoint, options_as(options, ExtraFields))

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        options_as(options, ExtraFields)
        return GeminiEmbedding(self._endpoint)


class _Part(msgspec.Struct):
    text: str | None = None
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    index: int = 0


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _Reply(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback | None = None
    usage_metadata: Any = None
    model_version: str | None = None


class _Values(msgspec.Struct):
    values: list[float]


class _Embeddings(msgspec.Struct):
    embeddings: list[_Values]


class GeminiChat:
    """A chat model of the Gemini API."""

    def __init__(self, endpoint: Endpoint, options: ExtraFields) -> None:
        self._endpoint, self._options = endpoint, options

    def check(self, request: ChatRequest) -> None:
        self._body(request)

    async def chat(self, request: ChatRequest) -> Completion:
        body = msgspec.json.encode(self._body(request))
        path = _path(self._endpoint, "generateContent")
        reply = self._decode(await self._endpoint.http.post(self._endpoint, path, _headers(self._endpoint), body))
        if (blocked := _choice_of_blocked(reply)) is not None:
            return self._completion([blocked], reply, request)
        if not reply.candidates or any(_is_untold(candidate) for candidate in reply.candidates):
            raise ProviderError("garbled", code="no-text")
        candidates = sorted(reply.candidates, key=lambda candidate: candidate.index)
        return self._completion(
            [_choice(_text(found), found.finish_reason or "", _thoughts(found)) for found in candidates], reply, request
        )

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        body = msgspec.json.encode(self._body(request))
        path = _path(self._endpoint, "streamGenerateContent") + "?alt=sse"
        written, last = Written(), _Reply()
        async with self._endpoint.http.post_for_events(self._endpoint, path, _headers(self._endpoint), body) as events:
            async for event in events:
                part = self._decode(event.data.encode())
                last = _merge(last, part)
                for candidate in part.candidates:
                    if thought := _thoughts(candidate):
                        written.think(candidate.index, thought)
                    if text := _text(candidate):
                        yield written.add(Piece(index=candidate.index, text=text))
                    if candidate.finish_reason:
                        written.end(candidate.index, candidate.finish_reason)
        if (blocked := _choice_of_blocked(last)) is not None:
            yield self._completion([blocked], last, request)
            return
        wanted = written.indices(request.n or 1)
        choices = [_choice(written.text(at), written.reason(at), written.thoughts(at) or "") for at in wanted]
        yield self._completion(choices, last, request)

    def _decode(self, body: bytes) -> _Reply:
        try:
            document = decode_leniently(body)
            if (fault := error_in(document, self._endpoint.secret)) is not None:
                raise fault
            return msgspec.convert(document, _Reply)
        except ValueError:
            raise ProviderError("garbled", code="no-content") from None

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        texts, turns = instructions_of(request.messages)
        body: dict[str, Any] = {"contents": [_turn(turn) for turn in turns]}
        if texts:
            body["systemInstruction"] = {"parts": [{"text": text} for text in texts]}
        if parameters := self._parameters(request):
            body["generationConfig"] = parameters
        return body

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        given = {
            "temperature": request.temperature,
            "topP": request.top_p,
            "maxOutputTokens": request.output_cap(),
            "stopSequences": [request.stop] if isinstance(request.stop, str) else request.stop,
            "seed": request.seed,
            "candidateCount": request.n,
            "thinkingConfig": _thinking(request.reasoning_effort),
            "mediaResolution": _resolution(request.messages),
            **_format(request),
        }
        return {**{name: value for name, value in given.items() if value is not None}, **self._options.extra}

    def _completion(self, choices: Sequence[Choice], reply: _Reply, request: ChatRequest) -> Completion:
        used = reply.usage_metadata
        return Completion(
            text=choices[0].text,
            stop=choices[0].stop,
            thought=choices[0].thought,
            further=choices[1:],
            prompt_tokens=read_count(used, "promptTokenCount"),
            # A reply of thoughts alone reports no candidates.
            completion_tokens=add_counts(
                read_count(used, "candidatesTokenCount"), read_count(used, "thoughtsTokenCount")
            ),
            cached_tokens=read_count(used, "cachedContentTokenCount"),
            reasoning_tokens=read_count(used, "thoughtsTokenCount"),
            model=reply.model_version or "",
            parameters=self._parameters(request),
        )


class GeminiEmbedding:
    """An embedding model of the Gemini API: of texts."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def embed(self, inputs: Sequence[str]) -> Vectors:
        return await self.embed_sized(inputs, None)

    async def embed_sized(self, inputs: Sequence[str], dimensions: int | None) -> Vectors:
        parameters: dict[str, Any] = {} if dimensions is None else {"outputDimensionality": dimensions}
        requests = [
            {"model": f"models/{self._endpoint.name}", "content": {"parts": [{"text": text}]}, **parameters}
            for text in inputs
        ]
        path = _path(self._endpoint, "batchEmbedContents")
        body = msgspec.json.encode({"requests": requests})
        answer = await self._endpoint.http.post(self._endpoint, path, _headers(self._endpoint), body)
        try:
            found = msgspec.convert(decode_leniently(answer), _Embeddings)
            vectors = [embedding.values for embedding in found.embeddings]
        except ValueError:
            raise ProviderError("garbled", code="no-embeddings") from None
        if len(vectors) != len(inputs) or len({len(vector) for vector in vectors}) != 1:
            raise ProviderError("garbled", code="wrong-number-of-embeddings")
        return Vectors(vectors=vectors, prompt_tokens=None, parameters=parameters)


def _path(endpoint: Endpoint, method: str) -> str:
    return f"/models/{quote(endpoint.name, safe='')}:{method}"


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return {"x-goog-api-key": endpoint.secret.reveal()}


def _turn(message: Message) -> dict[str, Any]:
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": [_part(part) for part in parts_of(message)]}


def _part(part: ContentPart) -> dict[str, Any]:
    if not isinstance(part, ImagePart):
        return {"text": part.text}
    picture = inline(part.image_url)
    return {"inlineData": {"mimeType": picture.media_type, "data": picture.data}}


def _resolution(messages: Sequence[Message]) -> str | None:
    """Return the resolution for all pictures of a request: this API has one for the whole call."""
    details = {
        part.image_url.detail
        for message in messages
        if not isinstance(message.content, str)
        for part in message.content
        if isinstance(part, ImagePart)
    }
    if len(details) > 1:
        remedy = "send the same for all"
        raise UnsupportedError("detail", ", ".join(sorted(details)), "differs between pictures of a call", remedy)
    return RESOLUTIONS.get(next(iter(details), "auto"))


def _thinking(effort: str | None) -> dict[str, str] | None:
    if effort is None:
        return None
    if effort not in LEVELS:
        remedy = f"send one of {', '.join(sorted(LEVELS))}"
        raise UnsupportedError("reasoning_effort", effort, "is not a level of this model", remedy)
    return {"thinkingLevel": effort.upper()}


def _format(request: ChatRequest) -> dict[str, Any]:
    match request.response_format:
        case JsonObject():
            return {"responseMimeType": "application/json"}
        case JsonOfSchema(json_schema=named):
            return {"responseMimeType": "application/json", "responseJsonSchema": named.schema}
        case _:
            return {}


def _text(candidate: _Candidate) -> str:
    parts = [] if candidate.content is None else candidate.content.parts
    return "".join(part.text or "" for part in parts if not part.thought)


def _thoughts(candidate: _Candidate) -> str:
    parts = [] if candidate.content is None else candidate.content.parts
    return "".join(part.text or "" for part in parts if part.thought)


def _is_untold(candidate: _Candidate) -> bool:
    """Return whether a candidate claims to be whole, and has no field for a text."""
    return candidate.finish_reason == "STOP" and candidate.content is None


def _choice(text: str, reason: str, thought: str = "") -> Choice:
    return Choice(text=text, stop=stop_of(STOPS.get(reason, "unknown"), text, reason), thought=thought or None)


def _choice_of_blocked(reply: _Reply) -> Choice | None:
    """Return the choice that stands for a prompt that was blocked, or None."""
    if reply.candidates or reply.prompt_feedback is None or not reply.prompt_feedback.block_reason:
        return None
    return Choice(text="", stop=stop_of("blocked", "", reply.prompt_feedback.block_reason))


def _merge(last: _Reply, part: _Reply) -> _Reply:
    """Return the stream's usage and identity so far. Each chunk's usage covers everything before it."""
    return _Reply(
        candidates=last.candidates or part.candidates,
        prompt_feedback=part.prompt_feedback or last.prompt_feedback,
        usage_metadata=part.usage_metadata or last.usage_metadata,
        model_version=part.model_version or last.model_version,
    )

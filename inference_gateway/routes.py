"""The HTTP surface, in OpenAI's shape. Routes only translate."""

import asyncio
import base64
import dataclasses
import hashlib
import logging
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Any

import msgspec
from litestar import MediaType, Request, Response, Router, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import Stream
from litestar.types import Guard
from msgspec.structs import replace

from inference_gateway.access import Caller
from inference_gateway.call_records import Timing
from inference_gateway.calls import Answered, Calls, Embedded
from inference_gateway.gates.replies import DifferentRequestError
from inference_gateway.opened_models import Opened
from inference_gateway.problems import GatewayProblem, error_object, problem_of
from inference_gateway.providers import Completion, HealthyModel, Piece, ProviderError
from inference_gateway.response_cache import ResponseCache
from inference_gateway.streamed_replies import StreamBrokenError
from tetrad.contracts.inference import (
    ChatChoice,
    ChatChunk,
    ChatReply,
    ChatRequest,
    ChunkChoice,
    ChunkDelta,
    CompletionDetails,
    Embedding,
    EmbeddingReply,
    EmbeddingRequest,
    EmbeddingUsage,
    GatewayModel,
    GatewayModels,
    ModelReadiness,
    PromptDetails,
    ReplyMessage,
    Usage,
)
from tetrad.server.clock import now_ms
from tetrad.server.ids import new_id
from tetrad.server.problems import refuse

KEY = "Idempotency-Key"
LONGEST_KEY = 255
OVERHEAD = "x-tetrad-overhead-ms"
CACHE = "x-tetrad-cache"
WAITED = "x-tetrad-waited-ms"  # before the gates let the call pass
KEPT = "x-tetrad-kept"  # the reply is that of an earlier request
EVENT_STREAM = "text/event-stream"
DONE = b"data: [DONE]\n\n"
log = logging.getLogger(__name__)


def model_routes(calls: Calls, guard: Guard, cache: ResponseCache) -> Router:
    """Return everything under /v1, behind the guard."""

    @get("/models", sync_to_thread=False)
    def models(
        request: Request[Caller, Any, Any],
        team: Annotated[str | None, QueryParameter(description="for a token that only lists: a team's models")] = None,
    ) -> GatewayModels:
        """List the models that the token may use, chat and embedding."""
        caller = request.auth if team is None else _in_place_of(request.auth, team)
        return GatewayModels(data=[model.listing() for model in calls.targets.models(caller).values()])

    @get("/models/{model:path}", sync_to_thread=False)
    def model(request: Request[Caller, Any, Any], model: FromPath[str]) -> GatewayModel:
        """Show one model."""
        return calls.targets.model(request.auth, model.removeprefix("/")).listing()

    @get("/health/{model:path}")
    async def health(request: Request[Caller, Any, Any], model: FromPath[str]) -> ModelReadiness:
        """Ask a model's server whether it is ready. `ready` is null for providers that can't be asked at no cost."""
        return await _readiness_of(calls.targets.model(request.auth, model.removeprefix("/")))

    @post("/chat/completions", status_code=200)
    async def chat(request: Request[Caller, Any, Any], data: JSONBody[ChatRequest]) -> Response[Any]:
        """Answer a conversation, in one piece or as events; pictures come as data: addresses, nothing is fetched."""
        timing = Timing()
        if data.stream:
            return await _answer_in_events(calls, request, data, timing)

        async def answer() -> tuple[bytes, bool]:
            answered = await calls.chat(request.auth, data, timing)
            is_complete = all(choice.stop.kind == "complete" for choice in answered.completion.choices())
            return msgspec.json.encode(_reply(data.model, answered)), is_complete

        return await _answer_once(calls, cache, request, data, timing=timing, answer=answer)

    @post("/embeddings", status_code=200)
    async def embeddings(request: Request[Caller, Any, Any], data: JSONBody[EmbeddingRequest]) -> Response[Any]:
        """Embed one input or several."""
        timing = Timing()

        async def embed() -> tuple[bytes, bool]:
            return msgspec.json.encode(_embedding_reply(data, await calls.embed(request.auth, data, timing))), True

        return await _answer_once(calls, cache, request, data, timing=timing, answer=embed)

    return Router(
        "/v1", route_handlers=[models, model, health, chat, embeddings], guards=[guard], security=[{"token": []}]
    )


def _in_place_of(caller: Caller, team: str) -> Caller:
    """Return a caller of this team. Raises: ProblemError: 403, the token may not list the models of others."""
    if not caller.only_lists:
        raise refuse(
            403, "team", team, "can't be named with this token", "leave it out: the token lists its own models"
        )
    return dataclasses.replace(caller, team=team)


async def _readiness_of(model: Opened) -> ModelReadiness:
    """Return the health of a model; of one that asks another, that other's."""
    opened = model.asked or model
    provider = opened.chat or opened.embedding
    if not isinstance(provider, HealthyModel):
        return ModelReadiness(id=model.id, ready=True if opened.entry.provider == "in-process" else None)
    found = await provider.health()
    return ModelReadiness(id=model.id, ready=found.ready, detail=found.detail, configuration=found.configuration)


async def _answer_once(
    calls: Calls,
    cache: ResponseCache,
    request: Request[Caller, Any, Any],
    data: ChatRequest | EmbeddingRequest,
    *,
    timing: Timing,
    answer: Callable[[], Awaitable[tuple[bytes, bool]]],
) -> Response[Any]:
    """Return the kept reply, or the reply of a new call. `answer` returns a reply and whether it is complete."""
    has_asked = False

    async def ask() -> bytes:
        nonlocal has_asked
        has_asked = True
        body, is_complete = await answer()
        cache.keep(name, body, is_complete=is_complete)
        return body

    caller, key = request.auth, request.headers.get(KEY)
    directives = request.headers.get("Cache-Control", "").lower()
    name = cache.key(caller, calls.targets.registry, data, directives) if key is None else None
    headers: dict[str, str] = {}
    if key is not None:
        body = await _once(calls, request, data, key, ask)
    elif (kept := cache.get(name, directives)) is not None and calls.targets.may_use(caller, data):
        body = kept
        headers[CACHE] = "hit"
    else:
        body = await ask()
    if not has_asked:
        calls.note_kept(caller, data, timing)
        headers[KEPT] = "true"
    return Response(body, media_type=MediaType.JSON, headers={**_headers(timing), **headers})


async def _once(
    calls: Calls,
    request: Request[Caller, Any, Any],
    data: ChatRequest | EmbeddingRequest,
    key: str,
    ask: Callable[[], Awaitable[bytes]],
) -> bytes:
    """Return the reply of the one call under an Idempotency-Key; make the call if this request is the first.

    Raises: ProblemError: 422, the key is not valid, or was used for another request.
    """
    if not 1 <= len(key) <= LONGEST_KEY:
        raise refuse(422, KEY, key[:40], "is not a valid key", f"send a key of 1 to {LONGEST_KEY} characters")
    caller = request.auth
    fingerprint = hashlib.sha256(request.url.path.encode() + msgspec.json.encode(data)).hexdigest()
    share = caller.purpose != "judge"  # replies to a judge's prompts may hold answer keys: they stay in this process
    try:
        return await calls.replies.once(f"{caller.team}/{caller.token}", key, fingerprint, ask, share=share)
    except DifferentRequestError as error:
        raise refuse(422, KEY, key, "was used for another request", "use a new key for each request") from error


async def _answer_in_events(
    calls: Calls, request: Request[Caller, Any, Any], data: ChatRequest, timing: Timing
) -> Stream:
    """Return the reply as events; under an Idempotency-Key, those of the one call that it was first sent with."""
    key = request.headers.get(KEY)
    if key is None:
        events, is_kept = _events(await calls.stream(request.auth, data, timing), data, request), False
    else:
        events, is_kept = await _stream_once(calls, request, data, key, timing)
    headers = {"Cache-Control": "no-store", **({KEPT: "true"} if is_kept else {}), **_headers(timing)}
    return Stream(events, media_type=EVENT_STREAM, headers=headers)


async def _stream_once(
    calls: Calls, request: Request[Caller, Any, Any], data: ChatRequest, key: str, timing: Timing
) -> tuple[AsyncIterator[bytes], bool]:
    """Return the events of the one stream under an Idempotency-Key, and whether they were kept.

    The request that makes the call gets each event as it comes. The call runs to its end even if the caller leaves.
    Others get the whole reply when it is there. A stream that ends with an error is not kept.
    """
    events: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def ask() -> bytes:
        written = []
        async for event in _events(await calls.stream(request.auth, data, timing), data, request):
            written.append(event)
            events.put_nowait(event)
        if written[-1] != DONE:
            raise ProviderError("cut")
        return b"".join(written)

    def end_events(task: "asyncio.Task[bytes]") -> None:
        if not task.cancelled():
            task.exception()  # what went wrong after the first event is the stream's last one
        events.put_nowait(None)

    making = asyncio.create_task(_once(calls, request, data, key, ask))
    making.add_done_callback(end_events)
    first = await events.get()

    async def yield_kept() -> AsyncIterator[bytes]:
        yield making.result()

    async def yield_live() -> AsyncIterator[bytes]:
        event = first
        while event is not None:
            yield event
            event = await events.get()

    if first is not None:
        return yield_live(), False
    making.result()  # raises what ended the call before its first event
    calls.note_kept(request.auth, data, timing)
    return yield_kept(), True


def _headers(timing: Timing) -> dict[str, str]:
    return {OVERHEAD: f"{timing.overhead() * 1000:.2f}", WAITED: f"{timing.waited * 1000:.2f}"}


def _reply(model: str, answered: Answered) -> ChatReply:
    completion = answered.completion
    choices = [
        ChatChoice(
            index=index,
            message=ReplyMessage(content=choice.text, refusal=choice.refusal, reasoning_content=choice.thought),
            finish_reason=choice.finish_reason,
            stop=choice.stop,
        )
        for index, choice in enumerate(completion.choices())
    ]
    return ChatReply(
        id=new_id("chatcmpl"),
        created=now_ms() // 1000,
        model=model,
        choices=choices,
        usage=_usage(completion),
        system_fingerprint=completion.fingerprint,
        measured=answered.measured,
    )


def _usage(completion: Completion) -> Usage | None:
    """Return OpenAI's usage, or None if the provider reported nothing, which is not 0."""
    prompt, written = completion.prompt_tokens, completion.completion_tokens
    if prompt is None or written is None:
        return None
    cached, reasoning = completion.cached_tokens, completion.reasoning_tokens
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=written,
        total_tokens=prompt + written,
        prompt_tokens_details=None if cached is None else PromptDetails(cached_tokens=cached),
        completion_tokens_details=None if reasoning is None else CompletionDetails(reasoning_tokens=reasoning),
    )


async def _events(
    pieces: AsyncIterator[Piece | Answered], data: ChatRequest, request: Request[Caller, Any, Any]
) -> AsyncIterator[bytes]:
    """Write a reply as server-sent events. A reply that is cut ends with an `error` event instead of [DONE]."""
    head = ChatChunk(id=new_id("chatcmpl"), created=now_ms() // 1000, model=data.model, choices=[])
    begun: set[int] = set()
    try:
        async for piece in pieces:
            if isinstance(piece, Piece):
                yield _event(replace(head, choices=[_chunk(piece, begun)]))
                continue
            for chunk in _last_chunks(head, piece, data, begun):
                yield _event(chunk)
            if any(choice.stop.kind == "cut" for choice in piece.completion.choices()):
                yield _error_event(ProviderError("cut"), request)
                return
            yield DONE
    except StreamBrokenError as broken:
        yield _error_event(broken.error, request)
    except Exception as error:
        log.error("a stream failed", exc_info=error)  # noqa: TRY400 - the traceback is in exc_info
        yield _error_event(error, request)


def _chunk(piece: Piece, begun: set[int]) -> ChunkChoice:
    role = None if piece.index in begun else "assistant"
    begun.add(piece.index)
    content, refusal = (None, piece.text) if piece.is_refusal else (piece.text, None)
    return ChunkChoice(index=piece.index, delta=ChunkDelta(role=role, content=content, refusal=refusal))


def _last_chunks(head: ChatChunk, answered: Answered, data: ChatRequest, begun: set[int]) -> Sequence[ChatChunk]:
    """Return the chunk that ends the choices and, if the request asks for usage, a chunk with usage and no choices."""
    completion = answered.completion
    ends = [
        ChunkChoice(
            index=index,
            delta=ChunkDelta(role=None if index in begun else "assistant", reasoning_content=choice.thought),
            finish_reason=choice.finish_reason,
            stop=choice.stop,
        )
        for index, choice in enumerate(completion.choices())
    ]
    is_asked = data.stream_options is not None and data.stream_options.include_usage
    last = replace(head, system_fingerprint=completion.fingerprint, measured=answered.measured)
    if is_asked:
        return [replace(head, choices=ends), replace(last, usage=_usage(completion))]
    return [replace(last, choices=ends)]  # a client that did not ask for it may not expect a chunk without choices


def _event(chunk: ChatChunk) -> bytes:
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


def _error_event(error: Exception, request: Request[Caller, Any, Any]) -> bytes:
    problem, code = problem_of(error)
    body = GatewayProblem(
        type=problem.kind,
        title="",
        status=problem.status,
        detail=problem.detail,
        instance=request.url.path,
        error=error_object(problem.status, problem.detail, code=code or None),
    )
    return b"event: error\ndata: " + msgspec.json.encode(body) + b"\n\n"


def _embedding_reply(request: EmbeddingRequest, found: Embedded) -> EmbeddingReply:
    vectors = found.vectors
    is_packed = request.encoding_format == "base64"
    tokens = vectors.prompt_tokens
    return EmbeddingReply(
        data=[
            Embedding(index=index, embedding=_pack_vector(vector) if is_packed else vector)
            for index, vector in enumerate(vectors.vectors)
        ],
        model=request.model,
        usage=None if tokens is None else EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens),
        measured=found.measured,
    )


def _pack_vector(vector: Sequence[float]) -> str:
    """Return little-endian 32-bit floats as base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()

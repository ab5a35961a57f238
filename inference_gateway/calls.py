"""The path of every call: its targets, the gates, the attempts, the reply.

In order: the three kinds of calls (chat, stream, embeddings), then what a model that asks another one needs. Routes
call nothing else, so no call avoids a gate.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol

from inference_gateway.access import Caller
from inference_gateway.call_records import CallRecord, CallRecords, Timing
from inference_gateway.gates import Call, Gates, Permit, Refused, UpstreamError
from inference_gateway.gates.attempts import Attempted, RetryPolicy, attempt_routes
from inference_gateway.gates.pictures import PictureBudget
from inference_gateway.gates.replies import Replies
from inference_gateway.opened_models import Opened
from inference_gateway.providers import (
    AskingModel,
    Completion,
    Piece,
    SizedEmbeddingModel,
    StreamingModel,
    Vectors,
)
from inference_gateway.registry import LiveRegistry
from inference_gateway.settings import GatewaySettings
from inference_gateway.streamed_replies import StreamedReplies, StreamedReply
from inference_gateway.targets import MOST_INPUTS, Target, Targets
from inference_gateway.usage import Usage
from tetrad.contracts.inference import ChatRequest, EmbeddingRequest, Measured
from tetrad.solvers.pictures import PictureError

USAGE_FIELDS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")  # of a completion


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A completion, and what was measured of it."""

    completion: Completion
    measured: Measured


@dataclass(frozen=True, kw_only=True)
class Embedded:
    vectors: Vectors
    measured: Measured


class KeepingGates(Gates, Protocol):
    """Gates that keep replies under the names that callers give their requests, and count the bytes of pictures."""

    @property
    def replies(self) -> Replies: ...

    @property
    def pictures(self) -> PictureBudget: ...


class AskedError(Exception):
    """The model that a chat model asks failed, or a gate refused it.

    The gates of the asking model take it for no failure of that model, and nothing is tried again: that was done.
    """

    def __init__(self, error: UpstreamError | Refused) -> None:
        super().__init__(str(error))
        self.error = error


class Calls:
    """Answers calls with the models of the registry that is served now."""

    def __init__(
        self, live: LiveRegistry, gates: KeepingGates, settings: GatewaySettings, records: CallRecords
    ) -> None:
        self._gates = gates
        self.records = records
        self.targets = Targets(live, gates.pictures, settings)
        self.streams = StreamedReplies[Piece | Answered](settings.drain_seconds)
        self._policy = RetryPolicy(attempts=settings.attempts, total_wait=settings.wait_seconds)

    @property
    def replies(self) -> Replies:
        """Return the calls under an Idempotency-Key, and their replies."""
        return self._gates.replies

    def note_kept(self, caller: Caller, request: ChatRequest | EmbeddingRequest, timing: Timing) -> None:
        """Write the record of a call that was answered with a kept reply."""
        kind: Literal["chat", "embedding"] = "chat" if isinstance(request, ChatRequest) else "embedding"
        with self.records.of(kind, caller, request.model, timing) as record:
            record.is_kept = True
            model = self.targets.models(caller).get(request.model)
            record.provider = "" if model is None else model.entry.provider

    async def chat(self, caller: Caller, request: ChatRequest, timing: Timing) -> Answered:
        """Answer a conversation in one piece."""
        with self.records.of("chat", caller, request.model, timing) as record, _errors_of_asked():
            async with self.targets.chat(caller, request, record) as targets:

                async def ask(call: Call, permit: Permit) -> Completion:
                    await permit.mark_sent()
                    record.attempts += 1
                    with timing.of_upstream():
                        return await self._completion(caller, targets[call.model])

                async with attempt_routes(
                    self._gates, [target.call for target in targets.values()], ask, self._policy
                ) as done:
                    timing.waited += done.waited
                    return await _settle_chat(targets, done, done.value, record)

    async def stream(self, caller: Caller, request: ChatRequest, timing: Timing) -> AsyncIterator[Piece | Answered]:
        """Answer a conversation piece by piece, and at the end return the measurements.

        It returns once the first piece is there, so that errors before it are answers with a status. StreamBrokenError
        is raised by the iterator. When the iterator is closed early, the rest of the reply is still read, to learn its
        usage.
        """
        return await self.streams.read(partial(self._read_reply, caller, request, timing))

    async def embed(
        self, caller: Caller, request: EmbeddingRequest, timing: Timing, *, is_held: bool = False
    ) -> Embedded:
        """Embed one input or several. `is_held`: a call that holds the bytes of these pictures waits for this one."""
        with self.records.of("embedding", caller, request.model, timing) as record:
            async with self.targets.embedding(caller, request, record, is_held=is_held) as targets:

                async def ask(call: Call, permit: Permit) -> Vectors:
                    target = targets[call.model]
                    await permit.mark_sent()
                    record.attempts += 1
                    with timing.of_upstream():
                        return await _vectors(target.model, target.inputs, request.dimensions)

                async with attempt_routes(
                    self._gates, [target.call for target in targets.values()], ask, self._policy
                ) as done:
                    timing.waited += done.waited
                    return await _settle_embedding(targets, done, record)

    async def _completion(self, caller: Caller, target: Target) -> Completion:
        """Return the whole reply of a chat model."""
        assert target.request is not None  # noqa: S101 - a chat's target has one
        chat = target.model.chat
        if isinstance(chat, AskingModel):

            async def embed(inputs: Sequence[str], places: Sequence[str]) -> Vectors:
                return await self._embed_for(caller, target.model, inputs, places)

            return await chat.chat_with(target.request, embed)
        assert chat is not None  # noqa: S101 - as it was found
        return await chat.chat(target.request)

    async def _embed_for(self, caller: Caller, model: Opened, inputs: Sequence[str], places: Sequence[str]) -> Vectors:
        """Embed for a chat model by the one that it asks: a call of its caller, with gates and a record of its own.

        A token for the asking model is enough: the operator's entry says whom it asks. Pictures are those of the
        chat, which holds their bytes: this call must not wait for them.

        Raises:
            AskedError: the model failed, or a gate refused it.
            PictureError: a picture can't be used; it names the field of the chat's request.
        """
        asked = model.asked
        assert asked is not None  # noqa: S101 - the registry opens none without
        granted = replace(caller, models=frozenset({asked.id}))
        size = min(asked.entry.pictures.most or MOST_INPUTS, MOST_INPUTS)
        found: list[Vectors] = []
        try:
            for at in range(0, len(inputs), size):
                request = EmbeddingRequest(model=asked.id, input=list(inputs[at : at + size]))
                with _pictures_of_the_chat(places[at : at + size]):
                    found.append((await self.embed(granted, request, Timing(), is_held=True)).vectors)
        except (UpstreamError, Refused) as error:
            raise AskedError(error) from error
        return _join_vectors(found)

    async def _read_reply(
        self, caller: Caller, request: ChatRequest, timing: Timing, reply: StreamedReply[Piece | Answered]
    ) -> None:
        """Read a reply to its end, into the pieces that the route takes."""
        try:
            with self.records.of("chat", caller, request.model, timing, is_stream=True) as record, _errors_of_asked():
                async with self.targets.chat(caller, request, record) as targets:

                    async def begin(
                        call: Call, permit: Permit
                    ) -> tuple[Piece | Completion, AsyncIterator[Piece | Completion]]:
                        await permit.mark_sent()
                        record.attempts += 1
                        stream = self._stream_of(caller, targets[call.model])
                        with timing.of_upstream():
                            return await anext(stream), stream

                    routes = [target.call for target in targets.values()]
                    async with attempt_routes(self._gates, routes, begin, self._policy) as done:
                        timing.waited += done.waited
                        timing.first = timing.total()
                        piece, stream = done.value
                        with timing.of_upstream():
                            while not isinstance(piece, Completion):
                                reply.put(piece)
                                piece = await anext(stream)
                        record.is_drained = reply.is_abandoned
                        reply.put(await _settle_chat(targets, done, piece, record))
                        reply.end()
        except Exception as error:  # noqa: BLE001 - whoever takes the pieces raises it
            reply.fail(error)

    async def _stream_of(self, caller: Caller, target: Target) -> AsyncIterator[Piece | Completion]:
        """Yield the pieces of a reply. If the model can't stream, yield each choice as one piece."""
        chat = target.model.chat
        if isinstance(chat, StreamingModel):
            assert target.request is not None  # noqa: S101 - a chat's target has one
            async for piece in chat.stream(target.request):
                yield piece
            return
        completion = await self._completion(caller, target)
        for index, choice in enumerate(completion.choices()):
            if choice.text:
                yield Piece(index=index, text=choice.text)
        yield completion


@contextmanager
def _errors_of_asked() -> Iterator[None]:
    """Raise the error of a model that was asked as itself, once the gates of the asking one are left."""
    try:
        yield
    except AskedError as asked:
        raise asked.error from asked.__cause__


@contextmanager
def _pictures_of_the_chat(places: Sequence[str]) -> Iterator[None]:
    """Name a picture that can't be used by its field in the chat's request, not by its number among the inputs."""
    try:
        yield
    except PictureError as error:
        fields = {f"input[{number}]": place for number, place in enumerate(places)}
        place = fields.get(error.place, error.place)
        raise PictureError(place, error.value, error.problem, error.remedy) from error


def _join_vectors(found: Sequence[Vectors]) -> Vectors:
    """Return the vectors of several requests to one model as those of one."""
    tokens = [part.prompt_tokens for part in found if part.prompt_tokens is not None]
    configurations = dict.fromkeys(part.configuration for part in found if part.configuration is not None)
    return replace(
        found[0],
        vectors=[vector for part in found for vector in part.vectors],
        prompt_tokens=sum(tokens) if len(tokens) == len(found) else None,
        configuration="; ".join(configurations) or None,
    )


async def _vectors(model: Opened, inputs: Sequence[str], dimensions: int | None) -> Vectors:
    assert model.embedding is not None  # noqa: S101 - as it was found
    if isinstance(model.embedding, SizedEmbeddingModel):
        return await model.embedding.embed_sized(inputs, dimensions)
    return await model.embedding.embed(inputs)


async def _settle_chat(
    targets: Mapping[str, Target], done: Attempted[Any], completion: Completion, record: CallRecord
) -> Answered:
    """Book the cost of a completion, and return it with its measurements. A usage that can't be true is left out."""
    settled = await done.permit.settle(_usage(completion))
    if settled.odd:
        nothing: dict[str, Any] = dict.fromkeys(USAGE_FIELDS)
        completion = replace(completion, **nothing)
    measured = _measurements_of(targets[done.route.model], completion, record.attempts)
    tokens = (completion.prompt_tokens, completion.completion_tokens)
    stops = [choice.stop.kind for choice in completion.choices()]
    record.add_answer(measured, tokens, settled, is_billed=done.route.price is not None, stops=stops)
    return Answered(completion=completion, measured=measured)


async def _settle_embedding(targets: Mapping[str, Target], done: Attempted[Vectors], record: CallRecord) -> Embedded:
    """Book the cost of an embedding, and return it with its measurements."""
    vectors, target = done.value, targets[done.route.model]
    tokens = vectors.prompt_tokens
    settled = await done.permit.settle(None if tokens is None else Usage(input_tokens=tokens, output_tokens=0))
    if settled.odd:
        tokens = None
        vectors = replace(vectors, prompt_tokens=None)
    measured = Measured(
        provider=target.model.entry.provider,
        model=vectors.model or target.model.id,
        configuration=vectors.configuration,
        parameters=dict(vectors.parameters),
        pictures=list(target.pictures),
        served_by=target.model.id,
        attempts=record.attempts,
    )
    record.add_answer(measured, (tokens, None), settled, is_billed=done.route.price is not None)
    return Embedded(vectors=vectors, measured=measured)


def _usage(completion: Completion) -> Usage | None:
    if completion.prompt_tokens is None and completion.completion_tokens is None:
        return None
    return Usage(
        input_tokens=completion.prompt_tokens,
        output_tokens=completion.completion_tokens,
        cached_input_tokens=completion.cached_tokens,
        reasoning_tokens=completion.reasoning_tokens,
    )


def _measurements_of(target: Target, completion: Completion, number: int) -> Measured:
    seed = None if target.request is None else target.request.seed
    return Measured(
        provider=target.model.entry.provider,
        model=completion.model or target.model.id,
        fingerprint=completion.fingerprint,
        configuration=completion.configuration,
        parameters=dict(completion.parameters),
        seed="not-given" if seed is None else "honoured" if completion.is_seed_honoured else "sent",
        pictures=list(target.pictures),
        served_by=target.model.id,
        attempts=number,
    )

"""The path of every call: the caller's rights, the model's abilities, the gates, the attempts, the reply.

In order: the three kinds of calls (chat, stream, embeddings), then the checks of a request. Routes call nothing else,
so no call avoids a gate.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import msgspec

from inference_gateway.access import SERVICE, Caller
from inference_gateway.call_records import CallRecord, CallRecords, Timing
from inference_gateway.gates import Call, Estimate, Gates, Permit, Refused, UpstreamError, Usage
from inference_gateway.gates.attempts import RetryPolicy, attempted
from inference_gateway.gates.pictures import PictureBudget
from inference_gateway.gates.replies import Replies
from inference_gateway.pictures import Fitting, Seen, Shown, see, shown_in, with_pictures
from inference_gateway.providers import (
    CHAT_PARAMETERS,
    AskingModel,
    CheckingModel,
    Completion,
    Piece,
    SizedEmbeddingModel,
    StreamingModel,
    UnsupportedError,
    Vectors,
)
from inference_gateway.registry import LiveRegistry, Opened, UnknownModelError
from inference_gateway.settings import GatewaySettings
from tetrad.contracts.inference import (
    ChatRequest,
    EmbeddingRequest,
    ImageAddress,
    ImagePart,
    Measured,
    PlainText,
    SentPicture,
    TextPart,
)
from tetrad.server.problems import ProblemError, refuse
from tetrad.solvers.pictures import PictureError

MOST_INPUTS = 256  # of one embedding request
MOST_PICTURES = 64  # of a conversation: five pictures and a few solved examples are a dozen
TOKENS_A_MESSAGE = 16  # tokens of a chat template around each message: role, separators
PICTURE = "data:"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model that may answer, and the request as sent to it."""

    model: Opened
    call: Call
    request: ChatRequest | None = None
    inputs: Sequence[str] = ()
    pictures: Sequence[SentPicture] = ()


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A completion, and what was measured of it."""

    completion: Completion
    measured: Measured


@dataclass(frozen=True, kw_only=True)
class Embedded:
    vectors: Vectors
    measured: Measured


@dataclass
class _StreamedReply:
    """A reply on its way from the task that reads it to the route that writes it."""

    pieces: asyncio.Queue[Piece | Answered | Exception] = field(default_factory=asyncio.Queue)
    is_abandoned: bool = False

    def put(self, piece: Piece | Answered | Exception) -> None:
        """Pass a piece on, unless the listener has left."""
        if not self.is_abandoned:
            self.pieces.put_nowait(piece)


class KeepingGates(Gates, Protocol):
    """Gates that keep replies under the names that callers give their requests, and count the bytes of pictures."""

    @property
    def replies(self) -> Replies: ...

    @property
    def pictures(self) -> PictureBudget: ...


class StreamBrokenError(Exception):
    """A stream broke after its first piece, so the call can't be tried again."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


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
        self._live, self._gates, self._settings = live, gates, settings
        self.records = records
        self._fitting = Fitting()
        self._policy = RetryPolicy(attempts=settings.attempts, total_wait=settings.wait_seconds)
        self._draining: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End the replies that are still read on after their callers went away."""
        for task in self._draining:
            task.cancel()
        await asyncio.gather(*self._draining, return_exceptions=True)

    @property
    def replies(self) -> Replies:
        """Return the calls under an Idempotency-Key, and their replies."""
        return self._gates.replies

    @property
    def streams(self) -> int:
        """Return the number of streamed replies that are being read."""
        return len(self._draining)

    def models(self, caller: Caller) -> list[Opened]:
        """Return the models that a caller may use."""
        return [model for model in self._live.now.all() if _is_open_to(model, caller)]

    @property
    def registry(self) -> str:
        """Return the digest of the registry that is served now."""
        return self._live.now.digest

    def may_use(self, caller: Caller, request: ChatRequest | EmbeddingRequest) -> bool:
        """Say whether a call of the caller would be let through to the model."""
        model = {one.id: one for one in self.models(caller)}.get(request.model)
        return model is not None and caller.purpose in model.purposes

    def note_kept(self, caller: Caller, request: ChatRequest | EmbeddingRequest, timing: Timing) -> None:
        """Write the record of a call that was answered with a kept reply."""
        kind: Literal["chat", "embedding"] = "chat" if isinstance(request, ChatRequest) else "embedding"
        with self.records.of(kind, caller, request.model, timing) as record:
            record.is_kept = True
            model = {one.id: one for one in self.models(caller)}.get(request.model)
            record.provider = "" if model is None else model.entry.provider

    async def chat(self, caller: Caller, request: ChatRequest, timing: Timing) -> Answered:
        """Answer a conversation in one piece."""
        with self.records.of("chat", caller, request.model, timing) as record, _errors_of_asked():
            async with self._chat_targets(caller, request, record) as targets:

                async def ask(call: Call, permit: Permit) -> Completion:
                    await permit.sent()
                    record.attempts += 1
                    with timing.of_upstream():
                        return await self._completion(caller, targets[call.model])

                async with attempted(self._gates, [one.call for one in targets.values()], ask, self._policy) as done:
                    timing.waited += done.waited
                    return await _settled(targets, done.route, done.permit, done.value, record)

    async def stream(self, caller: Caller, request: ChatRequest, timing: Timing) -> AsyncIterator[Piece | Answered]:
        """Answer a conversation piece by piece, and at the end return the measurements.

        It returns once the first piece is there, so that errors before it are answers with a status. StreamBrokenError
        is raised by the iterator. When the iterator is closed early, the rest of the reply is still read, to learn its
        usage.
        """
        reply = _StreamedReply()
        task = asyncio.create_task(self._pump(caller, request, timing, reply))
        self._draining.add(task)
        task.add_done_callback(self._draining.discard)
        first = await reply.pieces.get()
        if isinstance(first, Exception):
            raise first
        return self._pieces(first, reply, task)

    async def embed(
        self, caller: Caller, request: EmbeddingRequest, timing: Timing, *, is_held: bool = False
    ) -> Embedded:
        """Embed one input or several. `is_held`: a call that holds the bytes of these pictures waits for this one."""
        with self.records.of("embedding", caller, request.model, timing) as record:
            async with self._embedding_targets(caller, request, record, is_held=is_held) as targets:

                async def ask(call: Call, permit: Permit) -> Vectors:
                    target = targets[call.model]
                    await permit.sent()
                    record.attempts += 1
                    with timing.of_upstream():
                        return await _vectors(target.model, target.inputs, request.dimensions)

                async with attempted(self._gates, [one.call for one in targets.values()], ask, self._policy) as done:
                    timing.waited += done.waited
                    vectors = done.value
                    tokens = vectors.prompt_tokens
                    usage = None if tokens is None else Usage(input_tokens=tokens, output_tokens=0)
                    settled = await done.permit.settle(usage)
                    target = targets[done.route.model]
                    measured = Measured(
                        provider=target.model.entry.provider,
                        model=vectors.model or target.model.id,
                        configuration=vectors.configuration,
                        parameters=dict(vectors.parameters),
                        pictures=list(target.pictures),
                        served_by=target.model.id,
                        attempts=record.attempts,
                    )
                    record.answered(measured, (tokens, None), None if done.route.price is None else settled)
                    return Embedded(vectors=vectors, measured=measured)

    async def _completion(self, caller: Caller, target: Target) -> Completion:
        """Return the whole reply of a chat model."""
        assert target.request is not None  # noqa: S101 - a chat's target has one
        chat = target.model.chat
        if isinstance(chat, AskingModel):

            async def embed(inputs: Sequence[str], places: Sequence[str]) -> Vectors:
                return await self._embedded_for(caller, target.model, inputs, places)

            return await chat.chat_with(target.request, embed)
        assert chat is not None  # noqa: S101 - as it was found
        return await chat.chat(target.request)

    async def _embedded_for(
        self, caller: Caller, model: Opened, inputs: Sequence[str], places: Sequence[str]
    ) -> Vectors:
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
        return _joined(found)

    def _found(self, caller: Caller, name: str, kind: str) -> Opened:
        """Return a model that the caller may use for its purpose.

        Raises:
            UnknownModelError: there is none of this kind, as far as the caller may see.
            ProblemError: 403, the token is for other models, or its purpose not for this provider.
        """
        visible = {model.id: model for model in self.models(caller) if model.entry.kind == kind}
        model = visible.get(name)
        if model is None:
            raise UnknownModelError(name, kind, sorted(visible))
        if caller.purpose not in model.purposes:
            problem = f"can't be used for {caller.purpose} calls: its provider may train on what it is sent"
            remedy = f"use one of {', '.join(_fit_for(caller, visible)) or 'none'}, or a token for practice"
            raise refuse(403, "model", name, problem, remedy)
        return model

    @asynccontextmanager
    async def _chat_targets(
        self, caller: Caller, request: ChatRequest, record: CallRecord
    ) -> AsyncIterator[dict[str, Target]]:
        """Give the models that may answer, by id: the model itself first, then its fallbacks.

        Their pictures are counted during the block.
        """
        model = self._found(caller, request.model, "chat")
        record.provider = model.entry.provider
        if request.stream_options is not None and not request.stream:
            raise refuse(
                422,
                "stream_options",
                None,
                "is given although stream is not true",
                "send stream: true, or leave it out",
            )
        _check_parameters(model, request)
        shown = shown_in(request.messages)
        _check_number(model, len(shown), MOST_PICTURES, "messages")
        async with self._seen(shown, record) as seen:
            targets = {model.id: await self._chat_target(caller, model, request, seen)}
            for one in self._others(caller, model):
                try:
                    _check_parameters(one, request)
                    targets[one.id] = await self._chat_target(caller, one, request, seen)
                except (UnsupportedError, PictureError, ProblemError):
                    continue  # a fallback that can't answer this request, which the model itself can
            yield targets

    def _others(self, caller: Caller, model: Opened) -> list[Opened]:
        """Return the models that may answer in a model's place."""
        found = self._live.now.fallbacks(model, caller.purpose)
        return [one for one in found if _is_open_to(one, caller) and caller.purpose in one.purposes]

    @asynccontextmanager
    async def _seen(
        self, shown: Sequence[Shown], record: CallRecord, *, is_held: bool = False
    ) -> AsyncIterator[list[Seen]]:
        """Read the pictures' headers, and reserve their decoded bytes during the block, unless they are held."""
        record.pictures = len(shown)
        seen = await see(shown, largest_pixels=self._settings.picture_pixels)
        size = 0 if is_held else sum(one.decoded_bytes for one in seen)
        holding = self._gates.pictures.held(size, patience=self._settings.wait_seconds)
        with record.timing.of_waiting():
            await holding.__aenter__()
        try:
            yield seen
        finally:
            await holding.__aexit__(None, None, None)

    async def _chat_target(self, caller: Caller, model: Opened, request: ChatRequest, seen: Sequence[Seen]) -> Target:
        cap = _output_cap(model, request)
        bounds = model.entry.pictures
        _check_number(model, len(seen), bounds.most, "messages")
        fitted = await self._fitting.fit(seen, bounds, largest_pixels=self._settings.picture_pixels)
        sent = msgspec.structs.replace(
            request,
            messages=with_pictures(request.messages, fitted),
            max_tokens=None,
            max_completion_tokens=cap,
            response_format=None if isinstance(request.response_format, PlainText) else request.response_format,
        )
        if isinstance(model.chat, CheckingModel):
            model.chat.check(sent)
        return Target(
            model=model,
            call=_call(caller, model, _chat_estimate(model, sent, len(fitted))),
            request=sent,
            pictures=[one.sent for one in fitted],
        )

    @asynccontextmanager
    async def _embedding_targets(
        self, caller: Caller, request: EmbeddingRequest, record: CallRecord, *, is_held: bool
    ) -> AsyncIterator[dict[str, Target]]:
        """Give the models that may embed, by id: the model, then the same release at other addresses.

        This holds for every purpose, because vectors of two different models can't be compared.
        """
        model = self._found(caller, request.model, "embedding")
        record.provider = model.entry.provider
        inputs = [request.input] if isinstance(request.input, str) else request.input
        _check_inputs(model, inputs)
        if request.dimensions is not None and not isinstance(model.embedding, SizedEmbeddingModel):
            raise _unsupported(model, "dimensions", request.dimensions)
        shown = [
            Shown(f"input[{at}]", ImageAddress(url=one)) for at, one in enumerate(inputs) if one.startswith(PICTURE)
        ]
        _check_number(model, len(shown), model.entry.pictures.most, "input")
        async with self._seen(shown, record, is_held=is_held) as seen:
            targets = {model.id: await self._embedding_target(caller, model, inputs, seen)}
            for one in self._others(caller, model):
                is_like = one.modalities >= model.modalities
                is_sized = request.dimensions is None or isinstance(one.embedding, SizedEmbeddingModel)
                if one.release == model.release and is_like and is_sized:
                    targets[one.id] = await self._embedding_target(caller, one, inputs, seen)
            yield targets

    async def _embedding_target(
        self, caller: Caller, model: Opened, inputs: Sequence[str], seen: Sequence[Seen]
    ) -> Target:
        bounds = model.entry.pictures
        fitted = await self._fitting.fit(seen, bounds, largest_pixels=self._settings.picture_pixels)
        left = iter(fitted)
        sent = [next(left).address.url if one.startswith(PICTURE) else one for one in inputs]
        tokens = len(fitted) * (bounds.tokens or 0)
        tokens += sum(len(one.encode()) for one in inputs if not one.startswith(PICTURE))
        return Target(
            model=model,
            call=_call(caller, model, Estimate(input_tokens=tokens, output_tokens=0)),
            inputs=sent,
            pictures=[one.sent for one in fitted],
        )

    async def _pump(self, caller: Caller, request: ChatRequest, timing: Timing, reply: _StreamedReply) -> None:
        """Read a reply to its end, into the queue, in a task of its own.

        So its usage is known even if the caller leaves.
        """
        has_begun = False
        try:
            with self.records.of("chat", caller, request.model, timing, is_stream=True) as record, _errors_of_asked():
                async with self._chat_targets(caller, request, record) as targets:

                    async def begin(
                        call: Call, permit: Permit
                    ) -> tuple[Piece | Completion, AsyncIterator[Piece | Completion]]:
                        await permit.sent()
                        record.attempts += 1
                        stream = self._stream_of(caller, targets[call.model])
                        with timing.of_upstream():
                            return await anext(stream), stream

                    routes = [one.call for one in targets.values()]
                    async with attempted(self._gates, routes, begin, self._policy) as done:
                        timing.waited += done.waited
                        timing.first = timing.total()
                        has_begun = True
                        piece, stream = done.value
                        with timing.of_upstream():
                            while not isinstance(piece, Completion):
                                reply.put(piece)
                                piece = await anext(stream)
                        record.is_drained = reply.is_abandoned
                        answered = await _settled(targets, done.route, done.permit, piece, record)
                        reply.put(answered)
        except Exception as error:  # noqa: BLE001 - whoever reads the queue raises it
            reply.put(StreamBrokenError(error) if has_begun else error)

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

    async def _pieces(
        self, first: Piece | Answered, reply: _StreamedReply, task: asyncio.Task[None]
    ) -> AsyncIterator[Piece | Answered]:
        try:
            piece: Piece | Answered | Exception = first
            while not isinstance(piece, Answered):
                if isinstance(piece, Exception):
                    raise piece
                yield piece
                piece = await reply.pieces.get()
            yield piece
        finally:
            if not task.done():
                reply.is_abandoned = True
                asyncio.get_running_loop().call_later(self._settings.drain_seconds, task.cancel)


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


def _joined(found: Sequence[Vectors]) -> Vectors:
    """Return the vectors of several requests to one model as those of one."""
    tokens = [one.prompt_tokens for one in found if one.prompt_tokens is not None]
    configurations = dict.fromkeys(one.configuration for one in found if one.configuration is not None)
    return replace(
        found[0],
        vectors=[vector for one in found for vector in one.vectors],
        prompt_tokens=sum(tokens) if len(tokens) == len(found) else None,
        configuration="; ".join(configurations) or None,
    )


async def _vectors(model: Opened, inputs: Sequence[str], dimensions: int | None) -> Vectors:
    assert model.embedding is not None  # noqa: S101 - as it was found
    if isinstance(model.embedding, SizedEmbeddingModel):
        return await model.embedding.embed_sized(inputs, dimensions)
    return await model.embedding.embed(inputs)


def _is_open_to(model: Opened, caller: Caller) -> bool:
    teams = model.entry.teams
    return caller.may_use(model.id) and (not teams or caller.team == SERVICE or caller.team in teams)


def _fit_for(caller: Caller, models: dict[str, Opened]) -> list[str]:
    return sorted(name for name, model in models.items() if caller.purpose in model.purposes)


def _unsupported(model: Opened, name: str, value: object) -> UnsupportedError:
    return UnsupportedError(name, value, f"is not a parameter that {model.id} takes", "leave it out")


def _check_parameters(model: Opened, request: ChatRequest) -> None:
    """Check that the model honours every field of the request.

    Raises: UnsupportedError: it names the first it does not.
    """
    for name in sorted(CHAT_PARAMETERS - model.parameters):
        value = getattr(request, name)
        if value is not None and not (name == "n" and value == 1) and not isinstance(value, PlainText):
            raise _unsupported(model, name, value)
    if "image" in model.modalities:
        return
    for at, message in enumerate(request.messages):
        parts = [] if isinstance(message.content, str) else message.content
        for place, part in enumerate(parts):
            if isinstance(part, ImagePart):
                problem = f"is a picture, which {model.id} can't see"
                raise UnsupportedError(f"messages[{at}].content[{place}]", "image_url", problem, "send text")


def _check_number(model: Opened, found: int, most: int | None, where: str) -> None:
    if most is not None and found > most:
        problem = "show too many pictures"
        raise refuse(422, where, found, problem, f"send at most {most} a request to {model.id}")


def _check_inputs(model: Opened, inputs: Sequence[str]) -> None:
    """Check that the model can embed the inputs. Raises: UnsupportedError: it names the first it can't."""
    if not 1 <= len(inputs) <= MOST_INPUTS:
        raise refuse(422, "input", len(inputs), "is a wrong number of inputs", f"send 1 to {MOST_INPUTS}")
    for at, one in enumerate(inputs):
        kind = "image" if one.startswith(PICTURE) else "text"
        if kind not in model.modalities:
            problem = f"is {'a picture' if kind == 'image' else 'no picture'}, which {model.id} can't embed"
            remedy = f"send {' or '.join(sorted(model.modalities))}"
            raise UnsupportedError(f"input[{at}]", one[:60], problem, remedy)


def _output_cap(model: Opened, request: ChatRequest) -> int | None:
    """Return the output cap that is sent: what was asked for, or the model's own.

    Raises:
        ProblemError: 422, two different ones are asked for, or more than the model writes.
    """
    given, other = request.max_completion_tokens, request.max_tokens
    if given is not None and other is not None and given != other:
        problem = f"differs from max_completion_tokens, which is {given}"
        raise refuse(422, "max_tokens", other, problem, "send one of the two")
    asked = request.output_cap()
    most = model.entry.output_cap
    if asked is not None and most is not None and asked > most:
        name = "max_tokens" if given is None else "max_completion_tokens"
        raise refuse(422, name, asked, f"is more than {model.id} writes", f"send at most {most}")
    return most if asked is None else asked


def _chat_estimate(model: Opened, request: ChatRequest, pictures: int) -> Estimate:
    """Return the most that a call can take: a byte-level tokenizer reaches a token a byte."""
    text = 0
    for message in request.messages:
        parts = [TextPart(text=message.content)] if isinstance(message.content, str) else message.content
        text += TOKENS_A_MESSAGE + len((message.refusal or "").encode())
        text += sum(len(part.text.encode()) for part in parts if isinstance(part, TextPart))
    if request.response_format is not None:
        text += len(msgspec.json.encode(request.response_format))
    output = (request.output_cap() or 0) * (request.n or 1)
    return Estimate(input_tokens=text + pictures * (model.entry.pictures.tokens or 0), output_tokens=output)


def _call(caller: Caller, model: Opened, estimate: Estimate) -> Call:
    return Call(
        team=caller.team,
        token=caller.token,
        model=model.id,
        upstream=model.upstream,
        estimate=estimate,
        price=model.price,
        budgets=caller.budgets,
    )


async def _settled(
    targets: Mapping[str, Target], route: Call, permit: Permit, completion: Completion, record: CallRecord
) -> Answered:
    """Book the cost of a completion, and return its measurements."""
    settled = await permit.settle(_usage(completion))
    measured = _measured(targets[route.model], completion, record.attempts)
    tokens = (completion.prompt_tokens, completion.completion_tokens)
    stops = [choice.stop.kind for choice in completion.choices()]
    record.answered(measured, tokens, None if route.price is None else settled, stops)
    return Answered(completion=completion, measured=measured)


def _usage(completion: Completion) -> Usage | None:
    if completion.prompt_tokens is None and completion.completion_tokens is None:
        return None
    return Usage(
        input_tokens=completion.prompt_tokens,
        output_tokens=completion.completion_tokens,
        cached_input_tokens=completion.cached_tokens or 0,
    )


def _measured(target: Target, completion: Completion, number: int) -> Measured:
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

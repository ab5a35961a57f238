"""The one way that every call goes: who may ask for what, what the model can do, the gates, the attempts, the reply.

In order: the checks of a request, the attempts at an upstream, the three kinds of calls (chat, stream, embeddings).
Routes call nothing else, so none passes a gate by.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from inference_gateway.access import SERVICE, Caller
from inference_gateway.gates import Call, Estimate, Failure, Gates, Permit, Reason, Refused, UpstreamError, Usage
from inference_gateway.pictures import Prepared, check_input, prepare
from inference_gateway.providers import (
    CHAT_PARAMETERS,
    CheckingModel,
    Completion,
    Piece,
    ProviderError,
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
    ImagePart,
    Measured,
    PlainText,
    SentPicture,
    TextPart,
)
from tetrad.server.problems import refuse

T = TypeVar("T")
MOST_INPUTS = 256  # of one embedding request
TOKENS_A_MESSAGE = 16  # of a chat template around each message: role, separators
FIRST_PAUSE = 0.5
PICTURE = "data:"
log = logging.getLogger(__name__)


@dataclass
class Timing:
    """Where the time of a call went, in seconds: what is neither upstream's nor waiting is ours."""

    begun: float = field(default_factory=time.perf_counter)
    upstream: float = 0.0
    waited: float = 0.0

    def overhead(self) -> float:
        """Return the seconds that the gateway itself took so far."""
        return max(0.0, time.perf_counter() - self.begun - self.upstream - self.waited)


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model that may answer, and the request as it gets it."""

    model: Opened
    call: Call
    request: ChatRequest | None = None
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


class StreamBrokenError(Exception):
    """A reply that had begun can't go on: nothing is tried again after the first piece."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Calls:
    """Answers calls with the models of the registry that is served now."""

    def __init__(self, live: LiveRegistry, gates: Gates, settings: GatewaySettings) -> None:
        self._live, self._gates, self._settings = live, gates, settings
        self._draining: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End the replies that are still read on after their callers went away."""
        for task in self._draining:
            task.cancel()
        await asyncio.gather(*self._draining, return_exceptions=True)

    def models(self, caller: Caller) -> list[Opened]:
        """Return the models that a caller may use."""
        return [model for model in self._live.now.all() if _is_open_to(model, caller)]

    async def chat(self, caller: Caller, request: ChatRequest, timing: Timing) -> Answered:
        """Answer a conversation in one piece."""
        targets = await self._chat_targets(caller, request)

        async def ask(target: Target, permit: Permit, number: int) -> Answered:
            assert target.model.chat is not None and target.request is not None  # noqa: S101, PT018 - as it was found
            begun = time.perf_counter()
            try:
                completion = await target.model.chat.chat(target.request)
            finally:
                timing.upstream += time.perf_counter() - begun
            await permit.settle(_usage(completion))
            return Answered(completion=completion, measured=_measured(target, completion, number))

        return await self._attempted(caller, targets, timing, ask)

    async def stream(self, caller: Caller, request: ChatRequest, timing: Timing) -> AsyncIterator[Piece | Answered]:
        """Answer a conversation piece by piece, and last say what was measured.

        It returns once the first piece is there, so that errors before it are answers with a status. StreamBrokenError
        is raised by the iterator. When the iterator is closed early, the reply is read on for its usage.
        """
        targets = await self._chat_targets(caller, request)
        pieces: asyncio.Queue[Piece | Answered | Exception] = asyncio.Queue()
        task = asyncio.create_task(self._pump(caller, targets, timing, pieces))
        self._draining.add(task)
        task.add_done_callback(self._draining.discard)
        first = await pieces.get()
        if isinstance(first, Exception):
            raise first.error if isinstance(first, StreamBrokenError) else first
        return self._pieces(first, pieces, task)

    async def embed(self, caller: Caller, request: EmbeddingRequest, timing: Timing) -> Embedded:
        """Embed one input or several."""
        model = self._found(caller, request.model, "embedding")
        inputs = [request.input] if isinstance(request.input, str) else request.input
        estimate = await self._checked_inputs(model, inputs)
        if request.dimensions is not None and not isinstance(model.embedding, SizedEmbeddingModel):
            raise _unsupported(model, "dimensions", request.dimensions)
        target = Target(model=model, call=_call(caller, model, estimate))

        async def ask(target: Target, permit: Permit, number: int) -> Embedded:
            begun = time.perf_counter()
            try:
                vectors = await _vectors(target.model, inputs, request.dimensions)
            finally:
                timing.upstream += time.perf_counter() - begun
            reported = vectors.prompt_tokens
            await permit.settle(None if reported is None else Usage(input_tokens=reported, output_tokens=0))
            measured = Measured(
                provider=target.model.entry.provider,
                model=vectors.model or target.model.id,
                configuration=vectors.configuration,
                parameters=dict(vectors.parameters),
                served_by=target.model.id,
                attempts=number,
            )
            return Embedded(vectors=vectors, measured=measured)

        return await self._attempted(caller, [target], timing, ask)

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

    async def _chat_targets(self, caller: Caller, request: ChatRequest) -> list[Target]:
        model = self._found(caller, request.model, "chat")
        if request.stream_options is not None and not request.stream:
            raise refuse(422, "stream_options", None, "is given without stream", "send stream: true, or leave it out")
        others = [
            one
            for one in self._live.now.fallbacks(model, caller.purpose)
            if _is_open_to(one, caller) and caller.purpose in one.purposes
        ]
        return [await self._chat_target(caller, one, request) for one in [model, *others]]

    async def _chat_target(self, caller: Caller, model: Opened, request: ChatRequest) -> Target:
        _check_parameters(model, request)
        cap = _output_cap(model, request)
        prepared = await prepare(request.messages, model.entry.pictures, largest_pixels=self._settings.picture_pixels)
        sent = msgspec.structs.replace(
            request,
            messages=prepared.messages,
            max_tokens=None,
            max_completion_tokens=cap,
            response_format=None if isinstance(request.response_format, PlainText) else request.response_format,
        )
        if isinstance(model.chat, CheckingModel):
            model.chat.check(sent)
        estimate = _chat_estimate(model, sent, prepared)
        return Target(
            model=model,
            call=_call(caller, model, estimate, prepared.decoded_bytes),
            request=sent,
            pictures=prepared.pictures,
        )

    async def _checked_inputs(self, model: Opened, inputs: Sequence[str]) -> Estimate:
        if not 1 <= len(inputs) <= MOST_INPUTS:
            raise refuse(422, "input", len(inputs), "is no fitting number of inputs", f"send 1 to {MOST_INPUTS}")
        tokens = 0
        for at, one in enumerate(inputs):
            kind = "image" if one.startswith(PICTURE) else "text"
            if kind not in model.modalities:
                problem = f"is {'a picture' if kind == 'image' else 'no picture'}, which {model.id} can't embed"
                remedy = f"send {' or '.join(sorted(model.modalities))}"
                raise UnsupportedError(f"input[{at}]", one[:60], problem, remedy)
            if kind == "image":
                pixels = self._settings.picture_pixels
                await asyncio.to_thread(check_input, one, f"input[{at}]", largest_pixels=pixels)
                tokens += model.entry.pictures.tokens or 0
            else:
                tokens += len(one.encode())
        return Estimate(input_tokens=tokens, output_tokens=0)

    async def _attempted(
        self,
        caller: Caller,
        targets: Sequence[Target],
        timing: Timing,
        ask: Callable[[Target, Permit, int], Awaitable[T]],
    ) -> T:
        """Try the targets in turn, with pauses after each round, until one answers or the attempts are spent."""
        waits = 0.0
        for number in range(1, self._settings.attempts + 1):
            target = targets[(number - 1) % len(targets)]
            is_last = number == self._settings.attempts
            try:
                return await self._once(target, number, timing, ask)
            except (UpstreamError, Refused) as error:
                _log_failure(caller, target, number, error)
                has_others = number < len(targets)
                if is_last or not _is_worth_more(error, has_others=has_others):
                    raise
                if has_others:
                    continue
                pause = _pause(number - len(targets) + 1, error)
                if waits + pause > self._settings.wait_seconds:
                    raise
            waits += pause
            log.info("waiting before another attempt", extra={"model": target.model.id, "seconds": round(pause, 3)})
            timing.waited += pause
            await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def _once(
        self, target: Target, number: int, timing: Timing, ask: Callable[[Target, Permit, int], Awaitable[T]]
    ) -> T:
        async with self._gates.admitted(replace(target.call, attempt=number)) as permit:
            timing.waited += permit.waited
            await permit.sent()
            return await ask(target, permit, number)

    async def _pump(
        self,
        caller: Caller,
        targets: Sequence[Target],
        timing: Timing,
        pieces: asyncio.Queue[Piece | Answered | Exception],
    ) -> None:
        """Read a reply to its end, into the queue: in a task of its own, so that usage is known whoever goes away."""

        async def ask(target: Target, permit: Permit, number: int) -> None:
            has_begun = False
            begun = time.perf_counter()
            try:
                async for piece in _stream_of(target):
                    if isinstance(piece, Completion):
                        await permit.settle(_usage(piece))
                        pieces.put_nowait(Answered(completion=piece, measured=_measured(target, piece, number)))
                        return
                    has_begun = True
                    pieces.put_nowait(piece)
                raise ProviderError("cut", code="no-end")
            except UpstreamError as error:
                if not has_begun:
                    raise
                await permit.fail(error)
                raise StreamBrokenError(error) from None
            finally:
                timing.upstream += time.perf_counter() - begun

        try:
            await self._attempted(caller, targets, timing, ask)
        except Exception as error:  # noqa: BLE001 - whoever reads the queue raises it
            pieces.put_nowait(error)

    async def _pieces(
        self, first: Piece | Answered, pieces: asyncio.Queue[Piece | Answered | Exception], task: asyncio.Task[None]
    ) -> AsyncIterator[Piece | Answered]:
        try:
            piece: Piece | Answered | Exception = first
            while not isinstance(piece, Answered):
                if isinstance(piece, Exception):
                    raise piece
                yield piece
                piece = await pieces.get()
            yield piece
        finally:
            if not task.done():
                asyncio.get_running_loop().call_later(self._settings.drain_seconds, task.cancel)


async def _stream_of(target: Target) -> AsyncIterator[Piece | Completion]:
    """Yield the pieces of a reply; of a model that can't stream, its choices as one piece each."""
    assert target.model.chat is not None and target.request is not None  # noqa: S101, PT018 - as it was found
    if isinstance(target.model.chat, StreamingModel):
        async for piece in target.model.chat.stream(target.request):
            yield piece
        return
    completion = await target.model.chat.chat(target.request)
    for index, choice in enumerate(completion.choices()):
        if choice.text:
            yield Piece(index=index, text=choice.text)
    yield completion


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
    return UnsupportedError(name, value, f"is nothing that {model.id} can be told", "leave it out")


def _check_parameters(model: Opened, request: ChatRequest) -> None:
    """Make sure that the model honours all that the request brings: UnsupportedError names what it does not."""
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


def _chat_estimate(model: Opened, request: ChatRequest, prepared: Prepared) -> Estimate:
    """Return the most that a call can take: a byte-level tokenizer reaches a token a byte."""
    text = 0
    for message in request.messages:
        parts = [TextPart(text=message.content)] if isinstance(message.content, str) else message.content
        text += TOKENS_A_MESSAGE + len((message.refusal or "").encode())
        text += sum(len(part.text.encode()) for part in parts if isinstance(part, TextPart))
    if request.response_format is not None:
        text += len(msgspec.json.encode(request.response_format))
    pictures = len(prepared.pictures) * (model.entry.pictures.tokens or 0)
    output = (request.output_cap() or 0) * (request.n or 1)
    return Estimate(input_tokens=text + pictures, output_tokens=output)


def _call(caller: Caller, model: Opened, estimate: Estimate, picture_bytes: int = 0) -> Call:
    return Call(
        team=caller.team,
        token=caller.token,
        model=model.id,
        upstream=model.upstream,
        estimate=estimate,
        price=model.price,
        budgets=caller.budgets,
        picture_bytes=picture_bytes,
    )


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


def _is_worth_more(error: UpstreamError | Refused, *, has_others: bool) -> bool:
    """Whether another attempt may go better: at another address, or at the same one after a pause.

    A call that timed out is not made again at the same address: it is billed, and would take as long again.
    """
    if isinstance(error, Refused):
        return has_others and error.reason in {Reason.BREAKER, Reason.IDENTICAL_ERRORS, Reason.BUSY, Reason.RATE}
    if error.failure is Failure.REJECTED:
        return False
    return has_others or error.failure is not Failure.TIMEOUT


def _pause(round_: int, error: UpstreamError | Refused) -> float:
    """Return the seconds before the next round: doubling with jitter, or as long as the upstream says."""
    jitter = 1 + secrets.randbelow(250) / 1000
    return float(max(FIRST_PAUSE * 2 ** (round_ - 1) * jitter, error.retry_after or 0.0))


def _log_failure(caller: Caller, target: Target, number: int, error: UpstreamError | Refused) -> None:
    told = error.detail if isinstance(error, UpstreamError) else str(error.reason)
    extra = {"model": target.model.id, "team": caller.team, "attempt": number, "failure": told}
    log.warning("an attempt failed", extra=extra)

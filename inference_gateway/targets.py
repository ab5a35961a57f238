"""The models that may answer a call, and the request as each of them gets it.

In order: the models that a caller may use; the targets of a chat and of an embedding; the checks of a request: rights,
abilities, pictures, output cap, and the most that a call can take.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec

from inference_gateway.access import SERVICE, Caller
from inference_gateway.call_records import CallRecord
from inference_gateway.gates import Call, Estimate, Reason, Refused
from inference_gateway.gates.pictures import PictureBudget
from inference_gateway.opened_models import Opened
from inference_gateway.pictures import Fitting, Seen, Shown, find_pictures, normal_address, see, with_pictures
from inference_gateway.providers import CHAT_PARAMETERS, CheckingModel, SizedEmbeddingModel, UnsupportedError
from inference_gateway.registry import LiveRegistry, UnknownModelError
from inference_gateway.settings import GatewaySettings
from tetrad.contracts.inference import (
    ChatRequest,
    EmbeddingRequest,
    ImageAddress,
    ImagePart,
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


class Targets:
    """Finds the targets of calls among the models of the registry that is served now."""

    def __init__(self, live: LiveRegistry, pictures: PictureBudget, settings: GatewaySettings) -> None:
        self._live, self._pictures, self._settings = live, pictures, settings
        self._fitting = Fitting()

    @property
    def registry(self) -> str:
        """Return the digest of the registry that is served now."""
        return self._live.now.digest

    def models(self, caller: Caller) -> dict[str, Opened]:
        """Return the models that a caller may use, by id."""
        return {model.id: model for model in self._live.now.all() if _is_open_to(model, caller)}

    def model(self, caller: Caller, name: str) -> Opened:
        """Return a model that a caller may use. Raises: UnknownModelError: there is none of this id."""
        models = self.models(caller)
        if name not in models:
            raise UnknownModelError(name, "chat or embedding", sorted(models))
        return models[name]

    def may_use(self, caller: Caller, request: ChatRequest | EmbeddingRequest) -> bool:
        """Say whether a call of the caller would be let through to the model."""
        model = self.models(caller).get(request.model)
        return model is not None and caller.purpose in model.purposes and _is_affordable(model, caller)

    @asynccontextmanager
    async def chat(self, caller: Caller, request: ChatRequest, record: CallRecord) -> AsyncIterator[dict[str, Target]]:
        """Give the models that may answer, by id: the model itself first, then its fallbacks.

        Their pictures are counted during the block.
        """
        model = self._find(caller, request.model, "chat")
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
        shown = find_pictures(request.messages)
        _check_number(model, len(shown), MOST_PICTURES, "messages")
        async with self._see(shown, record) as seen:
            targets = {model.id: await self._chat_target(caller, model, request, seen)}
            for other in self._others(caller, model):
                try:
                    _check_parameters(other, request)
                    targets[other.id] = await self._chat_target(caller, other, request, seen)
                except (UnsupportedError, PictureError, ProblemError):
                    continue  # a fallback that can't answer this request, which the model itself can
            yield targets

    def _others(self, caller: Caller, model: Opened) -> list[Opened]:
        """Return the models that may answer in a model's place."""
        found = self._live.now.fallbacks(model, caller.purpose)
        return [
            other
            for other in found
            if _is_open_to(other, caller) and caller.purpose in other.purposes and _is_affordable(other, caller)
        ]

    @asynccontextmanager
    async def _see(
        self, shown: Sequence[Shown], record: CallRecord, *, is_held: bool = False
    ) -> AsyncIterator[list[Seen]]:
        """Read the pictures' headers, and reserve their decoded bytes during the block, unless they are held."""
        record.pictures = len(shown)
        seen = await see(shown, largest_pixels=self._settings.picture_pixels)
        size = 0 if is_held else sum(picture.decoded_bytes for picture in seen)
        holding = self._pictures.hold(size, patience=self._settings.wait_seconds)
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
            call=_call(caller, model, _chat_estimate(model, sent, len(fitted)), inputs=1, choices=sent.n or 1),
            request=sent,
            pictures=[picture.sent for picture in fitted],
        )

    @asynccontextmanager
    async def embedding(
        self, caller: Caller, request: EmbeddingRequest, record: CallRecord, *, is_held: bool
    ) -> AsyncIterator[dict[str, Target]]:
        """Give the models that may embed, by id: the model, then the same release at other addresses.

        This holds for every purpose, because vectors of two different models can't be compared.
        """
        model = self._find(caller, request.model, "embedding")
        record.provider = model.entry.provider
        inputs = [request.input] if isinstance(request.input, str) else request.input
        _check_inputs(model, inputs)
        if request.dimensions is not None and not isinstance(model.embedding, SizedEmbeddingModel):
            raise _refuse_parameter(model, "dimensions", request.dimensions)
        shown = [
            Shown(f"input[{at}]", normal_address(ImageAddress(url=content)))
            for at, content in enumerate(inputs)
            if content.startswith(PICTURE)
        ]
        _check_number(model, len(shown), model.entry.pictures.most, "input")
        async with self._see(shown, record, is_held=is_held) as seen:
            targets = {model.id: await self._embedding_target(caller, model, inputs, seen)}
            for other in self._others(caller, model):
                is_like = other.modalities >= model.modalities
                is_sized = request.dimensions is None or isinstance(other.embedding, SizedEmbeddingModel)
                if other.release == model.release and is_like and is_sized:
                    targets[other.id] = await self._embedding_target(caller, other, inputs, seen)
            yield targets

    async def _embedding_target(
        self, caller: Caller, model: Opened, inputs: Sequence[str], seen: Sequence[Seen]
    ) -> Target:
        bounds = model.entry.pictures
        fitted = await self._fitting.fit(seen, bounds, largest_pixels=self._settings.picture_pixels)
        left = iter(fitted)
        sent = [next(left).address.url if content.startswith(PICTURE) else content for content in inputs]
        tokens = len(fitted) * (bounds.tokens or 0)
        tokens += sum(len(content.encode()) for content in inputs if not content.startswith(PICTURE))
        return Target(
            model=model,
            call=_call(caller, model, Estimate(input_tokens=tokens, output_tokens=0), inputs=len(inputs), choices=0),
            inputs=sent,
            pictures=[picture.sent for picture in fitted],
        )

    def _find(self, caller: Caller, name: str, kind: str) -> Opened:
        """Return a model that the caller may use for its purpose.

        Raises:
            UnknownModelError: there is none of this kind, as far as the caller may see.
            ProblemError: 403, the token is for other models, or its purpose not for this provider.
            Refused: the model costs money, and the token has no budget.
        """
        visible = {name: model for name, model in self.models(caller).items() if model.entry.kind == kind}
        model = visible.get(name)
        if model is None:
            raise UnknownModelError(name, kind, sorted(visible))
        if caller.purpose not in model.purposes:
            problem = f"can't be used for {caller.purpose} calls: its provider may train on what it is sent"
            remedy = f"use one of {', '.join(_fit_for(caller, visible)) or 'none'}, or a token for practice"
            raise refuse(403, "model", name, problem, remedy)
        if not _is_affordable(model, caller):
            remedy = "ask the operator for one with a budget (`tetrad admin gateway-token make --budget`), or use "
            remedy += ", ".join(sorted(free for free, other in visible.items() if other.price is None)) or "no model"
            problem = "is not in this token, and calls of this model cost money"
            raise Refused(Reason.BUDGET, "budget", model.id, problem=problem, remedy=remedy)
        return model


def _is_open_to(model: Opened, caller: Caller) -> bool:
    teams = model.entry.teams
    return caller.may_use(model.id) and (not teams or caller.team == SERVICE or caller.team in teams)


def _is_affordable(model: Opened, caller: Caller) -> bool:
    return model.price is None or caller.may_spend


def _fit_for(caller: Caller, models: dict[str, Opened]) -> list[str]:
    return sorted(name for name, model in models.items() if caller.purpose in model.purposes)


def _refuse_parameter(model: Opened, name: str, value: object) -> UnsupportedError:
    return UnsupportedError(name, value, f"is not a parameter that {model.id} takes", "leave it out")


def _check_parameters(model: Opened, request: ChatRequest) -> None:
    """Check that the model honours every field of the request.

    Raises: UnsupportedError: it names the first it does not.
    """
    for name in sorted(CHAT_PARAMETERS - model.parameters):
        value = getattr(request, name)
        if value is not None and not (name == "n" and value == 1) and not isinstance(value, PlainText):
            raise _refuse_parameter(model, name, value)
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
    for at, content in enumerate(inputs):
        kind = "image" if content.startswith(PICTURE) else "text"
        if kind not in model.modalities:
            problem = f"is {'a picture' if kind == 'image' else 'no picture'}, which {model.id} can't embed"
            remedy = f"send {' or '.join(sorted(model.modalities))}"
            raise UnsupportedError(f"input[{at}]", content[:60], problem, remedy)


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


def _call(caller: Caller, model: Opened, estimate: Estimate, *, inputs: int, choices: int) -> Call:
    """Return the call as the gates see it. Each input, and each choice of a reply, fits the model's context."""
    context = model.entry.context
    return Call(
        team=caller.team,
        token=caller.token,
        model=model.id,
        upstream=model.upstream,
        estimate=estimate,
        price=model.price,
        budgets=caller.budgets,
        capacity=None if context is None else Estimate(input_tokens=context * inputs, output_tokens=context * choices),
    )

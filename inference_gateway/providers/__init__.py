"""The interface of providers, who run models. Each has one module, the only importer of its library.

A provider opens a model of the registry and answers one attempt at a time: it knows no limits, budgets or retries,
which belong to the gates. It turns a ChatRequest into its own wire form and back, and maps errors, usage and stop
reasons. Nothing here assumes that a reply comes within one HTTP exchange: a batch interface is a further Protocol
beside ChatModel, over the same requests and completions.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from inference_gateway.gates import Failure, UpstreamError
from tetrad.chat_replies import WITHOUT_TEXT
from tetrad.contracts.inference import ChatRequest, Stop, StopKind

FinishReason: TypeAlias = Literal["stop", "length", "content_filter"]

FINISH_REASONS: Mapping[StopKind, FinishReason] = {
    "complete": "stop",
    "length": "length",
    "length-before-text": "length",
    "empty": "stop",
    "refused": "stop",
    "blocked": "content_filter",
    "cut": "length",
    "unknown": "length",
}
"""OpenAI's reason for each of ours. A refusal is `stop` there, with its text in `message.refusal`.

That API has no reason for a reply that was cut, or that may have been: `length` stands for it. `stop` would call it
whole.
"""

CHAT_PARAMETERS = frozenset(
    {
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
        "response_format",
        "reasoning_effort",
        "n",
    }
)
"""Fields of a ChatRequest that a model may be unable to honour."""


class OptionsError(Exception):
    """A registry entry has wrong options for its provider; the message, or `option`, names it, and says the remedy."""

    def __init__(self, problem: str, option: str = "") -> None:
        super().__init__(problem)
        self.option = option


class UnsupportedError(Exception):
    """A model can't do what a request asks for: `field` and `value` of the request, and what to do instead."""

    def __init__(self, field: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{field}: {problem}; {remedy}")
        self.field = field
        self.value = value
        self.problem = problem
        self.remedy = remedy


ErrorKind: TypeAlias = Literal[
    "rate-limited",
    "overloaded",
    "unavailable",
    "timeout",
    "request",
    "too-large",
    "credentials",
    "unknown-model",
    "garbled",
    "oversized",
    "redirected",
    "cut",
]
_FAILURES: Mapping[ErrorKind, Failure] = {
    "rate-limited": Failure.RATE_LIMITED,
    "overloaded": Failure.SERVER,
    "unavailable": Failure.CONNECTION,
    "timeout": Failure.TIMEOUT,
    "request": Failure.REJECTED,
    "too-large": Failure.REJECTED,
    "credentials": Failure.REJECTED,
    "unknown-model": Failure.REJECTED,
    "garbled": Failure.SERVER,
    "oversized": Failure.REJECTED,
    "redirected": Failure.REJECTED,
    "cut": Failure.CONNECTION,
}
_BILLED: frozenset[ErrorKind] = frozenset({"timeout", "cut", "garbled", "oversized"})


class ProviderError(UpstreamError):
    """An attempt at an upstream failed. Built from our own fields, so that it holds no address and no secret.

    `status` and `code` are the upstream's own. `words`: the upstream's message about a request that it refuses. It may
    repeat parts of the request, so it goes to the caller and never to a log.
    """

    def __init__(
        self,
        kind: ErrorKind,
        *,
        status: int | None = None,
        code: str = "",
        words: str = "",
        retry_after: float | None = None,
        billed: bool | None = None,
        once_more: bool = False,
    ) -> None:
        detail = " ".join(part for part in (kind, str(status or ""), code) if part)
        failure = Failure.SERVER if kind == "unavailable" and status else _FAILURES[kind]
        is_billed = kind in _BILLED if billed is None else billed
        once_more = once_more or kind == "garbled"  # each attempt is billed, and such a server seldom changes
        super().__init__(failure, detail, retry_after=retry_after, billed=is_billed, once_more=once_more)
        self.kind = kind
        self.status = status
        self.code = code
        self.words = words


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One reply of several. `refusal`: the model's refusal, if it is separate from the text.

    `thought`: what a reasoning model wrote before its reply, if its provider shows it. It is never read as an answer.
    """

    text: str
    stop: Stop
    refusal: str | None = None
    thought: str | None = None

    @property
    def finish_reason(self) -> FinishReason:
        """Return OpenAI's reason for the end. A refusal is `stop` where the refusal is all that there is to read."""
        is_told = self.refusal is not None and not self.text.strip()
        return "content_filter" if self.stop.kind == "refused" and not is_told else FINISH_REASONS[self.stop.kind]


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The reply of a model, and its usage in the provider's tokens; None is "not reported", 0 is none.

    Without `stop` the reply ended as `finish_reason` says. `further` are choices after the first. `model`,
    `fingerprint` and `configuration` are the provider's own statements, and `parameters` are the fields sent to it
    beside messages. `is_seed_honoured`: equal seeds are known to give equal replies.
    """

    text: str
    finish_reason: FinishReason = "stop"
    prompt_tokens: int | None
    completion_tokens: int | None
    stop: Stop | None = None
    refusal: str | None = None
    thought: str | None = None
    further: Sequence[Choice] = ()
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    model: str = ""
    fingerprint: str | None = None
    configuration: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    is_seed_honoured: bool = False

    def choices(self) -> list[Choice]:
        """Return every choice, in order."""
        stop = self.stop or stop_of("length" if self.finish_reason == "length" else "complete", self.text)
        first = Choice(text=self.text, stop=stop, refusal=self.refusal, thought=self.thought)
        return [first, *self.further]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of the choice `index`, as it is written; `is_refusal` is true if it belongs to a refusal."""

    index: int
    text: str
    is_refusal: bool = False


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """One vector for each input, all of one length."""

    vectors: list[list[float]]
    prompt_tokens: int | None
    model: str = ""
    configuration: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)


class ChatModel(Protocol):
    async def chat(self, request: ChatRequest) -> Completion:
        """Answer; PictureError for a picture that can't be used, UnsupportedError, ProviderError."""
        ...


@runtime_checkable
class StreamingModel(Protocol):
    """A chat model that can stream a reply. The replies of others are streamed in one piece."""

    def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        """Yield pieces, and last a Completion with all texts; ProviderError of kind `cut` if the end is missing."""
        ...


@runtime_checkable
class CheckingModel(Protocol):
    """A chat model that checks a request before anything is reserved for it."""

    def check(self, request: ChatRequest) -> None:
        """Check that the model can answer this request. Raises: UnsupportedError: it can't."""
        ...


@runtime_checkable
class DescribedModel(Protocol):
    """A model that declares its own modalities and parameters, because the models of its provider differ."""

    @property
    def modalities(self) -> frozenset[str]:
        """Return what it takes: text, image."""
        ...

    @property
    def parameters(self) -> frozenset[str]:
        """Return the fields of a chat request that it honours."""
        ...


@dataclass(frozen=True, kw_only=True)
class ModelHealth:
    """The health of a model: whether it is ready, the reason if not (`detail`), and its version (`configuration`)."""

    ready: bool
    detail: str = ""
    configuration: str | None = None


@runtime_checkable
class HealthyModel(Protocol):
    """A model whose server can be asked whether it is ready, at no cost."""

    async def health(self) -> ModelHealth:
        """Return the model's health. Raises nothing."""
        ...


class EmbeddingModel(Protocol):
    async def embed(self, inputs: Sequence[str]) -> Vectors:
        """Embed texts or data: addresses; PictureError for an input that the model can't embed."""
        ...


@runtime_checkable
class SizedEmbeddingModel(Protocol):
    """An embedding model whose vectors can be made shorter."""

    async def embed_sized(self, inputs: Sequence[str], dimensions: int | None) -> Vectors:
        """Embed, in so many dimensions where a number is given."""
        ...


Embed: TypeAlias = Callable[[Sequence[str], Sequence[str]], Awaitable[Vectors]]
"""Embeds texts or data: addresses by the model that a chat model asks: a call of the same caller through the gates.

The second list names the field of the chat's request that each input is from, for errors; it is empty for other inputs.
"""


@runtime_checkable
class AskingModel(Protocol):
    """A chat model that asks an embedding model of the same registry.

    `asked`: the id of that model. `files`: read when the model was opened; the registry is read again if one changes.
    `digest`: of what they hold.
    """

    @property
    def asked(self) -> str: ...

    @property
    def files(self) -> tuple[Path, ...]: ...

    @property
    def digest(self) -> str: ...

    async def chat_with(self, request: ChatRequest, embed: Embed) -> Completion:
        """Answer, with the help of the model that is asked; errors as ChatModel."""
        ...


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """The registry around a model that asks another one: the folder of its file, and its embedding models by id.

    Of each embedding model it holds the inputs that it takes: text, image.
    """

    folder: Path
    embedding: Mapping[str, frozenset[str]]


class Provider(Protocol):
    """Opens models by the options of their registry entries, once, at start."""

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        """Return a chat model; OptionsError where the options do not fit."""
        ...

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        """Return an embedding model; OptionsError where the options do not fit."""
        ...


def stop_of(kind: StopKind, text: str, reason: str = "") -> Stop:
    """Return the stop of a choice. A reply without visible text met its cap first, or is empty."""
    if not text.strip():
        kind = WITHOUT_TEXT.get(kind, kind)
    return Stop(kind=kind, reason=reason)

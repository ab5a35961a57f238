"""Chat completions and embeddings in OpenAI's shape, as far as this service speaks it, and what it adds to them.

Source: the public OpenAI API reference, chat/completions, embeddings and models. Requests accept only what
is honoured: a field that would be ignored is refused instead. A field that is not given is not sent on.

Replies carry two extensions: `stop` beside each choice's `finish_reason`, and `measured`, which says what was asked of
which model and what it reported.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from tetrad.contracts.wire import Request, Timestamp, Wire

StopKind: TypeAlias = Literal["complete", "length", "length-before-text", "refused", "blocked", "cut"]
"""Why a reply ended. complete: the model was done. length: it met the output cap; length-before-text: it met it before
a word was visible (reasoning took all). refused: the model declined. blocked: a filter of the provider stopped the
prompt or the reply. cut: the reply ended without a reason, so more was to come."""

Purpose: TypeAlias = Literal["practice", "sealed", "judge"]
"""What a call is for. Sealed items and judge prompts go only to providers that don't train on them."""

MOST_CHOICES = 16
LONGEST_OUTPUT = 1_000_000


class ImageAddress(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A picture as a data: address (data:image/png;base64,...)."""

    url: str
    detail: Literal["auto", "low", "high"] = "auto"


class TextPart(Request, frozen=True, kw_only=True, tag="text"):
    text: str


class ImagePart(Request, frozen=True, kw_only=True, tag="image_url"):
    image_url: ImageAddress


ContentPart: TypeAlias = TextPart | ImagePart


class Message(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A turn. `developer` is what OpenAI calls `system` of late. `refusal` comes with replies that are sent back."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[ContentPart]
    refusal: str | None = None


class PlainText(Request, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Any text: what a model writes without being told otherwise."""


class JsonObject(Request, frozen=True, kw_only=True, tag_field="type", tag="json_object"):
    """Some JSON object."""


class NamedSchema(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A JSON Schema and its name."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    schema: dict[str, Any] = {}
    description: str | None = None
    strict: bool | None = None


class JsonOfSchema(Request, frozen=True, kw_only=True, tag_field="type", tag="json_schema"):
    """JSON of this schema."""

    json_schema: NamedSchema


ResponseFormat: TypeAlias = PlainText | JsonObject | JsonOfSchema


class StreamOptions(Request, frozen=True, kw_only=True, omit_defaults=True):
    """`include_usage`: the last chunk before the end brings the usage of the whole reply."""

    include_usage: bool = False


StopTexts: TypeAlias = str | Annotated[list[str], msgspec.Meta(min_length=1, max_length=4)]


class ChatRequest(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation to be answered. None is "not given": the model's own default holds."""

    model: str
    messages: Annotated[list[Message], msgspec.Meta(min_length=1)]
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_OUTPUT)] | None = None
    max_completion_tokens: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_OUTPUT)] | None = None
    stop: StopTexts | None = None
    seed: int | None = None
    response_format: ResponseFormat | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    n: Annotated[int, msgspec.Meta(ge=1, le=MOST_CHOICES)] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: str | None = None

    def output_cap(self) -> int | None:
        """Return the most tokens that a choice may take, by whichever of the two names it was given."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens


class Stop(Wire, frozen=True, kw_only=True):
    """Why a choice ended, in our words and, as `reason`, in the provider's own; "" where it gave none."""

    kind: StopKind
    reason: str = ""


class ReplyMessage(Wire, frozen=True, kw_only=True):
    """`content` is "" where nothing was written. `refusal` is the model's own words of refusal, where it has some."""

    role: str = "assistant"
    content: str
    refusal: str | None = None


class ChatChoice(Wire, frozen=True, kw_only=True):
    """`finish_reason` is one of OpenAI's: stop, length, content_filter."""

    index: int
    message: ReplyMessage
    finish_reason: str
    stop: Stop | None = None


class PromptDetails(Wire, frozen=True, kw_only=True):
    cached_tokens: int | None = None


class CompletionDetails(Wire, frozen=True, kw_only=True):
    reasoning_tokens: int | None = None


class Usage(Wire, frozen=True, kw_only=True):
    """Tokens in the provider's own count. `completion_tokens` holds the reasoning tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None


class SentPicture(Wire, frozen=True, kw_only=True):
    """A picture as the model got it. `resized`: it came larger than the model takes."""

    width: int
    height: int
    bytes: int
    detail: str
    resized: bool = False


class Measured(Wire, frozen=True, kw_only=True):
    """What was measured: which model answered, and what it was sent.

    `model` and `fingerprint` are the provider's own words. `configuration`: the version or the digest of a model that
    this deployment runs. `parameters`: all that was sent beside messages. `seed`: sent or not-given;
    honoured where equal seeds are known to give equal replies. `served_by`: the id in the registry whose address
    answered, another than the one asked for after a fallback. `attempts`: calls of the provider, the last one included.
    """

    provider: str
    model: str
    fingerprint: str | None = None
    configuration: str | None = None
    parameters: dict[str, Any] = {}
    seed: Literal["honoured", "sent", "not-given"] = "not-given"
    pictures: list[SentPicture] = []
    served_by: str = ""
    attempts: int = 1


class ChatReply(Wire, frozen=True, kw_only=True):
    """`usage` is null where the provider said nothing of it."""

    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: Usage | None = None
    system_fingerprint: str | None = None
    measured: Measured | None = None


class ChunkDelta(Wire, frozen=True, kw_only=True, omit_defaults=True):
    role: str | None = None
    content: str | None = None
    refusal: str | None = None


class ChunkChoice(Wire, frozen=True, kw_only=True):
    index: int
    delta: ChunkDelta
    finish_reason: str | None = None
    stop: Stop | None = None


class ChatChunk(Wire, frozen=True, kw_only=True):
    """A part of a streamed reply. The last one has no choices, and the usage where it was asked for."""

    id: str
    object: str = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | None = None
    system_fingerprint: str | None = None
    measured: Measured | None = None


class EmbeddingRequest(Request, frozen=True, kw_only=True, omit_defaults=True):
    """`input` is one text or picture (a data: address), or several. base64 is of little-endian 32-bit floats."""

    model: str
    input: str | list[str]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=65536)] | None = None
    user: str | None = None


class Embedding(Wire, frozen=True, kw_only=True):
    object: str = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(Wire, frozen=True, kw_only=True):
    prompt_tokens: int
    total_tokens: int


class EmbeddingReply(Wire, frozen=True, kw_only=True):
    object: str = "list"
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage | None
    measured: Measured | None = None


class ModelCapabilities(Wire, frozen=True, kw_only=True):
    """`parameters`: those of a request that the model honours, by name; another one is refused."""

    modalities: list[str]
    streaming: bool
    parameters: list[str]


class PictureLimits(Wire, frozen=True, kw_only=True):
    """What a model takes; None is no bound of the model's own. A picture with longer sides is made smaller."""

    most: int | None = None
    bytes: int | None = None
    side: int | None = None
    detail: Literal["auto", "low", "high"] | None = None


class ModelPrice(Wire, frozen=True, kw_only=True):
    """Of a million tokens, in `currency`. `source` says who gave the price, `date` as of when."""

    input: float
    output: float = 0.0
    cached_input: float | None = None
    currency: str = "USD"
    source: str
    date: str


class ModelLimits(Wire, frozen=True, kw_only=True):
    """Bounds of the model, and of what this gateway asks of it; None is no bound."""

    context: int | None = None
    output: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int | None = None
    pictures: PictureLimits | None = None


class GatewayModel(Wire, frozen=True, kw_only=True):
    """A model of the gateway. `price` is null where calls are free. `training`: whether its provider trains on calls.

    `purposes`: what calls of it may be for.
    """

    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "tetrad"
    provider: str
    kind: Literal["chat", "embedding"]
    title: str
    capabilities: ModelCapabilities | None = None
    price: ModelPrice | None = None
    limits: ModelLimits | None = None
    training: str = "unknown"
    purposes: list[str] = []


class GatewayModels(Wire, frozen=True, kw_only=True):
    object: str = "list"
    data: list[GatewayModel]


class ModelReadiness(Wire, frozen=True, kw_only=True):
    """Whether a model can be asked now; null where its provider can't be asked that. `detail` says why not."""

    id: str
    ready: bool | None
    detail: str = ""
    configuration: str | None = None


class GatewayTokenRequest(Request, frozen=True, kw_only=True):
    """A token for the gateway. No `models` are all that the team may use.

    `budget` is in micro-dollars (1,000,000 are one dollar) over the token's life; None is no bound beside the team's.
    """

    team: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    purpose: Purpose = "sealed"
    models: Annotated[list[str], msgspec.Meta(max_length=100)] = []
    budget: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    days: Annotated[float, msgspec.Meta(gt=0, le=366)] = 7.0
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


class GatewayTokenRecord(Wire, frozen=True, kw_only=True):
    """What is known of a token; the token itself is shown once."""

    id: str
    team: str
    purpose: Purpose
    models: list[str]
    budget: int | None
    created_at: Timestamp
    expires_at: Timestamp
    revoked_at: Timestamp | None = None


class NewGatewayToken(Wire, frozen=True, kw_only=True):
    """A token, shown only now, and the address that it opens; "" where the deployment names none."""

    token: str
    url: str
    about: GatewayTokenRecord


class GatewayTokenList(Wire, frozen=True, kw_only=True):
    tokens: list[GatewayTokenRecord]
    next: str | None = None


class RevokedTokens(Wire, frozen=True, kw_only=True):
    """Ids of tokens that are revoked and would not have expired yet."""

    revoked: list[str]

"""Chat completions and embeddings in OpenAI's format, as far as this service supports it, and its extensions.

Source: the public OpenAI API reference, chat/completions, embeddings and models. Requests accept only fields that are
honoured: a field that would be ignored is refused. A field that is not given is not sent on.

Replies carry two extensions. `stop` stands beside each choice's `finish_reason`. `measured` names the model, what was
sent to it, and what it reported.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from tetrad.contracts.problems import Problem
from tetrad.contracts.wire import END, LINE, Request, Timestamp, Wire

StopKind: TypeAlias = Literal[
    "complete", "length", "length-before-text", "empty", "refused", "blocked", "cut", "unknown"
]
"""The reason why a reply ended. Only a `complete` reply is surely whole.

complete: the model was done. length: it met the output cap. length-before-text: it met it before a word was visible
(reasoning took all). empty: it was done and wrote no text. refused: the model declined. blocked: a filter of the
provider stopped the prompt or the reply. cut: the reply ended without a reason or by a fault, so more was to come.
unknown: the provider gave a reason that is in no table of ours, so nobody knows whether more was to come.
"""

Purpose: TypeAlias = Literal["practice", "sealed", "judge"]
"""The purpose of a call. Sealed items and judge prompts go only to providers that don't train on them."""

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
    """A turn. `developer` is OpenAI's newer name for `system`. `refusal` is in replies that are sent back."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[ContentPart]
    refusal: str | None = None


class PlainText(Request, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Any text, as models write by default."""


class JsonObject(Request, frozen=True, kw_only=True, tag_field="type", tag="json_object"):
    """Some JSON object."""


class NamedSchema(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A JSON Schema and its name."""

    name: Annotated[str, msgspec.Meta(pattern=rf"^[A-Za-z0-9_-]{{1,64}}{END}")]
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
    """A conversation to answer. None means not given: the model's own default holds."""

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
        """Return the most tokens that a choice may take, given under either of two names."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens


class Stop(Wire, frozen=True, kw_only=True):
    """The reason why a choice ended, in our words. `reason` has the provider's own word, "" if it gave none."""

    kind: StopKind
    reason: str = ""


class ReplyMessage(Wire, frozen=True, kw_only=True):
    """`content` is "" if nothing was written. `refusal` has the model's own words of refusal, if there are any.

    `reasoning_content` is what a reasoning model thought, if its provider shows it. It is no part of the reply.
    """

    role: str = "assistant"
    content: str
    refusal: str | None = None
    reasoning_content: str | None = None


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
    """A picture as the model got it. `resized`: it came larger than the model accepts."""

    width: int
    height: int
    bytes: int
    detail: str
    resized: bool = False


class Measured(Wire, frozen=True, kw_only=True):
    """The measured facts of a reply: the model that answered, and what was sent to it.

    `model` and `fingerprint` are the provider's own words. `configuration`: the version or the digest of a model that
    this deployment runs. `parameters`: everything that was sent besides messages. `seed`: sent or not-given; honoured
    if equal seeds are known to give equal replies. `served_by`: the id in the registry whose address answered; after a
    fallback it differs from the one asked for. `attempts`: calls of the provider, the last one included.
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
    """`usage` is null if the provider did not report it."""

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
    reasoning_content: str | None = None


class ChunkChoice(Wire, frozen=True, kw_only=True):
    index: int
    delta: ChunkDelta
    finish_reason: str | None = None
    stop: Stop | None = None


class ChatChunk(Wire, frozen=True, kw_only=True):
    """A part of a streamed reply. The last one has no choices; it has the usage if that was asked for."""

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
    """`parameters`: names of the request's parameters that the model honours. Others are refused."""

    modalities: list[str]
    streaming: bool
    parameters: list[str]


class PictureLimits(Wire, frozen=True, kw_only=True):
    """The model's limits for pictures; None is no limit. A picture with longer sides is made smaller."""

    most: int | None = None
    bytes: int | None = None
    side: int | None = None
    detail: Literal["auto", "low", "high"] | None = None


class ModelPrice(Wire, frozen=True, kw_only=True):
    """The price of a million tokens in `currency`. `source` names who gave the price, `date` is its date."""

    input: float
    output: float = 0.0
    cached_input: float | None = None
    currency: str = "USD"
    source: str
    date: str


class ModelLimits(Wire, frozen=True, kw_only=True):
    """Limits of the model and of this gateway's use of it; None is no limit."""

    context: int | None = None
    output: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int | None = None
    pictures: PictureLimits | None = None


class GatewayModel(Wire, frozen=True, kw_only=True):
    """A model of the gateway. `price` is null where calls are free. `training`: whether its provider trains on calls.

    `purposes`: the purposes that calls of it may have.
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


class ShortBudget(Wire, frozen=True, kw_only=True):
    """A budget that leaves too little for a call, in nanodollars.

    spent: booked. estimated: what of it nobody has measured, such as the calls of a gateway that was killed. reserved:
    by calls in flight. needed: the most that the refused call can cost.
    """

    name: str
    limit: int
    spent: int
    estimated: int
    reserved: int
    needed: int

    @property
    def measured(self) -> int:
        """Return how much of `spent` was measured: it stays, whatever becomes of the estimates."""
        return self.spent - self.estimated

    @property
    def would_hold_the_call(self) -> bool:
        """Tell whether the call fits once the estimates and the calls in flight are gone."""
        return self.measured + self.needed <= self.limit


class BudgetProblem(Problem, frozen=True, kw_only=True):
    """A problem of the gateway. `budget` says why a call is refused with 402."""

    budget: ShortBudget | None = None


class ModelReadiness(Wire, frozen=True, kw_only=True):
    """The health of a model; `ready` is null if its provider can't be asked. `detail` says why not."""

    id: str
    ready: bool | None
    detail: str = ""
    configuration: str | None = None


class GatewayTokenRequest(Request, frozen=True, kw_only=True):
    """A token for the gateway."""

    team: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """The team, by id or name."""
    purpose: Purpose = "sealed"
    """What its calls may be for: sealed (answering submissions), practice or judge. Sealed items and judge prompts go
    only to providers that don't train on them.
    """
    models: Annotated[list[str], msgspec.Meta(max_length=100)] = []
    """Ids of the models that it opens; empty is every model that the team may use."""
    budget: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    """Micro-dollars over the token's life (1,000,000 are one dollar); null opens no model that costs money."""
    days: Annotated[float, msgspec.Meta(gt=0, le=366)] = 7.0
    """Days until it expires."""
    reason: Annotated[str, msgspec.Meta(max_length=500, pattern=LINE)] = ""
    """The reason, for the operators' log."""


class GatewayTokenRecord(Wire, frozen=True, kw_only=True):
    """A token as it is stored. The token itself is shown only once, by the command that signs it."""

    id: str
    """gwt_ and 32 hex digits."""
    team: str
    """Name of the team."""
    purpose: Purpose
    """What its calls may be for: sealed, practice or judge."""
    models: list[str]
    """Ids of the models that it opens; empty is every model that the team may use."""
    budget: int | None
    """Micro-dollars over the token's life; null opens no model that costs money."""
    created_at: Timestamp
    """When it was made: RFC 3339, UTC."""
    expires_at: Timestamp
    """Until when it opens anything: RFC 3339, UTC."""
    revoked_at: Timestamp | None = None
    """Since when it is revoked: RFC 3339, UTC; null while it is valid."""


class GrantedGatewayToken(Wire, frozen=True, kw_only=True):
    """The record of a token, which the operator's command signs: the api holds no secret that does."""

    team_id: str
    """The team's id in the gateway's ledger, which the token names."""
    url: str
    """The gateway's address; "" if the deployment names none."""
    about: GatewayTokenRecord
    """The token as it is listed from now on."""


class NewGatewayToken(Wire, frozen=True, kw_only=True):
    """A token, shown only this once by the command that signed it, and the gateway's address; "" if none is named."""

    token: str
    url: str
    about: GatewayTokenRecord


class GatewayTokenList(Wire, frozen=True, kw_only=True):
    """A page of the gateway's tokens, oldest first."""

    tokens: list[GatewayTokenRecord]
    """The tokens of this page, revoked and expired ones too."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class RevokedTokens(Wire, frozen=True, kw_only=True):
    """Ids of revoked tokens that have not expired yet, and what teams may spend, by their ids.

    Budgets are in micro-dollars; a team that is not named has no bound.
    """

    revoked: list[str]
    budgets: dict[str, int]


class ModelBudgetRequest(Request, frozen=True, kw_only=True):
    """A bound on all spending of a team on models of the gateway. Earlier spending counts."""

    budget: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None
    """The bound, in micro-dollars; null removes it."""
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""
    """The reason, for the operators' log."""


class ModelBudget(Wire, frozen=True, kw_only=True):
    """A team's bound on spending on models of the gateway, and what its tokens have spent."""

    team: str
    """Name of the team."""
    budget: int | None
    """The bound, in micro-dollars; null where there is none."""
    spent: int
    """Micro-dollars spent, rounded up; calls in flight are not in it."""

"""Chat completions and embeddings in OpenAI's shape, as far as this service speaks it.

Source: the public OpenAI API reference, chat/completions, embeddings and models. Requests accept only what
is honoured: a field that would be ignored is refused instead.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.wire import Request, Wire


class ImageAddress(Request, frozen=True, kw_only=True):
    """A picture as a data: address (data:image/png;base64,...)."""

    url: str
    detail: Literal["auto", "low", "high"] = "auto"


class TextPart(Request, frozen=True, kw_only=True, tag="text"):
    text: str


class ImagePart(Request, frozen=True, kw_only=True, tag="image_url"):
    image_url: ImageAddress


ContentPart: TypeAlias = TextPart | ImagePart


class Message(Request, frozen=True, kw_only=True):
    role: Literal["system", "user", "assistant"]
    content: str | list[ContentPart]


class ChatRequest(Request, frozen=True, kw_only=True):
    model: str
    messages: Annotated[list[Message], msgspec.Meta(min_length=1)]
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 1.0
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=65536)] | None = None
    seed: int | None = None
    n: Literal[1] = 1
    stream: Literal[False] = False
    user: str | None = None


class ReplyMessage(Wire, frozen=True, kw_only=True):
    role: str = "assistant"
    content: str


class ChatChoice(Wire, frozen=True, kw_only=True):
    index: int
    message: ReplyMessage
    finish_reason: str


class Usage(Wire, frozen=True, kw_only=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatReply(Wire, frozen=True, kw_only=True):
    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: Usage


class EmbeddingRequest(Request, frozen=True, kw_only=True):
    """`input` is one text or picture (a data: address), or several."""

    model: str
    input: str | list[str]
    encoding_format: Literal["float"] = "float"
    user: str | None = None


class Embedding(Wire, frozen=True, kw_only=True):
    object: str = "embedding"
    index: int
    embedding: list[float]


class EmbeddingUsage(Wire, frozen=True, kw_only=True):
    prompt_tokens: int
    total_tokens: int


class EmbeddingReply(Wire, frozen=True, kw_only=True):
    object: str = "list"
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


class GatewayModel(Wire, frozen=True, kw_only=True):
    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "tetrad"
    provider: str
    kind: Literal["chat", "embedding"]
    title: str


class GatewayModels(Wire, frozen=True, kw_only=True):
    object: str = "list"
    data: list[GatewayModel]

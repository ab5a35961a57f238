"""What a provider is: whoever runs models. One module each, the only importer of its library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tetrad.contracts.inference import ChatRequest


class OptionsError(Exception):
    """A registry entry's options do not fit its provider; the message names the option and the remedy."""


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a model wrote, and what it took, in the provider's own tokens."""

    text: str
    finish_reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """One vector for each input, all of one length."""

    vectors: list[list[float]]
    prompt_tokens: int


class ChatModel(Protocol):
    async def chat(self, request: ChatRequest) -> Completion:
        """Answer; PictureError for a picture that can't be used."""
        ...


class EmbeddingModel(Protocol):
    async def embed(self, inputs: Sequence[str]) -> Vectors:
        """Embed texts or data: addresses; PictureError for an input that the model can't embed."""
        ...


class Provider(Protocol):
    """Opens models by the options of their registry entries, once, at start."""

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        """Return a chat model; OptionsError where the options do not fit."""
        ...

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        """Return an embedding model; OptionsError where the options do not fit."""
        ...

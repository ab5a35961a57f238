"""Models inside this process: the solvers of tetrad.solvers, and embedders on plain pixels.

They are deterministic: the same request gets the same reply. Of the sampling knobs `seed` matters, to `random`;
temperature has nothing to vary, and a reply is one word, within any max_tokens. Tokens are words: there is no
tokenizer, and pictures count none.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from inference_gateway.pixel_statistics import embed_pictures
from inference_gateway.providers import ChatModel, Completion, EmbeddingModel, OptionsError, Vectors
from tetrad.contracts.inference import ChatRequest, Message, TextPart
from tetrad.solvers import UnknownSolverError, open_solver

S = TypeVar("S", bound=msgspec.Struct)
EMBEDDERS: Mapping[str, Callable[[Sequence[str]], list[list[float]]]] = {"pixel-statistics": embed_pictures}


class SolverOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`seed` is used where a request brings none."""

    solver: str
    seed: int = 0


class EmbedderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    embedder: str


class InProcess:
    """The provider `in-process`."""

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        return SolverModel(_convert(options, SolverOptions))

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        name = _convert(options, EmbedderOptions).embedder
        if name not in EMBEDDERS:
            raise OptionsError(f"embedder: {name!r} is unknown; choose one of {', '.join(sorted(EMBEDDERS))}")
        return EmbedderModel(EMBEDDERS[name])


class SolverModel:
    """A solver as a chat model."""

    def __init__(self, options: SolverOptions) -> None:
        """Take the options; OptionsError where no solver has the name."""
        try:
            open_solver(options.solver, seed=options.seed)
        except UnknownSolverError as error:
            raise OptionsError(f"solver: {error}") from error
        self._options = options

    async def chat(self, request: ChatRequest) -> Completion:
        seed = self._options.seed if request.seed is None else request.seed
        solver = open_solver(self._options.solver, seed=seed)
        text = await asyncio.to_thread(solver.reply, request.messages)
        return Completion(text=text, prompt_tokens=_words(request.messages), completion_tokens=len(text.split()))


class EmbedderModel:
    """A function of pictures as an embedding model."""

    def __init__(self, embed: Callable[[Sequence[str]], list[list[float]]]) -> None:
        self._embed = embed

    async def embed(self, inputs: Sequence[str]) -> Vectors:
        return Vectors(vectors=await asyncio.to_thread(self._embed, inputs), prompt_tokens=0)


def _convert(options: Mapping[str, object], kind: type[S]) -> S:
    try:
        return msgspec.convert(options, kind)
    except msgspec.ValidationError as error:
        raise OptionsError(f"{error}; options are {', '.join(kind.__struct_fields__)}") from error


def _words(messages: Sequence[Message]) -> int:
    texts = (
        part.text if isinstance(part, TextPart) else ""
        for message in messages
        for part in ([TextPart(text=message.content)] if isinstance(message.content, str) else message.content)
    )
    return sum(len(text.split()) for text in texts)

"""Models inside this process: the solvers of tetrad.solvers, and embedders on plain pixels.

They are deterministic: the same request gets the same reply. Of the sampling knobs `seed` matters, to `random`;
temperature has nothing to vary, and a reply is one word, within any max_tokens. Tokens are words: there is no
tokenizer, and pictures count none.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec

from inference_gateway.pixel_statistics import embed_pictures
from inference_gateway.providers import ChatModel, Completion, EmbeddingModel, OptionsError, Vectors
from inference_gateway.providers.options import options_as
from tetrad import __version__
from tetrad.contracts.inference import ChatRequest, Message, TextPart
from tetrad.solvers import UnknownSolverError, open_solver

PARAMETERS = frozenset({"temperature", "top_p", "max_tokens", "max_completion_tokens", "seed"})
"""The accepted fields of a request: `seed` matters, the others change nothing."""
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
        return SolverModel(options_as(options, SolverOptions))

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        name = options_as(options, EmbedderOptions).embedder
        if name not in EMBEDDERS:
            raise OptionsError(f"embedder: {name!r} is unknown; choose one of {', '.join(sorted(EMBEDDERS))}")
        return EmbedderModel(EMBEDDERS[name])


class SolverModel:
    """A solver as a chat model."""

    def __init__(self, options: SolverOptions) -> None:
        """Take the options. Raises: OptionsError: no solver has the name."""
        try:
            open_solver(options.solver, seed=options.seed)
        except UnknownSolverError as error:
            raise OptionsError(f"solver: {error}") from error
        self._options = options

    async def chat(self, request: ChatRequest) -> Completion:
        seed = self._options.seed if request.seed is None else request.seed
        solver = open_solver(self._options.solver, seed=seed)
        text = await asyncio.to_thread(solver.reply, request.messages)
        parameters = {} if request.seed is None else {"seed": request.seed}
        return Completion(
            text=text,
            prompt_tokens=_words(request.messages),
            completion_tokens=len(text.split()),
            model=self._options.solver,
            configuration=f"tetrad {__version__}",
            parameters=parameters,
            is_seed_honoured=True,
        )


class EmbedderModel:
    """A function of pictures as an embedding model."""

    def __init__(self, embed: Callable[[Sequence[str]], list[list[float]]]) -> None:
        self._embed = embed

    async def embed(self, inputs: Sequence[str]) -> Vectors:
        vectors = await asyncio.to_thread(self._embed, inputs)
        return Vectors(vectors=vectors, prompt_tokens=0, configuration=f"tetrad {__version__}")


def _words(messages: Sequence[Message]) -> int:
    texts = (
        part.text if isinstance(part, TextPart) else ""
        for message in messages
        for part in ([TextPart(text=message.content)] if isinstance(message.content, str) else message.content)
    )
    return sum(len(text.split()) for text in texts)

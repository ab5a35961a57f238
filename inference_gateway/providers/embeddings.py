"""The provider `embeddings`: chat models that choose an option by vectors of an embedding model of the same registry.

An entry names the model and a way to choose (tetrad.solvers.embedded): arithmetic and the like, a classifier that
`tetrad baseline train` wrote, or words for what pictures show. The model that is asked stands behind the gates as for
anybody else: a chat gets a function that asks it in the caller's name (calls.py).

A question that can't be answered in this way (options without pictures, no A, A' or B) gets a reply that is extracted
as no answer, and nothing is embedded for it. An error would pause the whole evaluation.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from inference_gateway.providers import Completion, Embed, Neighbours, OptionsError, UnsupportedError, Vectors
from inference_gateway.providers.options import options_as
from tetrad import __version__
from tetrad.contracts.inference import ChatRequest
from tetrad.solvers.embedded.puzzles import GIVEN, WAYS, PicturePuzzle, Puzzle, PuzzleError, Vector, find_puzzle
from tetrad.solvers.embedded.told import (
    PREDICTED,
    WORD_WAYS,
    Told,
    Words,
    WordsError,
    captions_of,
    load_words,
    told_with,
)
from tetrad.solvers.embedded.trained import Trained, TrainingError, load_trained
from tetrad.solvers.seen_question import recover_question

NOT_ANSWERED = (
    "I can't answer this. I choose among options that are pictures, by given pictures of an analogy, and what I need "
    "is not shown here."
)
"""No word of it is the label of an option."""
DIGEST = 12  # characters of a file's digest
Choose = Callable[[Puzzle], str]


class EmbeddingsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`model`: the embedding model's id. `way`, or a classifier in a file (`trained`): one of the two.

    `words`: the file of words that the ways of WORD_WAYS need. Files are relative to the registry's folder.
    """

    model: str
    way: str = ""
    trained: str = ""
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class _Choosing:
    """A way to choose, by its name. `needs`: those of A, A' and B that are embedded; without them all that are shown.

    `choose` gets what it needs from the model before the first choice: (embed, the configuration of the vectors).
    """

    name: str
    needs: tuple[str, ...]
    choose: Callable[[Embed, str | None], Awaitable[Choose]]
    files: tuple[Path, ...] = ()


class EmbeddingsModel:
    """A chat model that asks the embedding model `asked`."""

    def __init__(self, asked: str, choosing: _Choosing) -> None:
        self.asked = asked
        self.files = choosing.files
        self.digest = " ".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in self.files)
        self._choosing = choosing
        file = [f"file sha256:{self.digest[:DIGEST]}"] if self.digest else []
        self._configuration = "; ".join([f"tetrad {__version__}", *file])

    async def chat_with(self, request: ChatRequest, embed: Embed) -> Completion:
        """Answer with the label of an option."""
        try:
            puzzle, addresses = _puzzle_in(request)
            puzzle = puzzle.part(self._choosing.needs)
        except PuzzleError:
            return self._completion(NOT_ANSWERED, None)
        tokens: list[int | None] = []

        async def embed_and_count(inputs: Sequence[str], places: Sequence[str]) -> Vectors:
            found = await embed(inputs, places)
            tokens.append(found.prompt_tokens)
            return found

        names = list(dict.fromkeys([*puzzle.given.values(), *puzzle.options.values()]))
        vectors = await embed_and_count([addresses[name] for name in names], names)
        choose = await self._choosing.choose(embed_and_count, vectors.configuration)
        seen = puzzle.with_vectors(dict(zip(names, _arrays(vectors), strict=True)))
        return self._completion(f"({await asyncio.to_thread(choose, seen)})", vectors, tokens)

    def _completion(self, text: str, vectors: Vectors | None, tokens: Sequence[int | None] = ()) -> Completion:
        """Return the completion; `tokens` are those of each call of the model that was asked, None if not reported."""
        configurations = [self._configuration] if vectors is None else [self._configuration, vectors.configuration]
        return Completion(
            text=text,
            prompt_tokens=None if None in tokens else sum(count or 0 for count in tokens),
            completion_tokens=len(text.split()),
            model=self.asked if vectors is None else vectors.model or self.asked,
            configuration="; ".join(filter(None, configurations)),
            parameters={"model": self.asked, "way": self._choosing.name},
            is_seed_honoured=True,
        )


class _Vocabulary:
    """Words, and their captions' vectors once they are embedded. They are embedded again when the model changes."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._lock = asyncio.Lock()
        self._told: Told | None = None
        self._of: str | None = None

    async def embed_words(self, embed: Embed, configuration: str | None) -> Told:
        """Return the words with vectors of the model that now has this configuration."""
        async with self._lock:  # the first question embeds them, and the others wait for it
            if self._told is None or self._of != configuration:
                self._told = told_with(self._words, _arrays(await embed(captions_of(self._words), ())))
                self._of = configuration
            return self._told


def open_embeddings(options: Mapping[str, object], neighbours: Neighbours) -> EmbeddingsModel:
    """Return the chat model of an entry. Raises: OptionsError: an option is wrong."""
    found = options_as(options, EmbeddingsOptions)
    _check(found, neighbours)
    try:
        return EmbeddingsModel(found.model, _find_way(found, neighbours.folder))
    except OSError as error:  # a file that went away while it was read
        raise OptionsError(f"{error}; put the file there", "trained" if found.trained else "words") from error


def _find_way(options: EmbeddingsOptions, folder: Path) -> _Choosing:
    if options.trained:
        return _by_training(options, folder / options.trained)
    if options.way in WORD_WAYS:
        return _by_words(options, folder / options.words)
    way = WAYS[options.way]
    return _Choosing(name=options.way, needs=way.needs, choose=_always(way.choose))


def _check(options: EmbeddingsOptions, neighbours: Neighbours) -> None:
    if options.model not in neighbours.embedding:
        known = ", ".join(neighbours.embedding) or "none"
        raise OptionsError(f"{options.model!r} is not an embedding model of this file; choose one of {known}", "model")
    if bool(options.way) == bool(options.trained):
        raise OptionsError("give a way or a trained file, one of the two", "trained" if options.way else "way")
    if options.way and options.way not in (*WAYS, *WORD_WAYS):
        raise OptionsError(f"{options.way!r} is unknown; choose one of {', '.join((*WAYS, *WORD_WAYS))}", "way")
    takes = neighbours.embedding[options.model]
    if "image" not in takes:
        raise OptionsError(f"{options.model} embeds no pictures; choose a model that does", "model")
    if options.way in WORD_WAYS and "text" not in takes:
        raise OptionsError(f"{options.model} embeds no texts, and {options.way} needs them; choose another", "model")
    if options.way in WORD_WAYS and not options.words:
        raise OptionsError(f"is missing, and {options.way} needs it; tetrad baseline words writes one", "words")
    if options.words and options.way not in WORD_WAYS:
        raise OptionsError(f"has no effect but with {' or '.join(WORD_WAYS)}; leave it out", "words")


def _by_training(options: EmbeddingsOptions, path: Path) -> _Choosing:
    try:
        trained = load_trained(path)
    except TrainingError as error:
        raise OptionsError(str(error), "trained") from error
    if trained.model != options.model:
        problem = f"{path} was trained on embeddings of {trained.model}, not of {options.model}"
        remedy = f"train one with tetrad baseline train --model {options.model}"
        raise OptionsError(f"{problem}; {remedy}", "trained")
    return _Choosing(
        name=f"trained {trained.form}",
        needs=GIVEN,
        choose=_always(_choose_by_training(trained, options.model)),
        files=(path,),
    )


def _choose_by_training(trained: Trained, model: str) -> Choose:
    """Return the classifier's choice, which refuses vectors of another length than those that it was trained on."""

    def choose(puzzle: Puzzle) -> str:
        if (length := puzzle.options.shape[1]) != trained.dimension:
            problem = f"gives vectors of {length} numbers, and the classifier was trained on {trained.dimension}"
            raise UnsupportedError("model", model, problem, "ask the operator to train it again")
        return trained.choose(puzzle)

    return choose


def _by_words(options: EmbeddingsOptions, path: Path) -> _Choosing:
    try:
        vocabulary = _Vocabulary(load_words(path))
    except WordsError as error:
        raise OptionsError(str(error), "words") from error

    async def choose(embed: Embed, configuration: str | None) -> Choose:
        words = await vocabulary.embed_words(embed, configuration)
        return words.choose_by_situation if options.way == PREDICTED else words.choose_by_caption

    needs = GIVEN if options.way == PREDICTED else ()
    return _Choosing(name=options.way, needs=needs, choose=choose, files=(path,))


def _always(choose: Choose) -> Callable[[Embed, str | None], Awaitable[Choose]]:
    async def give_choice(_embed: Embed, _configuration: str | None) -> Choose:
        return choose

    return give_choice


def _puzzle_in(request: ChatRequest) -> tuple[PicturePuzzle, dict[str, str]]:
    """Return the analogy that a request asks for, its pictures named by their places, and their addresses by place.

    Raises:
        PuzzleError: it asks for none that is made of pictures.
    """
    question = recover_question(request.messages)
    owned = {option.label: option.picture for option in question.options}
    pictures = [*question.context, *(picture for picture in owned.values() if picture is not None)]
    captions = {picture.place: picture.caption for picture in question.context}
    options = {label: None if picture is None else picture.place for label, picture in owned.items()}
    return find_puzzle(captions, options), {picture.place: picture.address for picture in pictures}


def _arrays(vectors: Vectors) -> Sequence[Vector]:
    return [np.array(vector, np.float32) for vector in vectors.vectors]

"""Make items of a draw, keep the last few, and tell which of an item's questions are asked."""

from collections.abc import Hashable, Iterable, Iterator, KeysView, Mapping, Sequence
from threading import Lock
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from cachetools import TTLCache

from generator_service.benchmark import ExtractedAnswers
from generator_service.draws import Draw
from generator_service.mounting import Mounted
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import KeyedQuestion
from tetrad.extraction.answers import extract_from

T = TypeVar("T")
SECONDS = 10.0  # that an item is kept
MOST = 32  # a client fetches the pictures of a few items at the same time


class GivenAnswer(Protocol):
    """An answer to one of an item's questions."""

    @property
    def question(self) -> str: ...
    @property
    def answer(self) -> str | None: ...
    @property
    def response(self) -> str | None: ...
    @property
    def stop(self) -> StopKind | None: ...


class NeverOpenedError(Exception):
    """An answer is to a question that the other answers do not open."""

    def __init__(self, questions: Sequence[str]) -> None:
        super().__init__(f"never opened: {', '.join(questions)}")
        self.questions = list(questions)


class Item(msgspec.Struct, frozen=True, gc=False):
    """One item: its scene, and every question that may be asked of it."""

    scene: Any
    questions: tuple[KeyedQuestion, ...]


def make_item(mounted: Mounted, draw: Draw, index: int) -> Item:
    """Make item `index` (from 0) alone: the scene and its questions, no pictures."""
    benchmark, identity = mounted.benchmark, draw.identity
    scene = benchmark.sample(
        mounted.bank, identity.track, identity.setting, identity.parameters, draw.cell(index), draw.streams(index)
    )
    return Item(scene, benchmark.questions(scene))


def picture_names(item: Item) -> set[str]:
    """Return the names of the pictures that the item's questions show."""
    return {picture.name for keyed in item.questions for picture in keyed.question.pictures}


def select_asked(
    mounted: Mounted,
    item: Item,
    answers: Iterable[GivenAnswer],
    *,
    gated: ExtractedAnswers = MappingProxyType({}),
    closed: bool = False,
) -> tuple[KeyedQuestion, ...]:
    """Return the questions asked so far, answered ones included, in order: a pure function of the answers.

    All answers are looked at together. A question is opened only by answers to questions before it, so an answer can't
    open its own question. An answer in `gated` stays as it was extracted then, so a newer extractor does not change
    which questions were asked. Once a draw is `closed`, a question without an answer counts as answered unclearly, and
    the questions that this opens count as asked, too. So a model that stops half-way through an item does not take the
    rest of the item out of its score.

    Raises:
        NeverOpenedError: an answer is to a question that stays closed.
    """
    given: dict[str, GivenAnswer | None] = {
        answer.question: answer for answer in answers if answer.question not in gated
    }
    extracted = _ExtractedWhenAsked(item, gated, given)
    opened = mounted.benchmark.next_questions(item.scene, extracted)
    if never := given.keys() - opened:
        raise NeverOpenedError(sorted(never))
    while closed and (left := set(opened) - extracted.keys()):
        extracted.leave(left)
        opened = mounted.benchmark.next_questions(item.scene, extracted)
    if len(opened) == len(item.questions):
        return item.questions
    return tuple([keyed for keyed in item.questions if keyed.question.id in opened])


def extract(item: Item, given: GivenAnswer) -> str | None:
    """Return the answer extracted from a reply to one of the item's questions; None if it is not clear."""
    for keyed in item.questions:
        if keyed.question.id == given.question:
            return extract_from(keyed.question, given.answer, given.response, given.stop).answer
    raise LookupError(f"the item has no question {given.question!r}")


class _ExtractedWhenAsked(Mapping[str, str | None]):
    """Extracted answers by question. Each is extracted when it is looked up: most benchmarks look up only a few."""

    __slots__ = ("_extracted", "_given", "_item")

    def __init__(self, item: Item, known: ExtractedAnswers, given: dict[str, GivenAnswer | None]) -> None:
        """Take the answers extracted before, and the replies to other questions; None is an unclear answer."""
        self._item = item
        self._given: dict[str, GivenAnswer | None] = dict.fromkeys(known) | given
        self._extracted = dict(known)

    def leave(self, names: Iterable[str]) -> None:
        """Count these questions as answered unclearly."""
        self._given.update(dict.fromkeys(names))

    def __getitem__(self, name: str) -> str | None:
        if name not in self._extracted:
            given = self._given[name]
            self._extracted[name] = None if given is None else extract(self._item, given)
        return self._extracted[name]

    def keys(self) -> KeysView[str]:
        return self._given.keys()  # a dict's own view; the one of Mapping would iterate in Python

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __contains__(self, name: object) -> bool:
        return name in self._given


class RecentItems(Generic[T]):
    """The last few items of a process, for some seconds; used from several threads.

    A client fetches each picture by a request of its own; the item is made once for all.
    """

    def __init__(self) -> None:
        self._kept: TTLCache[Hashable, T] = TTLCache(MOST, SECONDS)
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: Hashable, made: T) -> T:
        with self._lock:
            self._kept[key] = made
        return made

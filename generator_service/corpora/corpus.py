"""A corpus in memory, and the layouts that corpora come in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from generator_service.benchmark import Benchmark, ExtractedAnswers, Parameters, PictureArray, Stratum, Streams
from generator_service.corpora.faults import Faults
from generator_service.corpora.pictures import decoded
from generator_service.corpora.sources import Source
from generator_service.drawing.canvas import Picture
from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.wire import Facets

PICTURES = "pictures"
SUFFIX = "-published"
PLACE = "place"
"""The facet of a cell: which item of the corpus it is."""


@dataclass(frozen=True)
class Gathered:
    """What an importer found: the layout's items, and every picture they name by the SHA-256 of its bytes."""

    items: tuple[Any, ...]
    pictures: Mapping[str, bytes]


class Contents(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """corpus.json: all that is known of a corpus, labels included. Its digest is the corpus's.

    `items` are the layout's own structs; they name pictures by the SHA-256 of their bytes.
    """

    layout: str
    version: int
    items: tuple[Any, ...]
    pictures: tuple[str, ...]

    def encoded(self) -> bytes:
        return msgspec.json.encode(self, order="deterministic")


def digest_of(body: bytes) -> str:
    """Return the digest of a corpus, given its corpus.json."""
    return hexdigest("tetrad/corpus/1", body)


@dataclass(frozen=True, eq=False)
class Corpus:
    """A mounted corpus: its items as the layout's structs, and its pictures."""

    name: str
    layout: str
    digest: str
    items: tuple[Any, ...]
    folder: Path

    def picture(self, sha: str) -> Picture:
        """Return a picture by the SHA-256 of its bytes; it is read-only."""
        return _picture(self.folder / PICTURES / f"{sha}.png")


@lru_cache(maxsize=256)  # a page of questions shows a few dozen, several times each
def _picture(path: Path) -> Picture:
    picture = decoded(path.read_bytes())
    picture.flags.writeable = False
    return picture


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One way of publishing items.

    item: the struct of one item. gather: (source, whether parts may be missing, faults) -> items and pictures.
    card: corpus -> its card. sample, questions, opens, render, describe: as in `Benchmark`, with the corpus as bank.
    version: goes up when words, options or order change.
    """

    name: str
    help: str
    version: int
    item: type
    gather: Callable[[Source, bool, Faults], Gathered]
    card: Callable[[Corpus], Card]
    sample: Callable[[Corpus, str, str, Parameters, Facets, Streams], Any]
    questions: Callable[[Any], tuple[KeyedQuestion, ...]]
    next_questions: Callable[[Any, ExtractedAnswers], tuple[str, ...]]
    render: Callable[[Corpus, Any, str], PictureArray]
    describe: Callable[[Any], tuple[str, dict[str, object]]]

    @property
    def corpus_name(self) -> str:
        return self.name + SUFFIX

    def benchmark(self, corpus: Corpus) -> Benchmark:
        """Return what serves the corpus: a benchmark whose blocks ask each of its items once."""
        return Benchmark(
            card=self.card(corpus),
            strata=_each_item_once(corpus),
            sample=self.sample,
            questions=self.questions,
            next_questions=self.next_questions,
            render=self.render,
            describe=self.describe,
            once=True,
        )


def _each_item_once(corpus: Corpus) -> Callable[[str, str, Parameters], Sequence[Stratum]]:
    strata = tuple(Stratum(facets={PLACE: str(place)}, weight=1) for place in range(len(corpus.items)))
    return lambda _track, _setting, _parameters: strata

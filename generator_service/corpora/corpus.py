"""A corpus in memory, and the layouts that corpora come in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from generator_service.benchmark import Benchmark
from generator_service.corpora.faults import Faults
from generator_service.corpora.pictures import decoded
from generator_service.corpora.sources import Source
from generator_service.drawing.canvas import Picture
from tetrad.canonical import hexdigest

PICTURES = "pictures"
SUFFIX = "-published"


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
    benchmark: corpus -> what serves it. version: goes up when words, options or order change.
    """

    name: str
    help: str
    version: int
    item: type
    gather: Callable[[Source, bool, Faults], Gathered]
    benchmark: Callable[[Corpus], Benchmark]

    @property
    def corpus_name(self) -> str:
        return self.name + SUFFIX

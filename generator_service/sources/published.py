"""Published items as sources: the papers' original items with their labels, checked whole by their layout.

A layout is the `published` module of a benchmark's folder: it reads a folder or archive as its authors published it.
Each published source is served as a benchmark of its own, to approved teams, unranked.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import msgspec

from generator_service import benchmarks
from generator_service.benchmark import Benchmark, ExtractedAnswers, Parameters, PictureArray, Stratum, Streams
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import Picture
from generator_service.sources.decoding import PHOTOGRAPH, UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.kinds import PUBLISHED, PUBLISHED_LIMITS, Kind
from generator_service.sources.parts import Part
from generator_service.sources.reader import Spooled, spool
from generator_service.sources.store import (
    Files,
    Head,
    Payload,
    SourceDamagedError,
    SourceError,
    SourceStore,
)
from tetrad.canonical import hexdigest
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import KeyedQuestion
from tetrad.contracts.wire import Facets

CONTENTS = "corpus.json"
SUFFIX = "-published"
PLACE = "place"
"""The facet of a stratum: which item of the corpus it is."""

_AS_PUBLISHED = "a corpus is asked as its paper published it"
EXEMPT = {
    "view": f"{_AS_PUBLISHED}: what its pictures hold is not known",
    "key": f"{_AS_PUBLISHED}: nobody can solve it again without the labels",
    "clue": f"{_AS_PUBLISHED}: its pictures can't be taken apart",
    "shortcuts": f"{_AS_PUBLISHED}: its pictures can't be taken apart",
    "places": f"{_AS_PUBLISHED}: where its answers stand is the paper's choice",
    "ceilings": f"{_AS_PUBLISHED}: what blind solvers get on it is not counted",
    "golden": f"{_AS_PUBLISHED}: its own digest pins it, and its labels are in no repository",
    "pixels": f"{_AS_PUBLISHED}: what its pictures hold is not known",
    "outcomes": f"{_AS_PUBLISHED}: which mistakes occur depends on which items were published",
    "variety": f"{_AS_PUBLISHED}: its items are fixed",
}


@dataclass(frozen=True)
class Gathered:
    """The result of an importer: the layout's items, and every picture they name by the SHA-256 of its bytes."""

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

    def to_json(self) -> bytes:
        return msgspec.json.encode(self, order="deterministic")


def digest_of(body: bytes) -> str:
    """Return the digest of a corpus, given its corpus.json."""
    return hexdigest("tetrad/corpus/1", body)


@dataclass(frozen=True, eq=False)
class Corpus:
    """A published source, opened: its items as the layout's structs, and its pictures."""

    name: str
    layout: str
    digest: str
    items: tuple[Any, ...]
    read: Callable[[str], Picture]

    def picture(self, sha: str) -> Picture:
        """Return a picture by the SHA-256 of its bytes; it is read-only."""
        return self.read(sha)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One way of publishing items.

    item: the struct of one item. gather: (source, whether parts may be missing, faults) -> items and pictures; items
    that are left out because parts are missing are noted in `faults.left_out`.
    card: corpus -> its card. version: goes up when words, options or order change.
    sample, questions, next_questions, render, describe: as in `Benchmark`, with the corpus as bank.
    """

    name: str
    help: str
    version: int
    item: type
    gather: Callable[[Spooled, bool, Faults], Gathered]
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
        """Return the benchmark that serves the corpus. Each of its blocks asks every item once."""
        return Benchmark(
            card=self.card(corpus),
            strata=_each_item_once(corpus),
            sample=self.sample,
            questions=self.questions,
            next_questions=self.next_questions,
            render=self.render,
            describe=self.describe,
            holds=lambda _scene, _name: {},
            solve=lambda _view: None,
            clues={},
            exempt=EXEMPT,
            once=True,
        )


def _each_item_once(corpus: Corpus) -> Callable[[str, str, Parameters], Sequence[Stratum]]:
    strata = tuple(Stratum(facets={PLACE: str(place)}, weight=1) for place in range(len(corpus.items)))
    return lambda _track, _setting, _parameters: strata


def layouts() -> Mapping[str, Layout]:
    """Return the layouts by name: those of the benchmarks whose folder has a `published` module."""
    found: dict[str, Layout] = {}
    for module in pkgutil.iter_modules(benchmarks.__path__):
        name = f"{benchmarks.__name__}.{module.name}.published"
        if module.ispkg and find_spec(name) is not None:
            of_module: tuple[Layout, ...] = importlib.import_module(name).LAYOUTS
            found |= {layout.name: layout for layout in of_module}
    return found


def add_published(
    store: SourceStore, layout: Layout, path: str, *, partial: bool = False, faults: Faults | None = None
) -> Head:
    """Check all that the authors published, and publish it as a source. The same content again changes nothing.

    faults: collects what is left out, for callers who report it.

    Raises:
        SourceFaultsError: it breaks the layout's rules; nothing is added.
        SourceError: it can't be read, or another content has this name.
    """
    faults = Faults() if faults is None else faults
    with spool(path, PUBLISHED_LIMITS) as opened:
        gathered = layout.gather(opened, partial, faults)
    if not gathered.items and not faults.total:
        faults.add(path, f"holds no item of the layout {layout.name}", "give the folder as it was published")
    faults.check()
    names = tuple(sorted(gathered.pictures))
    contents = Contents(layout=layout.name, version=layout.version, items=gathered.items, pictures=names)
    return keep_published(store, layout.corpus_name, contents.to_json(), gathered.pictures)


def keep_published(store: SourceStore, name: str, contents: bytes, pictures: Mapping[str, bytes]) -> Head:
    """Store contents and pictures under the digest of the contents, and publish them.

    Raises:
        SourceError: another content has this name.
    """
    digest = digest_of(contents)
    with store.lock():
        there = [head for head in store.heads(PUBLISHED) if head.name == name and not head.retired]
        if there and there[0].digest != digest:
            raise SourceError(
                f"{name} exists with other content (digest {there[0].digest[:12]}); remove it first, once no draw "
                f"of it is open: tetrad source remove {PUBLISHED}:{name}"
            )
        if there:
            return there[0]
        head = Head(kind=PUBLISHED, name=name, digest=digest)
        return store.write(head, _payloads(contents, pictures))


def open_published(store: SourceStore, head: Head, _part: Part | None = None) -> Corpus:
    """Open a published source.

    Raises:
        SourceDamagedError: its contents have changed, or this version does not know their layout.
    """
    source = store.open(head)
    contents = read_contents(source, head)
    layout = layout_of(head)
    if contents.version != layout.version:
        raise _unusable(head, f"it was read by version {contents.version} of the layout, now {layout.version}")
    items: tuple[Any, ...] = tuple(msgspec.convert(item, type=layout.item) for item in contents.items)

    @cache_within_budget(256)  # a page of questions shows a few dozen, several times each; one may have a megabyte
    def read(sha: str) -> Picture:
        picture = decode_picture(source.read(sha), PHOTOGRAPH)
        picture.flags.writeable = False
        return picture

    return Corpus(head.name, layout.name, head.digest, items, read)


def layout_of(head: Head) -> Layout:
    """Return the layout of a published source.

    Raises:
        SourceDamagedError: this version does not know it.
    """
    for layout in layouts().values():
        if layout.corpus_name == head.name:
            return layout
    raise _unusable(head, "this version does not know its layout")


def read_contents(source: Files, head: Head) -> Contents:
    """Return all that is known of a published source.

    Raises:
        SourceDamagedError: it is missing or changed.
    """
    try:
        body = bytes(source.read(CONTENTS))
    except KeyError as error:
        raise _unusable(head, f"{CONTENTS} is missing") from error
    if digest_of(body) != head.digest:
        raise _unusable(head, f"{CONTENTS} has another digest")
    return msgspec.json.decode(body, type=Contents)


def check_pictures(store: SourceStore, head: Head) -> None:
    """Decode every picture of a published source.

    Raises:
        SourceDamagedError: one is no picture that can be shown.
    """
    source = store.open(head)
    for sha in read_contents(source, head).pictures:
        try:
            decode_picture(source.read(sha), PHOTOGRAPH)
        except UnreadablePictureError as error:
            raise _unusable(head, f"picture {sha} {error}") from error


def _payloads(contents: bytes, pictures: Mapping[str, bytes]) -> Iterable[Payload]:
    yield Payload(name=CONTENTS, body=contents)
    for sha in sorted(pictures):
        yield Payload(name=sha, body=pictures[sha])


def _unusable(head: Head, problem: str) -> SourceDamagedError:
    return SourceDamagedError(f"source {head.title}: {problem}; remove it and add it again from the original")


KIND = Kind(
    name=PUBLISHED,
    help="the original items of a paper with their labels, as their authors published them",
    limits=PUBLISHED_LIMITS,
    open=open_published,
)

"""A benchmark as a record of functions, in the order in which an item is made.

parameters -> strata -> scene -> questions and keys -> which of them open -> pictures -> solution. Randomness is
handed in as a `Streams`; only `sample` takes any. The answer key follows from the scene, never from pixels. `holds`
and `solve` solve each question a second time, from the contents of its pictures. The conformance suite compares both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetrad.canonical import Field
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import KeyedQuestion, Question
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.streams import Stream, StreamFamily

PictureArray = NDArray[np.uint8]
"""(height, width, 4) RGBA, straight alpha."""

Parameters = Mapping[str, ParameterValue]
ExtractedAnswers = Mapping[str, str | None]
"""The answer extracted from each sealed reply of an item, by question id; None if there is none."""


Parts = Mapping[str, Any]
"""The contents of one picture: its parts by name, in plain data."""


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything that a solver of one question sees: its words, and what each of its pictures holds. It has no key.

    A part that is hidden is missing from every picture. Where the words are hidden, the question's `text` is empty;
    its options stay.
    """

    question: Question
    pictures: Mapping[str, Parts]

    def parts(self, name: str) -> list[Any]:
        """Return what the pictures hold under this name, in the order of the pictures."""
        return [held[name] for held in self.pictures.values() if name in held]


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """One stratum: its facets, and how many of each balanced block's places it takes."""

    facets: Facets
    weight: int


class Streams:
    """The random streams of one item: one per purpose, each keyed by the item's whole identity."""

    __slots__ = ("_family",)

    def __init__(self, family: StreamFamily) -> None:
        """Take the family named by the digest of (identity, seed) and the item's index."""
        self._family = family

    def __call__(self, purpose: str, *also: Field) -> Stream:
        return self._family.stream(purpose, *also)


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One version of one benchmark.

    kinds: the kinds of source that its tracks draw from: one list for all tracks, or one list for each track by name.
    bound: digests by kind, for an older version that draws from these sources alone. It is not served where the store
        lacks one. The newest version draws from any.
    prepare: opened sources by kind -> the `bank` that the other functions get. A kind is left out where only tracks
        without a source draw from it. None: the bank is the opened sources.
    tables: by kind, the names of the derived tables that items depend on, as `tetrad source mine` prints them:
        JOB/STAGE-VERSION, and a digest of inputs if there are some. Their digests become part of the
        source's digest in identities. A track whose source lacks one is not served, and says which command makes it.
    strata: (track, setting, parameters) -> the strata of a draw. A block has each as often as its weight, or a multiple
        of that, so that it is long enough (`draws.balanced_unit`).
    sample: (bank, track, setting, parameters, facets of the stratum, streams) -> scene, pure data.
    questions: scene -> every question that may be asked, in order, with keys.
    next_questions: (scene, extracted answers) -> ids of the questions asked so far, answered ones included. Monotone: a
        further answer adds ids and takes none away; a final question's answer adds none. In order: an answer adds ids
        of later questions only, so that it counts for nothing before its own question is open.
    render: (bank, scene, picture name) -> pixels; KeyError for a name the scene does not have.
    describe: scene -> (one explaining sentence, plain JSON-able data).
    holds: (scene, picture name) -> what that picture holds; KeyError for a name the scene does not have.
    solve: view of one question -> the answer, in the form of `key.label`; None if the view does not tell. It is an
        independent solution: it shares nothing with `questions` and `sample`.
    clues: by kind of question, the parts of pictures without which it can't be solved. Each of them is needed. Where no
        picture of a question holds any of them, its words are the clue.
    outcomes: by kind of question, the names of all mistakes that its wrong options stand for; kinds whose keys name
        none are left out.
    mistake: (view of one question, label of a wrong option) -> the mistake that the option stands for; None if the view
        does not tell. It is found independently: it shares nothing with `questions`.
    brought_tracks: tracks whose sources only an operator brings, such as photographs. Golden files leave them out, and
        commands that check a benchmark look at them where they are mounted.
    exempt: properties of the conformance suite that can't hold here, by name, each with its reason. A property of
        one kind of question alone is "property/kind", a clue that does not hurt alone "clue/kind/part", and one
        without which learners know too much "shortcuts/kind/part".
    """

    card: Card
    kinds: Sequence[str] | Mapping[str, Sequence[str]] = ()
    bound: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    prepare: Callable[[Mapping[str, Any]], Any] | None = None
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    strata: Callable[[str, str, Parameters], Sequence[Stratum]]
    sample: Callable[[Any, str, str, Parameters, Facets, Streams], Any]
    questions: Callable[[Any], tuple[KeyedQuestion, ...]]
    next_questions: Callable[[Any, ExtractedAnswers], tuple[str, ...]]
    render: Callable[[Any, Any, str], PictureArray]
    describe: Callable[[Any], tuple[str, dict[str, object]]]
    holds: Callable[[Any, str], Parts]
    solve: Callable[[View], str | None]
    clues: Mapping[str, Sequence[str]]
    outcomes: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    mistake: Callable[[View, str], str | None] | None = None
    brought_tracks: Sequence[str] = ()
    exempt: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    once: bool = False
    """True: a block holds each stratum exactly as often as its weight says. A corpus has one stratum for each item."""

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def version(self) -> int:
        return self.card.version

    def kinds_of(self, track: str) -> tuple[str, ...]:
        """Return the kinds of source that a track draws from, sorted."""
        kinds = self.kinds.get(track, ()) if isinstance(self.kinds, Mapping) else self.kinds
        return tuple(sorted(kinds))

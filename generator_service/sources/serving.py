"""The sources that an instance serves: which is the default of each kind, which can be named, and those kept open."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any

from generator_service.sources.catalogue import kinds
from generator_service.sources.objects import BUILTIN, HOUSEHOLD, OBJECTS, load_bank
from generator_service.sources.parts import Part, part_digest
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.people.building import is_current
from generator_service.sources.stage import STAGE, load_stage
from generator_service.sources.store import Head, SourceError, SourceStore
from generator_service.sources.tables import needed_table
from tetrad.canonical import hexdigest


class ServedSources:
    """The sources of a store as draws use them. Each is opened once, when something first needs it.

    expected: kinds whose source may come while the service is up. People always may; others where a process beside the
    service makes them (`beside`).
    """

    def __init__(
        self, store: SourceStore, defaults: Mapping[str, str] | None = None, beside: Collection[str] = ()
    ) -> None:
        self.store = store
        self.expected = frozenset({PEOPLE, *beside})
        self._defaults = dict(defaults or {})
        self._opened: dict[tuple[str, str, Part | None], Any] = {}
        self._lock = RLock()

    def offered_heads(self, kind: str) -> list[Head]:
        """Return the newest source of each name of a kind that new draws may use, sorted by name."""
        newest: dict[str, Head] = {}
        for head in self.store.heads(kind):
            if not head.retired:
                newest.setdefault(head.name, head)
        return list(newest.values())

    def default(self, kind: str) -> Head | None:
        """Return the source of this kind that draws use where none is named; None where there is none.

        If the settings name one, it is that one. Of objects it is household if the store has it, or else builtin.
        People are those of this version of the drawing code. Of other kinds it is the first that was added. Builtin and
        the stage are drawn if they are absent.

        Raises:
            SourceMissingError: the settings name one that is not there.
        """
        wanted = self._defaults.get(kind, "")
        if kind == OBJECTS and not wanted:
            wanted = HOUSEHOLD if any(head.name == HOUSEHOLD for head in self.offered_heads(OBJECTS)) else BUILTIN
        if (kind, wanted) == (OBJECTS, BUILTIN):
            digest = load_bank(self.store).digest
            return self.store.find(OBJECTS, digest)
        if kind == STAGE and not wanted:
            digest = load_stage(self.store).digest
            return self.store.find(STAGE, digest)
        if wanted:
            return self.store.head(kind, wanted)
        if kind == PEOPLE:
            return next((head for head in self.store.heads(PEOPLE) if is_current(head) and not head.retired), None)
        return min(self.offered_heads(kind), key=lambda head: (head.made_at, head.name), default=None)

    def open(self, head: Head, part: Part | None) -> Any:
        """Return the opened source, as benchmarks draw from it.

        Raises:
            SourceDamagedError: its manifest is missing or changed.
        """
        part = None if head.practice_permille is None else part
        with self._lock:
            key = (head.kind, head.digest, part)
            if key not in self._opened:
                self._opened[key] = kinds()[head.kind].open(self.store, head, part)
            return self._opened[key]

    def digest(self, head: Head, part: Part | None, tables: Sequence[str] = ()) -> str:
        """Return the digest that stands for a source in the identity of a draw: over its part, and over these tables.

        Raises:
            SourceUnreadyError: a table is not made yet.
        """
        own = head.digest if part is None else part_digest(head.digest, part, head.practice_permille)
        if not tables:
            return own
        digests = [[name, needed_table(self.store, head, name).digest] for name in tables]
        return hexdigest("tetrad/source-with-tables/1", own, digests)


def parse_defaults(text: str, bank: str = "") -> dict[str, str]:
    """Return the default source of each kind from "KIND:NAME,KIND:NAME"; `bank` is the name of the default objects.

    Raises:
        SourceError: an entry is of another form, or of an unknown kind.
    """
    found = dict(split_title(title) for title in text.split(",") if title)
    return found | ({OBJECTS: bank} if bank else {})


def split_title(text: str) -> tuple[str, str]:
    """Return kind and name of "KIND:NAME".

    Raises:
        SourceError: it is of another form, or of an unknown kind.
    """
    kind, _, name = text.partition(":")
    if not name or kind not in kinds():
        raise SourceError(f"{text[:80]!r} is not a source; write KIND:NAME, with one of the kinds {', '.join(kinds())}")
    return kind, name


def titles(heads: Iterable[Head]) -> str:
    return ", ".join(head.title for head in heads)

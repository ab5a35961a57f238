"""The sources that a store offers, as of a few seconds ago: a request needs no look into the store.

Another process, or another host, adds, retires and removes sources. Whoever draws sees it within LISTED_SECONDS.
"""

import logging
from collections.abc import Iterable, Mapping
from threading import Lock
from time import monotonic

from generator_service.sources.store import Head, SourceDamagedError, SourceStore
from tetrad.server.objects import StoreError

LISTED_SECONDS = 5.0  # between two looks into the store
log = logging.getLogger(__name__)


class Listing:
    """All sources of a store at one moment. offered: by kind and name, the newest one that new draws may use."""

    def __init__(self, heads: Iterable[Head]) -> None:
        self.heads = tuple(heads)
        self.offered: dict[str, dict[str, Head]] = {}
        for head in self.heads:  # the newest of a name comes first
            if not head.retired:
                self.offered.setdefault(head.kind, {}).setdefault(head.name, head)
        self._kept = {(head.kind, head.digest): head for head in self.heads}

    def may_use(self, head: Head) -> bool:
        """Tell whether new draws may use it: it is neither retired nor removed."""
        kept = self._kept.get((head.kind, head.digest))
        return kept is not None and not kept.retired

    def has(self, heads: Mapping[str, Head]) -> bool:
        """Tell whether the store has all of these, retired or not."""
        return all((head.kind, head.digest) in self._kept for head in heads.values())


class OfferedSources:
    """The listing of a store, renewed by whoever asks when it is old. Meanwhile the others go on with the old one."""

    def __init__(self, store: SourceStore) -> None:
        self._store = store
        self._listing: Listing | None = None
        self._old_at = 0.0
        self._looking = Lock()

    def list(self) -> Listing:
        """Return what there was at most LISTED_SECONDS ago; the same object as long as nothing changed."""
        listing = self._listing
        if listing is not None:
            if monotonic() < self._old_at or not self._looking.acquire(blocking=False):
                return listing
            try:
                return self._look(listing)
            finally:
                self._looking.release()
        return self.list_anew()

    def list_anew(self) -> Listing:
        """Look into the store, and return what there is now."""
        with self._looking:
            return self._look(self._listing)

    def _look(self, known: Listing | None) -> Listing:
        """Look into the store. If it can't be read, go on with what is known.

        Raises:
            StoreError, SourceDamagedError: it can't be read, and nothing is known.
        """
        try:
            heads = tuple(self._store.heads())
        except (StoreError, SourceDamagedError) as error:
            if known is None:
                raise
            log.warning("sources not listed", extra={"error": str(error)})
            heads = known.heads
        if known is None or heads != known.heads:
            known = Listing(heads)
        self._listing = known
        self._old_at = monotonic() + LISTED_SECONDS
        return known

"""The cards of the generator's benchmarks, kept for a moment, and longer while the generator is away."""

import threading
import time
from collections.abc import Callable

from api.errors import DomainError, NotFoundError
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList

FRESH_SECONDS = 10.0
STAYS_SECONDS = 1.0
AGAIN_SECONDS = 2.0  # after a failure without known cards, so that waiting requests don't each try again


class Cards:
    """Every loaded version of every benchmark."""

    def __init__(self, fetch: Callable[[], BenchmarkList], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._known: list[BenchmarkInfo] = []
        self._stale_at = float("-inf")
        self._failed: tuple[float, DomainError] | None = None

    def all(self) -> list[BenchmarkInfo]:
        """Return every card, at most some seconds old, or the last known ones while the generator is away.

        One request asks the generator; the others wait for it only if no cards are known yet.

        Raises:
            GeneratorAwayError, GeneratorFailedError: the generator is away and was never heard of.
        """
        if self._clock() >= self._stale_at and self._lock.acquire(blocking=not self._known):
            try:
                if self._clock() >= self._stale_at:
                    self._refresh()
            finally:
                self._lock.release()
        return self._known

    @property
    def are_fresh(self) -> bool:
        """Tell whether cards are had without asking the generator, now and for STAYS_SECONDS."""
        return self._clock() + STAYS_SECONDS < self._stale_at

    def list_known(self) -> list[BenchmarkInfo]:
        """Return the cards that were heard of last, without asking."""
        return self._known

    def get(self, benchmark: str, version: int | None = None) -> BenchmarkInfo:
        """Return a version of a benchmark, the newest if none is named.

        Raises:
            NotFoundError: there is none.
        """
        everything = self.all()
        versions = {info.card.version: info for info in everything if info.card.name == benchmark}
        if not versions:
            names = ", ".join(sorted({info.card.name for info in everything})) or "none at all"
            raise NotFoundError.at("benchmark", benchmark, "there is no such benchmark", f"this instance has {names}")
        chosen = max(versions) if version is None else version
        if chosen not in versions:
            loaded = ", ".join(map(str, sorted(versions)))
            raise NotFoundError.at("version", version, f"{benchmark} has no such version here", f"use one of {loaded}")
        return versions[chosen]

    def has_restricted_sources(self, benchmark: str) -> bool:
        """Tell, without asking, whether a benchmark can draw from a source that is not public or not whole."""
        sources = [source for info in self._known if info.card.name == benchmark for source in info.sources]
        return not self._known or any(source.access != "public" or source.divided for source in sources)

    def _refresh(self) -> None:
        if self._failed is not None and self._clock() < self._failed[0]:
            raise self._failed[1]
        try:
            self._known = self._fetch().benchmarks
        except DomainError as error:
            if not self._known:
                self._failed = (self._clock() + AGAIN_SECONDS, error)
                raise
        self._stale_at = self._clock() + FRESH_SECONDS

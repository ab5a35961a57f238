"""Choose the sources of a draw: those that it names, and the default ones of other kinds.

What a benchmark prepared of chosen sources is kept by their heads, so by their digests, as long as they are offered.
"""

from collections.abc import Sequence
from threading import RLock
from typing import TypeAlias

from generator_service.mounting import Mounted, marked_waiting, mounted_on, withdraw
from generator_service.offered import Listing, OfferedSources
from generator_service.parameters import IdentityError, fault
from generator_service.sources.parts import Part
from generator_service.sources.serving import ServedSources, split_title, titles
from generator_service.sources.store import Head, SourceError, SourceMissingError, SourceUnfitError

_Named: TypeAlias = tuple[str, int, tuple[str, ...], str, Part]
_Chosen: TypeAlias = tuple[str, int, tuple[Head, ...], Part]


class Choices:
    """Mounted benchmarks with sources that were chosen for draws.

    A request that names what an earlier one named needs a look into a mapping, while listing and defaults are the same.
    """

    def __init__(self, sources: ServedSources, offered: OfferedSources) -> None:
        self._sources = sources
        self._offered = offered
        self._named: dict[_Named, tuple[Listing, Mounted, Mounted]] = {}
        self._chosen: dict[_Chosen, Mounted] = {}
        self._listing: Listing | None = None
        self._opening = RLock()

    def forget(self) -> None:
        """Forget what was chosen: it may lack a source that is there now."""
        with self._opening:
            self._named.clear()
            self._chosen.clear()

    def choose(self, mounted: Mounted, wanted: Sequence[str], track: str, part: Part) -> Mounted:
        """Return the benchmark with the sources that are named.

        Raises:
            IdentityError: see `Registry.choose`.
        """
        listing = self._offered.list()
        key = (mounted.benchmark.name, mounted.benchmark.version, tuple(wanted), track, part)
        known = self._named.get(key)
        if known is not None and known[0] is listing and known[1] is mounted:
            return known[2]
        with self._opening:
            self._drop_unoffered(listing)
            named = self._named_heads(mounted, wanted, track, listing)
            chosen = self._mount(mounted, dict(mounted.heads) | named, wanted, part)
            chosen = withdraw(chosen, {kind: why for kind, why in mounted.withdrawn.items() if kind not in named})
            self._named[key] = (listing, mounted, chosen)
        return chosen

    def _mount(self, mounted: Mounted, heads: dict[str, Head], wanted: Sequence[str], part: Part) -> Mounted:
        benchmark = mounted.benchmark
        key = (benchmark.name, benchmark.version, tuple(heads[kind] for kind in sorted(heads)), part)
        if key not in self._chosen:
            try:
                chosen = mounted_on(benchmark, heads, self._sources, part)
                self._chosen[key] = marked_waiting(chosen, heads, self._sources)
            except SourceUnfitError as error:
                raise _refusal(", ".join(wanted), error) from error
        return self._chosen[key]

    def _drop_unoffered(self, listing: Listing) -> None:
        """Drop what was chosen of sources that are offered no longer. Draws of them are found by their digests."""
        if listing is self._listing:
            return
        self._listing = listing
        self._named = {key: known for key, known in self._named.items() if known[0] is listing}
        self._chosen = {
            key: chosen for key, chosen in self._chosen.items() if all(listing.may_use(head) for head in key[2])
        }

    def _named_heads(self, mounted: Mounted, wanted: Sequence[str], track: str, listing: Listing) -> dict[str, Head]:
        """Return the heads of the sources that are named, by kind."""
        heads: dict[str, Head] = {}
        drawn_from = mounted.benchmark.kinds_of(track)
        for text in wanted:
            try:
                kind, name = split_title(text)
                if kind not in drawn_from:
                    allowed = ", ".join(drawn_from) or "no source"
                    problem = f"{mounted.benchmark.name} draws from {allowed} on track {track}"
                    raise IdentityError([fault("source", text, problem, "name a source of these kinds, or none")])
                if kind in heads:
                    problem = f"a draw takes one source of the kind {kind}"
                    raise IdentityError([fault("source", text, problem, f"leave out {heads[kind].title} or {text}")])
                heads[kind] = self._head(kind, name, listing)
            except SourceError as error:
                raise _refusal(text, error) from error
        return heads

    def _head(self, kind: str, name: str, listing: Listing) -> Head:
        offered = listing.offered.get(kind, {})
        if name not in offered:  # it may have been added a moment ago
            offered = self._offered.list_anew().offered.get(kind, {})
        if name in offered:
            return offered[name]
        known = titles(offered[name] for name in sorted(offered)) or "none"
        raise SourceMissingError(f"this instance has no source {kind}:{name}; use one of {known}")


def _refusal(text: str, error: SourceError) -> IdentityError:
    problem, _, remedy = str(error).partition("; ")
    return IdentityError([fault("source", text, problem, remedy)])

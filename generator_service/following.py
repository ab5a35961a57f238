"""Follow the default sources of benchmarks while the service is up, and mount again what draws from another one."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from generator_service.benchmark import Benchmark
from generator_service.mounting import (
    MADE_BESIDE,
    Mounted,
    default_heads,
    kinds_drawn_from,
    mount_all,
    withdraw,
)
from generator_service.offered import Listing
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import Head, SourceMissingError

LOOK_AGAIN_SECONDS = 5.0  # between two looks at the store
WITHDRAWN = (
    "{title} is offered no longer, and no other source is the default of its kind; "
    "name another, or add one: tetrad source add {kind} PATH --name NAME"
)
log = logging.getLogger(__name__)


@dataclass
class FollowedSources:
    """The default sources of all benchmarks. Sources come, where a process beside the service makes them, and go.

    A default is chosen at the start. As soon as it is retired or removed, it makes way for the one that a start would
    choose now. Where there is none, the tracks that draw from it say so.

    heads: the default of each kind. kinds: those that are made beside the service and are not there yet.
    withdrawn: the defaults that are offered no longer, and have no other in their place.
    """

    benchmarks: Sequence[Benchmark]
    heads: Mapping[str, Head]
    sources: ServedSources
    kinds: set[str]
    withdrawn: Mapping[str, Head] = field(default_factory=dict)
    _looked_at: float = field(default_factory=monotonic)
    _progress: Sequence[str] = ()

    def is_time(self) -> bool:
        """Tell whether to look at the store again."""
        return monotonic() >= self._looked_at + LOOK_AGAIN_SECONDS

    def mark_looked(self) -> None:
        """Note that somebody looks now."""
        self._looked_at = monotonic()

    def mount_again(self, listing: Listing) -> list[Mounted]:
        """Return every benchmark of whose sources something changed, mounted on those that there are now."""
        changed = self._follow_defaults(listing) | self._follow_making()
        concerned = [benchmark for benchmark in self.benchmarks if changed & kinds_drawn_from(benchmark)]
        mounted = mount_all(concerned, {**self.withdrawn, **self.heads}, self.sources)
        reasons = {kind: WITHDRAWN.format(title=head.title, kind=kind) for kind, head in self.withdrawn.items()}
        return [withdraw(benchmark, reasons) for benchmark in mounted]

    def _follow_making(self) -> set[str]:
        """Return the kinds that were being made, if anything of that changed."""
        lacked, progress = self.kinds, self._progress
        new = default_heads(lacked, self.benchmarks, self.sources)
        self.heads = {**self.heads, **new}
        self.kinds = lacked - new.keys()
        self._progress = [MADE_BESIDE[kind](self.sources.store) for kind in sorted(self.kinds)]
        return lacked if new or self._progress != progress else set()

    def _follow_defaults(self, listing: Listing) -> set[str]:
        """Choose the defaults anew that are offered no longer; return the kinds that have another one, or none."""
        before = {**self.withdrawn, **self.heads}
        after = {kind: self._default_after(head, listing) for kind, head in before.items()}
        changed = {kind for kind, head in after.items() if _digest(head) != _digest(self.heads.get(kind))}
        for kind in changed:
            new = after[kind]
            fields = {"source": before[kind].title, "instead": "" if new is None else f"{new.title} {new.digest}"}
            log.warning("another default source", extra=fields)
        lost = {kind for kind, head in after.items() if head is None}
        self.kinds = self.kinds | (lost & self.sources.expected)
        self.withdrawn = {kind: before[kind] for kind in lost - self.sources.expected}
        self.heads = {kind: head for kind, head in after.items() if head is not None}
        return changed

    def _default_after(self, head: Head, listing: Listing) -> Head | None:
        """Return the default that follows this one, which may be the same; None where there is none."""
        if listing.may_use(head):
            return head
        try:
            return self.sources.default(head.kind)
        except SourceMissingError:  # the settings name the one that is gone
            return None


def _digest(head: Head | None) -> str | None:
    return None if head is None else head.digest

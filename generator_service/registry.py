"""The registry: every version of every benchmark, mounted on the sources that are served, and on older ones.

The store of sources keeps older sources. One is opened when a draw needs it.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from threading import RLock

from generator_service.benchmark import Benchmark
from generator_service.choices import Choices
from generator_service.finding import RegistryError
from generator_service.following import FollowedSources
from generator_service.mounting import (
    Mounted,
    default_heads,
    kinds_drawn_from,
    mark_withdrawn,
    mount_all,
    mounted_corpora,
    mounted_corpus,
    mounted_on,
)
from generator_service.offered import Listing, OfferedSources
from generator_service.parameters import IdentityError, fault
from generator_service.sources.kinds import PUBLISHED
from generator_service.sources.licences import terms_of
from generator_service.sources.objects import BUILTIN
from generator_service.sources.parts import Part
from generator_service.sources.serving import ServedSources, parse_defaults
from generator_service.sources.store import (
    Head,
    SourceDamagedError,
    SourceMissingError,
    SourceStore,
    SourceUnreadyError,
    of_folder,
)
from tetrad.contracts.benchmarks import SourceInfo
from tetrad.internal.source_digests import NO_SOURCE, combine_digests
from tetrad.server.objects import StoreError

log = logging.getLogger(__name__)


class Registry:
    """All loaded versions of all benchmarks, each with the sources that are served, and with those kept for draws."""

    def __init__(
        self,
        benchmarks: Iterable[Mounted],
        sources: ServedSources | None = None,
        followed: FollowedSources | None = None,
    ) -> None:
        self._by_version: dict[tuple[str, int], Mounted] = {}
        self._followed = followed
        self._sources = sources
        self._offered = None if sources is None else OfferedSources(sources.store)
        self._choices = None if sources is None or self._offered is None else Choices(sources, self._offered)
        self._listing: Listing | None = None
        self._kept: dict[tuple[str, int, str], Mounted] = {}
        self._opening = RLock()
        for mounted in benchmarks:
            name, version = key = _key(mounted)
            if key in self._by_version:
                raise RegistryError(f"{name} version {version} is found twice; give one of them another version")
            self._by_version[key] = mounted

    def names(self) -> list[str]:
        return sorted({name for name, _ in self._by_version})

    def newest(self, name: str) -> Mounted | None:
        self._look_again()
        versions = [version for known, version in self._by_version if known == name]
        return self._by_version[name, max(versions)] if versions else None

    def version(self, name: str, version: int) -> Mounted | None:
        self._look_again()
        return self._by_version.get((name, version))

    def of(self, name: str, version: int, bank_digest: str) -> Mounted | None:
        """Return the version with the sources of this digest: the served ones, or older ones that the store keeps."""
        served = self.version(name, version)
        if served is None or served.has(bank_digest):
            return served
        key = (name, version, bank_digest)
        with self._opening:
            if key not in self._kept and (kept := self._from_store(served.benchmark, bank_digest)) is not None:
                self._kept[key] = kept
        return self._kept.get(key)

    def all(self) -> list[Mounted]:
        self._look_again()
        return [self._by_version[key] for key in sorted(self._by_version)]

    def missing_kinds(self) -> Sequence[str]:
        """Return the kinds whose source is to be made while the service is up, and is not there yet."""
        return () if self._followed is None else sorted(self._followed.kinds)

    def _look_again(self) -> None:
        """Mount again the benchmarks whose sources came or went while the service is up.

        One thread does it at a time. Meanwhile, the others go on with what is mounted.
        """
        followed = self._followed
        if followed is None or self._offered is None or not followed.is_time():
            return
        if not self._opening.acquire(blocking=False):
            return
        try:
            if followed.is_time():  # another thread may have been faster
                followed.mark_looked()
                self._follow(followed, self._offered.list_anew())
        except (StoreError, SourceDamagedError) as error:
            log.warning("sources not followed", extra={"error": str(error)})
        finally:
            self._opening.release()

    def _follow(self, followed: FollowedSources, listing: Listing) -> None:
        if listing is not self._listing:
            self._listing = listing
            self._kept = {key: kept for key, kept in self._kept.items() if listing.has(kept.heads)}
        again = {_key(mounted): mounted for mounted in followed.mount_again(listing)}
        again |= {_key(mounted): mounted for mounted in self._withdrawn_corpora(listing)}
        if not again:
            return
        if self._choices is not None:
            self._choices.forget()
        for key in again.keys() & self._by_version.keys():
            before = self._by_version[key]
            for digest in {before.bank_digest, *before.digests.values()} - {NO_SOURCE}:
                self._kept.setdefault((*key, digest), before)
        self._by_version = self._by_version | again  # a new mapping, for other threads may look through the old one

    def _withdrawn_corpora(self, listing: Listing) -> Iterator[Mounted]:
        """Yield the fixed corpora that are offered no longer: what is open goes on, and nothing new begins."""
        offered = {head.digest for head in listing.offered.get(PUBLISHED, {}).values()}
        for mounted in self._by_version.values():
            card = mounted.benchmark.card
            if card.corpus is not None and mounted.bank_digest not in {*offered, NO_SOURCE}:
                yield mark_withdrawn(mounted)

    def choose(self, mounted: Mounted, wanted: Sequence[str], track: str, part: Part) -> Mounted:
        """Return a served version with the sources that are named (KIND:NAME), and the default sources of other kinds.

        `part` is the part of divided sources to draw from.

        Raises:
            IdentityError: a name is not KIND:NAME, is of a kind that the track does not draw from, or is unknown here.
        """
        divided = any(head.practice_permille is not None for head in mounted.heads.values())
        if self._choices is None or not (wanted or divided):
            return mounted if not wanted else _refuse_sources(wanted, mounted, track)
        return self._choices.choose(mounted, wanted, track, part)

    def sources(self, mounted: Mounted) -> tuple[SourceInfo, ...]:
        """Return the sources that draws of a version may use, the default of each kind first."""
        if self._sources is None:
            return ()
        infos: list[SourceInfo] = []
        for kind in sorted(kinds_drawn_from(mounted.benchmark) & mounted.heads.keys()):
            default = mounted.heads[kind]
            others = [head for head in self._sources.offered_heads(kind) if head.name != default.name]
            served = others if kind in mounted.withdrawn else [default, *others]
            infos += [_source_info(head, mounted, self._sources) for head in served]
        return tuple(infos)

    def _from_store(self, benchmark: Benchmark, bank_digest: str) -> Mounted | None:
        if self._sources is None or bank_digest == NO_SOURCE:
            return None
        if benchmark.card.corpus is not None:
            earlier = (head for head in self._sources.store.heads(PUBLISHED) if head.digest == bank_digest)
            return next((mounted_corpus(head, self._sources) for head in earlier), None)
        tracks = {benchmark.kinds_of(track.name) for track in benchmark.card.tracks}
        for kinds in sorted(tracks):
            kept = [self._sources.store.heads(kind) for kind in kinds]
            for heads in product(*kept):
                for part in _parts(heads):
                    if self._digest_of(benchmark, dict(zip(kinds, heads, strict=True)), part) == bank_digest:
                        served = self.version(benchmark.name, benchmark.version)
                        others = {} if served is None else dict(served.heads)
                        chosen = others | dict(zip(kinds, heads, strict=True))
                        return mounted_on(benchmark, chosen, self._sources, part)
        return None

    def _digest_of(self, benchmark: Benchmark, heads: Mapping[str, Head], part: Part | None) -> str | None:
        if self._sources is None:
            return None
        try:
            return combine_digests(
                {kind: self._sources.digest(head, part, benchmark.tables.get(kind, ())) for kind, head in heads.items()}
            )
        except SourceMissingError:
            return None


def mount(
    benchmarks: Iterable[Benchmark],
    store: SourceStore | Path,
    bank: str = BUILTIN,
    *,
    defaults: str = "",
    published: bool = False,
    beside: Collection[str] = (),
) -> Registry:
    """Open the default sources of the kinds that these benchmarks draw from, and no others.

    `store` is a store of sources, or its folder. `bank` names the objects to draw from; "" is household where the store
    has it, and builtin otherwise. `defaults` names the default sources of other kinds. A track without a source here is
    not served. With `published`, every published source is mounted as a benchmark of its own.

    `beside` names kinds whose source a process beside the service makes. Their tracks are on the card and say how far
    it is, and are served as soon as it is there with the tables that the benchmarks draw from.

    The default source of a track may lack a table, or something else that the benchmark needs. Such a track stays on
    the card and refuses to be drawn from (`Mounted.lacking`). All other tracks are served.

    Raises:
        SourceError: a default source is not in the store, or a source is damaged.
    """
    opened = of_folder(store) if isinstance(store, Path) else store
    sources = ServedSources(opened, parse_defaults(defaults, bank), beside)
    every = list(benchmarks)
    kinds = {kind for benchmark in every for kind in kinds_drawn_from(benchmark)}
    heads = default_heads(kinds, every, sources)
    mounted = mount_all(every, heads, sources)
    corpora = mounted_corpora(sources) if published else ()
    absent = kinds & sources.expected - heads.keys()
    return Registry([*mounted, *corpora], sources, FollowedSources(every, heads, sources, absent))


def _key(mounted: Mounted) -> tuple[str, int]:
    return mounted.benchmark.name, mounted.benchmark.version


def _parts(heads: Sequence[Head]) -> tuple[Part | None, ...]:
    return ("practice", "sealed") if any(head.practice_permille is not None for head in heads) else (None,)


def _source_info(head: Head, mounted: Mounted, sources: ServedSources) -> SourceInfo:
    benchmark = mounted.benchmark
    tables, terms = benchmark.tables.get(head.kind, ()), terms_of(head)
    lacking = ""
    try:
        part: Part | None = None if head.practice_permille is None else "sealed"
        digest = sources.digest(head, part, tables)
    except SourceUnreadyError as error:
        digest, lacking = head.digest, str(error)
    return SourceInfo(
        kind=head.kind,
        name=head.name,
        digest=digest,
        default=head is mounted.heads[head.kind],
        access=head.access,
        labels_public=head.labels_public,
        divided=head.practice_permille is not None,
        licence=head.licence or terms.spdx,
        spdx=terms.spdx,
        credits=terms.credits,
        may_train=terms.may_train,
        may_redistribute=terms.may_redistribute,
        lacking=lacking,
        tracks=tuple(track.name for track in benchmark.card.tracks if head.kind in benchmark.kinds_of(track.name)),
    )


def _refuse_sources(wanted: Sequence[str], mounted: Mounted, track: str) -> Mounted:
    problem = f"{mounted.benchmark.name} draws from no source on track {track}"
    raise IdentityError([fault("source", title, problem, "leave it out") for title in wanted])

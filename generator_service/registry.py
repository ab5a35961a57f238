"""The registry: every version of every benchmark, mounted on the sources that are served, and on older ones.

The store of sources keeps older sources. One is opened when a draw needs it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from threading import RLock

from generator_service.benchmark import Benchmark
from generator_service.finding import RegistryError
from generator_service.mounting import (
    Mounted,
    SourcesInTheMaking,
    default_heads,
    kinds_drawn_from,
    marked_waiting,
    mount_all,
    mounted_corpora,
    mounted_on,
)
from generator_service.parameters import IdentityError, fault
from generator_service.sources.licences import terms_of
from generator_service.sources.objects import BUILTIN
from generator_service.sources.parts import Part
from generator_service.sources.serving import ServedSources, parse_defaults, split_title, titles
from generator_service.sources.store import (
    Head,
    SourceError,
    SourceMissingError,
    SourceStore,
    SourceUnfitError,
    SourceUnreadyError,
    of_folder,
)
from tetrad.contracts.benchmarks import SourceInfo
from tetrad.internal.source_digests import NO_SOURCE, combine_digests


class Registry:
    """All loaded versions of all benchmarks, each with the sources that are served, and with those kept for draws."""

    def __init__(
        self,
        benchmarks: Iterable[Mounted],
        sources: ServedSources | None = None,
        in_the_making: SourcesInTheMaking | None = None,
    ) -> None:
        self._by_version: dict[tuple[str, int], Mounted] = {}
        self._in_the_making = in_the_making
        self._sources = sources
        self._kept: dict[tuple[str, int, str], Mounted] = {}
        self._chosen: dict[tuple[str, int, frozenset[str], Part | None], Mounted] = {}
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
        in_the_making = self._in_the_making
        return () if in_the_making is None else sorted(in_the_making.kinds)

    def _look_again(self) -> None:
        """Mount again the benchmarks whose sources are made while the service is up.

        One thread does it at a time. Meanwhile, the others go on with what is mounted.
        """
        if self._in_the_making is None or not self._in_the_making.is_time():
            return
        if not self._opening.acquire(blocking=False):
            return
        try:
            in_the_making = self._in_the_making
            if in_the_making is None or not in_the_making.is_time():  # another thread was faster
                return
            self._chosen.clear()  # what was chosen earlier may lack a source that is there now
            mounted = {_key(benchmark): benchmark for benchmark in in_the_making.mount_again()}
            self._by_version = self._by_version | mounted  # a new mapping, for other threads may look through the old
            if not in_the_making.kinds:
                self._in_the_making = None
        finally:
            self._opening.release()

    def choose(self, mounted: Mounted, wanted: Sequence[str], track: str, part: Part) -> Mounted:
        """Return a served version with the sources that are named (KIND:NAME), and the default sources of other kinds.

        `part` is the part of divided sources to draw from.

        Raises:
            IdentityError: a name is not KIND:NAME, is of a kind that the track does not draw from, or is unknown here.
        """
        divided = any(head.practice_permille is not None for head in mounted.heads.values())
        if self._sources is None or not (wanted or divided):
            return mounted if not wanted else _refuse_sources(wanted, mounted, track)
        key = (mounted.benchmark.name, mounted.benchmark.version, frozenset(wanted), part)
        with self._opening:
            if key not in self._chosen:
                heads = dict(mounted.heads) | self._named_heads(mounted, wanted, track)
                try:
                    chosen = mounted_on(mounted.benchmark, heads, self._sources, part)
                    self._chosen[key] = marked_waiting(chosen, heads, self._sources)
                except SourceUnfitError as error:
                    raise _refusal(", ".join(wanted), error) from error
            return self._chosen[key]

    def sources(self, mounted: Mounted) -> tuple[SourceInfo, ...]:
        """Return the sources that draws of a version may use, the default of each kind first."""
        if self._sources is None:
            return ()
        infos: list[SourceInfo] = []
        for kind in sorted(kinds_drawn_from(mounted.benchmark) & mounted.heads.keys()):
            default = mounted.heads[kind]
            others = [head for head in self._sources.offered_heads(kind) if head.name != default.name]
            infos += [_source_info(head, mounted, self._sources) for head in (default, *others)]
        return tuple(infos)

    def _named_heads(self, mounted: Mounted, wanted: Sequence[str], track: str) -> dict[str, Head]:
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
                heads[kind] = self._head(kind, name)
            except SourceError as error:
                raise _refusal(text, error) from error
        return heads

    def _head(self, kind: str, name: str) -> Head:
        if self._sources is None:
            raise SourceMissingError(f"there is no source {kind}:{name}; name none")
        for head in self._sources.offered_heads(kind):
            if head.name == name:
                return head
        known = titles(self._sources.offered_heads(kind)) or "none"
        raise SourceMissingError(f"this instance has no source {kind}:{name}; use one of {known}")

    def _from_store(self, benchmark: Benchmark, bank_digest: str) -> Mounted | None:
        if self._sources is None or bank_digest == NO_SOURCE or benchmark.card.corpus is not None:
            return None
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
    in_the_making = SourcesInTheMaking(every, heads, sources, absent) if absent else None
    return Registry([*mounted, *corpora], sources, in_the_making)


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


def _refusal(text: str, error: SourceError) -> IdentityError:
    problem, _, remedy = str(error).partition("; ")
    return IdentityError([fault("source", text, problem, remedy)])


def _refuse_sources(wanted: Sequence[str], mounted: Mounted, track: str) -> Mounted:
    problem = f"{mounted.benchmark.name} draws from no source on track {track}"
    raise IdentityError([fault("source", title, problem, "leave it out") for title in wanted])

"""Find benchmarks: every folder under `generator_service/benchmarks` that has a BENCHMARK.

A folder may keep older versions beside the newest in `OLDER`, so that draws sealed under them stay answerable. The
store of sources keeps older sources likewise. An older source is opened when a draw needs it.
"""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from threading import RLock
from time import monotonic
from types import ModuleType
from typing import Any

import msgspec
import structlog

from generator_service import benchmarks
from generator_service.benchmark import Benchmark, Parameters
from generator_service.parameters import IdentityError, fault, resolve
from generator_service.sources.kinds import PUBLISHED
from generator_service.sources.memorised import baseline_rows
from generator_service.sources.objects import BUILTIN
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.packaged import progress_told as photographs_told
from generator_service.sources.parts import Part
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.people.progress import progress_told as people_told
from generator_service.sources.published import layout_of
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
from generator_service.sources.tables import find_table
from tetrad.contracts.benchmarks import SourceInfo
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.problems import Fault
from tetrad.internal.source_digests import NO_SOURCE, combined

NO_BANK = NO_SOURCE
LOOK_AGAIN_SECONDS = 5.0  # between two checks for a source that is still being made while the service is up
MADE_BESIDE: Mapping[str, Callable[[SourceStore], str]] = {PEOPLE: people_told, PHOTOGRAPHS: photographs_told}
"""Kinds of source that can be made while the service is up. Each function tells how far the one of a store is."""
FOLDER_VARIABLES = ("TETRAD_BENCHMARK_FOLDERS", "TETRAD_GENERATOR_BENCHMARK_FOLDERS")
LOG = structlog.get_logger()


class RegistryError(Exception):
    """The benchmarks found do not make a registry; the message names the folder and what to change."""


class TrackUnreadyError(Exception):
    """A track is on the card, but its sources lack something. The fault names what is missing and the remedy."""

    def __init__(self, benchmark: str, track: str, lacking: str) -> None:
        problem, _, remedy = lacking.partition("; ")
        super().__init__(f"{benchmark} can't be served on track {track}: {lacking}")
        self.fault = Fault(field="track", value=track, problem=f"can't be served: {problem}", remedy=remedy)


@dataclass(frozen=True)
class Mounted:
    """A benchmark with the sources it draws from, as it prepared them.

    bank_digest: the digest that stands for its sources in identities of draws; `digests` has that of each track.
    bank_name: the names of its sources. part: the part of divided sources that it draws from; None where no source is
    divided. lacking: for each track that can't be served, what its sources lack, with the operator's remedy.
    """

    benchmark: Benchmark
    bank: Any
    bank_digest: str
    bank_name: str = NO_BANK
    bank_credits: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, Head] = field(default_factory=dict)
    part: Part | None = None
    lacking: Mapping[str, str] = field(default_factory=dict)

    def check_ready(self, track: str) -> None:
        """Check that the sources of a track lack nothing.

        Raises:
            TrackUnreadyError: they lack something.
        """
        if track in self.lacking:
            raise TrackUnreadyError(self.benchmark.name, track, self.lacking[track])

    def digest_of(self, track: str) -> str:
        """Return the digest that stands for the sources of a track in the identities of its draws."""
        return self.digests.get(track, self.bank_digest)

    def has(self, bank_digest: str) -> bool:
        """Tell whether a track draws from the sources of this digest."""
        return bank_digest in {self.bank_digest, *self.digests.values()}

    def identity(self, track: str, setting: str, given: Parameters) -> DrawIdentity:
        """Return the identity of a draw from here. Parameters that were left out are at their defaults.

        Raises:
            IdentityError: an unknown track, setting or parameter, or a value out of its bounds.
            TrackUnreadyError: the sources of the track lack something.
        """
        card = self.benchmark.card
        self.check_ready(track)
        return DrawIdentity(
            benchmark=card.name,
            version=card.version,
            bank=self.digest_of(track),
            track=track,
            setting=setting,
            parameters=dict(resolve(card, track, setting, given)),
        )


class Registry:
    """All loaded versions of all benchmarks, each with the sources that are served, and with those kept for draws."""

    def __init__(
        self, mounted: Iterable[Mounted], sources: ServedSources | None = None, waiting: "Waiting | None" = None
    ) -> None:
        self._by_version: dict[tuple[str, int], Mounted] = {}
        self._waiting = waiting
        self._sources = sources
        self._kept: dict[tuple[str, int, str], Mounted] = {}
        self._chosen: dict[tuple[str, int, frozenset[str], Part | None], Mounted] = {}
        self._opening = RLock()
        for one in mounted:
            key = (one.benchmark.name, one.benchmark.version)
            if key in self._by_version:
                raise RegistryError(f"{key[0]} version {key[1]} is found twice; give one of them another version")
            self._by_version[key] = one

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

    def _look_again(self) -> None:
        """Mount again the benchmarks that wait for a source which is made while the service is up."""
        waiting = self._waiting
        if waiting is None or not waiting.is_time():
            return
        with self._opening:
            self._chosen.clear()  # what was chosen earlier may lack a source that is there now
            for mounted in waiting.mounted():
                self._by_version[mounted.benchmark.name, mounted.benchmark.version] = mounted
            if not waiting.kinds:
                self._waiting = None

    def chosen(self, mounted: Mounted, wanted: Sequence[str], track: str, part: Part) -> Mounted:
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
                heads = dict(mounted.heads) | self._named(mounted, wanted, track)
                try:
                    chosen = _mounted(mounted.benchmark, heads, self._sources, part)
                    self._chosen[key] = _waiting(chosen, heads, self._sources)
                except SourceUnfitError as error:
                    raise _refused(", ".join(wanted), error) from error
            return self._chosen[key]

    def sources(self, mounted: Mounted) -> tuple[SourceInfo, ...]:
        """Return the sources that draws of a version may use, the default of each kind first."""
        if self._sources is None:
            return ()
        found: list[SourceInfo] = []
        kinds = {kind for track in mounted.benchmark.card.tracks for kind in _kinds(mounted, track.name)}
        for kind in sorted(kinds & mounted.heads.keys()):
            default = mounted.heads[kind]
            others = [head for head in self._sources.offered(kind) if head.name != default.name]
            found += [_told(head, mounted, head is default, self._sources) for head in (default, *others)]
        return tuple(found)

    def _named(self, mounted: Mounted, wanted: Sequence[str], track: str) -> dict[str, Head]:
        """Return the heads of the sources that are named, by kind."""
        found: dict[str, Head] = {}
        drawn_from = _kinds(mounted, track)
        for text in wanted:
            try:
                kind, name = split_title(text)
                if kind not in drawn_from:
                    allowed = ", ".join(drawn_from) or "no source"
                    problem = f"{mounted.benchmark.name} draws from {allowed} on track {track}"
                    raise IdentityError([fault("source", text, problem, "name a source of these kinds, or none")])
                if kind in found:
                    problem = f"a draw takes one source of the kind {kind}"
                    raise IdentityError([fault("source", text, problem, f"leave out {found[kind].title} or {text}")])
                found[kind] = self._head(kind, name)
            except SourceError as error:
                raise _refused(text, error) from error
        return found

    def _head(self, kind: str, name: str) -> Head:
        if self._sources is None:
            raise SourceMissingError(f"there is no source {kind}:{name}; name none")
        for head in self._sources.offered(kind):
            if head.name == name:
                return head
        known = titles(self._sources.offered(kind)) or "none"
        raise SourceMissingError(f"this instance has no source {kind}:{name}; use one of {known}")

    def _from_store(self, benchmark: Benchmark, bank_digest: str) -> Mounted | None:
        if self._sources is None or bank_digest == NO_SOURCE:
            return None
        if benchmark.card.corpus is not None:
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
                        return _mounted(benchmark, chosen, self._sources, part)
        return None

    def _digest_of(self, benchmark: Benchmark, heads: Mapping[str, Head], part: Part | None) -> str | None:
        if self._sources is None:
            return None
        try:
            return combined(
                {kind: self._sources.digest(head, part, benchmark.tables.get(kind, ())) for kind, head in heads.items()}
            )
        except SourceMissingError:
            return None


def benchmark_folders(environ: Mapping[str, str], given: Sequence[Path] = ()) -> list[Path]:
    """Return the further folders of benchmarks: those given, and those that the two variables name, joined by colons.

    Every command and `make up` use TETRAD_BENCHMARK_FOLDERS. A generator in a container uses
    TETRAD_GENERATOR_BENCHMARK_FOLDERS.


    Raises:
        RegistryError: one is not a folder of benchmarks.
    """
    named = [text for name in FOLDER_VARIABLES for text in environ.get(name, "").split(":") if text]
    folders = list(dict.fromkeys(path.absolute() for path in (*given, *map(Path, named))))
    for folder in folders:
        if not folder.is_dir():
            raise RegistryError(f"{folder} is not a folder: name one that holds folders of benchmarks")
        if (folder / "__init__.py").exists():
            raise RegistryError(f"{folder} is a benchmark itself: name the folder around it, {folder.parent}")
        if not any(path.parent.parent == folder for path in folder.glob("*/__init__.py")):
            raise RegistryError(f"{folder} holds no benchmark: a benchmark is a folder in it with an __init__.py")
    return folders


def named_benchmarks(names: Sequence[str], folders: Sequence[Path]) -> list[Benchmark]:
    """Return all versions of the benchmarks of these names, or of all benchmarks where no name is given.

    A draft is returned only where it is named.

    Raises:
        RegistryError: there is no benchmark of a name. The message lists the names that there are.
    """
    every = list(find_benchmarks(folders))
    folders_found = {module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.ispkg}
    every += [draft for name in dict.fromkeys(names) if name in folders_found and (draft := _draft(name)) is not None]
    known = sorted({one.name for one in every})
    if unknown := [name for name in names if name not in known]:
        where, there = ", ".join(dict.fromkeys(map(str, benchmarks.__path__))), ", ".join(known) or "none"
        raise RegistryError(f"there is no benchmark {', '.join(unknown)} in {where}; there are: {there}")
    return [one for one in every if not names or one.name in names]


def find_benchmarks(folders: Sequence[Path] = ()) -> Iterator[Benchmark]:
    """Yield every benchmark of our own folder and of `folders`, older versions included.

    A folder with a DRAFT and no BENCHMARK is left out: it is being written.

    Raises:
        RegistryError: a folder has no BENCHMARK, or its BENCHMARK is not a Benchmark.
    """
    for folder in folders:
        if str(folder) not in benchmarks.__path__:
            benchmarks.__path__.append(str(folder))
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.ispkg:
            yield from _versions(module.name)


def mount(
    found: Iterable[Benchmark],
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
    every = list(found)
    kinds = {kind for one in every for track in one.card.tracks for kind in one.kinds_of(track.name)}
    heads = _heads(kinds, every, sources)
    served = [_served(benchmark, heads, sources) for benchmark in every]
    corpora = _published(sources) if published else []
    absent = kinds & sources.expected - heads.keys()
    waiting = Waiting(every, heads, sources, absent) if absent else None
    return Registry([*(one for one in served if one is not None), *corpora], sources, waiting)


@dataclass
class Waiting:
    """Benchmarks that wait for sources which are made while the service is up: `kinds` are not there yet."""

    benchmarks: Sequence[Benchmark]
    heads: Mapping[str, Head]
    sources: ServedSources
    kinds: set[str]
    _looked_at: float = field(default_factory=monotonic)
    _told: Sequence[str] = ()

    def is_time(self) -> bool:
        """Tell whether to look at the store again."""
        return monotonic() >= self._looked_at + LOOK_AGAIN_SECONDS

    def mounted(self) -> list[Mounted]:
        """Look at the store; if anything changed, mount every benchmark that waited, with the sources there are."""
        self._looked_at = monotonic()
        waited, told = self.kinds, self._told
        found = _heads(waited, self.benchmarks, self.sources)
        self.heads = {**self.heads, **found}
        self.kinds = waited - found.keys()
        self._told = [MADE_BESIDE[kind](self.sources.store) for kind in sorted(self.kinds)]
        if not found and self._told == told:
            return []
        of_them = [one for one in self.benchmarks if any(waited & set(one.kinds_of(t.name)) for t in one.card.tracks)]
        served = [_served(benchmark, self.heads, self.sources) for benchmark in of_them]
        return [one for one in served if one is not None]


def _heads(kinds: Collection[str], found: Iterable[Benchmark], sources: ServedSources) -> dict[str, Head]:
    """Return the default source of each kind. One that is still being made, or lacks tables yet, is left out."""
    tables = {kind: {table for one in found for table in one.tables.get(kind, ())} for kind in kinds}
    heads = {kind: head for kind in sorted(kinds) if (head := sources.default(kind)) is not None}
    return {
        kind: head
        for kind, head in heads.items()
        if kind not in sources.expected
        or all(find_table(sources.store, head.digest, table) is not None for table in tables[kind])
    }


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"{benchmarks.__name__}.{name}")
    except Exception as error:
        raise RegistryError(f"benchmarks/{name}: can't be imported: {type(error).__name__}: {error}") from error


def _draft(name: str) -> Benchmark | None:
    """Return the DRAFT of a folder that has no BENCHMARK."""
    module = _imported(name)
    if hasattr(module, "BENCHMARK") or not hasattr(module, "DRAFT"):
        return None
    draft = module.DRAFT
    if not isinstance(draft, Benchmark) or draft.name != name:
        raise RegistryError(f"benchmarks/{name}: DRAFT in __init__.py must be a Benchmark named {name!r}")
    return draft


def _versions(name: str) -> list[Benchmark]:
    module = _imported(name)
    if hasattr(module, "DRAFT") and not hasattr(module, "BENCHMARK"):
        return []
    older: Mapping[int, Benchmark] = getattr(module, "OLDER", {})
    versions = [getattr(module, "BENCHMARK", None), *older.values()]
    if not all(isinstance(one, Benchmark) and one.name == name for one in versions):
        raise RegistryError(f"benchmarks/{name}: __init__.py must define BENCHMARK, a Benchmark named {name!r}")
    return [one for one in versions if one is not None]


def _served(benchmark: Benchmark, heads: Mapping[str, Head], sources: ServedSources) -> Mounted | None:
    """Mount the tracks of a benchmark that have their sources here; None where no track has, or a bound one is gone."""
    card = benchmark.card
    kept = {kind: sources.store.find(kind, digest) for kind, digest in benchmark.bound.items()}
    if None in kept.values():
        return None
    heads = {**heads, **{kind: head for kind, head in kept.items() if head is not None}}
    there = heads.keys() | sources.expected
    # The first track is the default, so tracks that still wait for a source come last.
    in_order = sorted(card.tracks, key=lambda track: not set(benchmark.kinds_of(track.name)) <= heads.keys())
    tracks = tuple(track for track in in_order if set(benchmark.kinds_of(track.name)) <= there)
    if len(tracks) < len(card.tracks):
        without = [track.name for track in card.tracks if track not in tracks]
        missing = sorted({kind for name in without for kind in benchmark.kinds_of(name)} - there)
        remedy = "; ".join(f"tetrad source add {kind} PATH --name NAME" for kind in missing)
        if not set(without) <= set(benchmark.brought_tracks):
            LOG.warning("tracks not served", benchmark=card.name, tracks=without, missing=missing, remedy=remedy)
        if not tracks:
            return None
    if tracks != card.tracks:
        benchmark = replace(benchmark, card=msgspec.structs.replace(card, tracks=tracks))
    part: Part | None = "sealed" if any(head.practice_permille is not None for head in heads.values()) else None
    try:
        mounted = _mounted(benchmark, heads, sources, part)
    except SourceUnfitError as error:
        return _waiting(_without_sources(benchmark, heads, str(error)), heads, sources)
    for track, lacking in mounted.lacking.items():
        LOG.warning("track not ready", benchmark=card.name, track=track, lacking=lacking)
    return _with_baselines(_waiting(mounted, heads, sources), sources)


def _waiting(mounted: Mounted, heads: Mapping[str, Head], sources: ServedSources) -> Mounted:
    """Mark each track whose source is still being made, and say how far it is."""
    benchmark = mounted.benchmark
    absent = {
        track.name: "; ".join(MADE_BESIDE[kind](sources.store) for kind in missing)
        for track in benchmark.card.tracks
        if (missing := sorted(set(benchmark.kinds_of(track.name)) - heads.keys()))
    }
    digests = dict(mounted.digests) | dict.fromkeys(absent, NO_BANK)
    return replace(mounted, lacking={**mounted.lacking, **absent}, digests=digests) if absent else mounted


def _with_baselines(mounted: Mounted, sources: ServedSources) -> Mounted:
    """Add to the card the scores of a solver that knows the practice half of a divided source by heart."""
    benchmark = mounted.benchmark
    heads = [head for kind in mounted.heads for head in sources.offered(kind)]
    rows = tuple(baseline_rows(sources.store, heads, benchmark.card))
    if not rows:
        return mounted
    card = msgspec.structs.replace(benchmark.card, reference=(*benchmark.card.reference, *rows))
    return replace(mounted, benchmark=replace(benchmark, card=card))


def _mounted(benchmark: Benchmark, heads: Mapping[str, Head], sources: ServedSources, part: Part | None) -> Mounted:
    """Mount a benchmark on these sources; tracks whose sources lack a table are left out of what it draws from.

    Raises:
        SourceUnfitError: a source lacks what the benchmark needs.
    """
    used = _used(benchmark, heads)
    if not used:
        return Mounted(benchmark, None, NO_BANK)
    part = part if any(head.practice_permille is not None for head in used.values()) else None
    digests: dict[str, str] = {}
    unready: dict[str, str] = {}
    for kind, head in used.items():
        try:
            digests[kind] = sources.digest(head, part, benchmark.tables.get(kind, ()))
        except SourceUnreadyError as error:
            unready[kind] = str(error)
    opened = {kind: sources.open(used[kind], part) for kind in digests}
    try:
        bank, unfit = _bank(benchmark, opened)
    except SourceUnreadyError as error:  # the benchmark opens a table that it does not name in `tables`
        return _without_sources(benchmark, heads, str(error))
    unready |= unfit
    digests = {kind: digest for kind, digest in digests.items() if kind not in unfit}
    lacking = {
        track.name: "; ".join(unready[kind] for kind in benchmark.kinds_of(track.name) if kind in unready)
        for track in benchmark.card.tracks
        if unready.keys() & set(benchmark.kinds_of(track.name))
    }
    by_track = {
        track.name: NO_BANK
        if track.name in lacking
        else combined({kind: digests[kind] for kind in benchmark.kinds_of(track.name) if kind in digests})
        for track in benchmark.card.tracks
    }
    return Mounted(
        benchmark,
        bank,
        by_track[benchmark.card.tracks[0].name],
        _names(used),
        tuple(line for head in used.values() for line in head.credits),
        by_track,
        used,
        part,
        lacking,
    )


def _bank(benchmark: Benchmark, opened: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
    """Return the bank that the benchmark prepares, and the reason for each source that it can't use, by kind.

    Raises:
        SourceUnfitError: it can't use any source, or does not say which source it can't use.
    """
    left, unfit = dict(opened), dict[str, str]()
    while benchmark.prepare is not None and left:
        try:
            return benchmark.prepare(left), unfit
        except SourceUnfitError as error:
            if error.kind not in left or len(left) == 1:
                raise
            unfit[error.kind] = str(error)
            del left[error.kind]
    return left, unfit


def _used(benchmark: Benchmark, heads: Mapping[str, Head]) -> dict[str, Head]:
    """Return those of the sources that the benchmark draws from, by kind."""
    kinds = sorted({kind for track in benchmark.card.tracks for kind in benchmark.kinds_of(track.name)})
    return {kind: heads[kind] for kind in kinds if kind in heads}


def _names(used: Mapping[str, Head]) -> str:
    return titles(used.values()) if len(used) > 1 else next(iter(used.values())).name


def _without_sources(benchmark: Benchmark, heads: Mapping[str, Head], lacking: str) -> Mounted:
    """Mount a benchmark that can't draw from its default sources. Each track with sources says why."""
    used = _used(benchmark, heads)
    LOG.warning("benchmark not ready", benchmark=benchmark.name, lacking=lacking)
    return Mounted(
        benchmark,
        None,
        NO_BANK,
        _names(used),
        heads=used,
        lacking={track.name: lacking for track in benchmark.card.tracks if benchmark.kinds_of(track.name)},
    )


def _published(sources: ServedSources) -> Iterator[Mounted]:
    """Yield every published source, mounted as a benchmark. The source's own digest is its bank digest.

    Raises:
        SourceDamagedError: one has changed since it was added.
    """
    for head in sources.offered(PUBLISHED):
        corpus = sources.open(head, None)
        yield Mounted(layout_of(head).benchmark(corpus), corpus, corpus.digest)


def _kinds(mounted: Mounted, track: str) -> tuple[str, ...]:
    return mounted.benchmark.kinds_of(track)


def _parts(heads: Sequence[Head]) -> tuple[Part | None, ...]:
    return ("practice", "sealed") if any(head.practice_permille is not None for head in heads) else (None,)


def _told(head: Head, mounted: Mounted, is_default: bool, sources: ServedSources) -> SourceInfo:  # noqa: FBT001
    tables = mounted.benchmark.tables.get(head.kind, ())
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
        default=is_default,
        access=head.access,
        labels_public=head.labels_public,
        divided=head.practice_permille is not None,
        licence=head.licence,
        credits=head.credits,
        lacking=lacking,
        tracks=tuple(track.name for track in mounted.benchmark.card.tracks if head.kind in _kinds(mounted, track.name)),
    )


def _refused(text: str, error: SourceError) -> IdentityError:
    problem, _, remedy = str(error).partition("; ")
    return IdentityError([fault("source", text, problem, remedy)])


def _refuse_sources(wanted: Sequence[str], mounted: Mounted, track: str) -> Mounted:
    problem = f"{mounted.benchmark.name} draws from no source on track {track}"
    raise IdentityError([fault("source", one, problem, "leave it out") for one in wanted])

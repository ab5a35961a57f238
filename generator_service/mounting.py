"""Mount benchmarks on the sources of a store: what a mounted benchmark is, and the functions that make one."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from generator_service.benchmark import Benchmark, Parameters
from generator_service.parameters import resolve
from generator_service.sources.kinds import PUBLISHED
from generator_service.sources.memorised import baseline_rows
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.packaged import progress_text as photographs_progress
from generator_service.sources.parts import Part
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.people.progress import progress_text as people_progress
from generator_service.sources.published import layout_of
from generator_service.sources.serving import ServedSources, titles
from generator_service.sources.store import Head, SourceStore, SourceUnfitError, SourceUnreadyError
from generator_service.sources.tables import find_table
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.problems import Fault
from tetrad.internal.source_digests import NO_SOURCE, combine_digests

NO_BANK = NO_SOURCE
CORPUS_WITHDRAWN = "this corpus is offered no longer; choose another"
MADE_BESIDE: Mapping[str, Callable[[SourceStore], str]] = {
    PEOPLE: people_progress,
    PHOTOGRAPHS: photographs_progress,
}
"""Kinds of source that can be made while the service is up. Each function says how far the one of a store is."""
log = logging.getLogger(__name__)


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
    withdrawn: the kinds whose default source is offered no longer, and why nothing is in its place.
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
    withdrawn: Mapping[str, str] = field(default_factory=dict)

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


def kinds_drawn_from(benchmark: Benchmark) -> set[str]:
    """Return the kinds of source that the tracks of a benchmark draw from."""
    return {kind for track in benchmark.card.tracks for kind in benchmark.kinds_of(track.name)}


def default_heads(kinds: Collection[str], benchmarks: Sequence[Benchmark], sources: ServedSources) -> dict[str, Head]:
    """Return the default source of each kind. One that is still being made, or lacks tables yet, is left out."""
    tables = {kind: {table for benchmark in benchmarks for table in benchmark.tables.get(kind, ())} for kind in kinds}
    heads = {kind: head for kind in sorted(kinds) if (head := sources.default(kind)) is not None}
    return {
        kind: head
        for kind, head in heads.items()
        if kind not in sources.expected
        or all(find_table(sources.store, head.digest, table) is not None for table in tables[kind])
    }


def mount_all(benchmarks: Iterable[Benchmark], heads: Mapping[str, Head], sources: ServedSources) -> list[Mounted]:
    """Mount these benchmarks on the default sources; leave out those of which no track can be served."""
    mounted = (_mount_served(benchmark, heads, sources) for benchmark in benchmarks)
    return [benchmark for benchmark in mounted if benchmark is not None]


def _mount_served(benchmark: Benchmark, heads: Mapping[str, Head], sources: ServedSources) -> Mounted | None:
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
            fields = {"benchmark": card.name, "tracks": without, "missing": missing, "remedy": remedy}
            log.warning("tracks not served", extra=fields)
        if not tracks:
            return None
    if tracks != card.tracks:
        benchmark = replace(benchmark, card=msgspec.structs.replace(card, tracks=tracks))
    part: Part | None = "sealed" if any(head.practice_permille is not None for head in heads.values()) else None
    try:
        mounted = mounted_on(benchmark, heads, sources, part)
    except SourceUnfitError as error:
        return marked_waiting(without_sources(benchmark, heads, str(error)), heads, sources)
    for track, lacking in mounted.lacking.items():
        log.warning("track not ready", extra={"benchmark": card.name, "track": track, "lacking": lacking})
    return with_baselines(marked_waiting(mounted, heads, sources), sources)


def marked_waiting(mounted: Mounted, heads: Mapping[str, Head], sources: ServedSources) -> Mounted:
    """Return it with each track marked whose source is still being made, and how far that is."""
    benchmark = mounted.benchmark
    absent = {
        track.name: "; ".join(MADE_BESIDE[kind](sources.store) for kind in missing)
        for track in benchmark.card.tracks
        if (missing := sorted(set(benchmark.kinds_of(track.name)) - heads.keys()))
    }
    digests = dict(mounted.digests) | dict.fromkeys(absent, NO_BANK)
    return replace(mounted, lacking={**mounted.lacking, **absent}, digests=digests) if absent else mounted


def with_baselines(mounted: Mounted, sources: ServedSources) -> Mounted:
    """Return it with the scores of a solver that knows the practice half of a divided source by heart on its card."""
    benchmark = mounted.benchmark
    heads = [head for kind in mounted.heads for head in sources.offered_heads(kind)]
    rows = tuple(baseline_rows(sources.store, heads, benchmark.card))
    if not rows:
        return mounted
    card = msgspec.structs.replace(benchmark.card, reference=(*benchmark.card.reference, *rows))
    return replace(mounted, benchmark=replace(benchmark, card=card))


def mounted_on(benchmark: Benchmark, heads: Mapping[str, Head], sources: ServedSources, part: Part | None) -> Mounted:
    """Mount a benchmark on these sources; tracks whose sources lack a table are left out of what it draws from.

    Raises:
        SourceUnfitError: a source lacks what the benchmark needs.
    """
    used = _used_heads(benchmark, heads)
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
        return without_sources(benchmark, heads, str(error))
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
        else combine_digests({kind: digests[kind] for kind in benchmark.kinds_of(track.name) if kind in digests})
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


def _used_heads(benchmark: Benchmark, heads: Mapping[str, Head]) -> dict[str, Head]:
    """Return those of the sources that the benchmark draws from, by kind."""
    return {kind: heads[kind] for kind in sorted(kinds_drawn_from(benchmark)) if kind in heads}


def _names(used: Mapping[str, Head]) -> str:
    return titles(used.values()) if len(used) > 1 else next(iter(used.values())).name


def without_sources(benchmark: Benchmark, heads: Mapping[str, Head], lacking: str) -> Mounted:
    """Mount a benchmark that can't draw from its default sources. Each track with sources says why."""
    used = _used_heads(benchmark, heads)
    log.warning("benchmark not ready", extra={"benchmark": benchmark.name, "lacking": lacking})
    return Mounted(
        benchmark,
        None,
        NO_BANK,
        _names(used),
        heads=used,
        lacking={track.name: lacking for track in benchmark.card.tracks if benchmark.kinds_of(track.name)},
    )


def mounted_corpora(sources: ServedSources) -> Iterator[Mounted]:
    """Yield a benchmark for each name of a published source. The source's own digest is its bank digest.

    Where all sources of a name are retired, the newest is mounted for its open draws, and takes no new ones.

    Raises:
        SourceDamagedError: one has changed since it was added.
    """
    newest = {head.name: head for head in sources.offered_heads(PUBLISHED)}
    for head in sources.store.heads(PUBLISHED):
        newest.setdefault(head.name, head)
    for head in newest.values():
        mounted = mounted_corpus(head, sources)
        yield mark_withdrawn(mounted) if head.retired else mounted


def mounted_corpus(head: Head, sources: ServedSources) -> Mounted:
    corpus = sources.open(head, None)
    return Mounted(layout_of(head).benchmark(corpus), corpus, corpus.digest)


def mark_withdrawn(corpus: Mounted) -> Mounted:
    """Return a fixed corpus that is offered no longer: what is open goes on, and nothing new begins."""
    return mark_lacking(corpus, dict.fromkeys((track.name for track in corpus.benchmark.card.tracks), CORPUS_WITHDRAWN))


def mark_lacking(mounted: Mounted, lacking: Mapping[str, str]) -> Mounted:
    """Return it with these tracks marked, which no new draw may use. Draws that there are have their digests."""
    tracks = [track.name for track in mounted.benchmark.card.tracks]
    digests = {track: NO_BANK if track in lacking else mounted.digest_of(track) for track in tracks}
    return replace(mounted, lacking={**mounted.lacking, **lacking}, digests=digests, bank_digest=digests[tracks[0]])


def withdraw(mounted: Mounted, reasons: Mapping[str, str]) -> Mounted:
    """Return it with its default sources of these kinds withdrawn: for each kind why."""
    benchmark = mounted.benchmark
    reasons = {kind: reason for kind, reason in reasons.items() if kind not in benchmark.bound}
    lacking = {
        track.name: "; ".join(reasons[kind] for kind in benchmark.kinds_of(track.name) if kind in reasons)
        for track in benchmark.card.tracks
        if reasons.keys() & set(benchmark.kinds_of(track.name))
    }
    return replace(mark_lacking(mounted, lacking), withdrawn=reasons) if lacking else mounted

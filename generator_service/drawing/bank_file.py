"""A bank on disk: one file of compressed pictures, mapped into memory, an index that vouches for it, and its tables.

The index is written last and holds size and SHA-256 of the pictures' file, so that a torn, truncated or altered bank
is never served. What can be told apart of each picture is measured from the pictures and kept beside them under the
measuring code's own key: code that measures more measures a bank again, whoever made the pictures.
"""

import fcntl
import hashlib
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
import numpy as np

from generator_service.drawing.canvas import Picture
from generator_service.drawing.portrait import SIDE
from generator_service.drawing.sources import source_digest
from generator_service.drawing.visibility import Appearance, measure
from tetrad.server.clock import now_ms

MEASURED_BY = ("canvas", "visibility")  # the modules that the tables depend on


class CacheUnusable(Exception):  # noqa: N818 - named for what went wrong
    """The cache folder doesn't keep what is written to it."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One object and where its compressed picture lies. `group`: the folder it came from, "" where there is none."""

    id: str
    kind: str
    variant: int
    offset: int
    length: int
    group: str = ""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """The whole bank: `digest` over ids and pixels, `size` and `checksum` of the pictures' file.

    `made_at`: Unix milliseconds, so that the newest of a name is known. `credits`: what its licences ask to show.
    """

    name: str
    digest: str
    size: int
    checksum: str
    entries: tuple[Entry, ...]
    made_at: int
    credits: tuple[str, ...] = ()


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """One object fresh from drawing: zlib-compressed pixels, their SHA-256, its table."""

    id: str
    kind: str
    variant: int
    compressed: bytes
    pixels: str
    appearance: Appearance
    group: str = ""


def finished(picture: Picture, *, name: str, kind: str, variant: int, group: str = "") -> Drawn:
    """Measure a picture and pack it for the bank's file."""
    pixels = np.ascontiguousarray(picture).tobytes()
    return Drawn(
        id=name,
        kind=kind,
        variant=variant,
        group=group,
        compressed=zlib.compress(pixels, 6),
        pixels=hashlib.sha256(pixels).hexdigest(),
        appearance=measure(picture),
    )


@dataclass(frozen=True)
class Place:
    """Where a bank lies: a folder, the bank's name, and a key of 16 hex digits that tells apart banks of one name."""

    folder: Path
    name: str
    key: str

    def file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}-{self.key}.{suffix}"


@dataclass(frozen=True, eq=False)
class StoredBank:
    """An index and the mapped file it vouches for."""

    index: Index
    content: mmap.mmap
    places: dict[str, Entry]

    def picture(self, object_id: str) -> Picture:
        entry = self.places[object_id]
        raw = zlib.decompress(self.content[entry.offset : entry.offset + entry.length])
        return np.frombuffer(raw, np.uint8).reshape(SIDE, SIDE, 4)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, as whoever writes there does; the system frees it when a process dies."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "bank.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def places(folder: Path) -> list[Place]:
    """List where the folder's banks lie, by name and key."""
    found = [path.name.removesuffix(".pictures").rpartition("-") for path in folder.glob("*.pictures")]
    return [Place(folder, name, key) for name, _, key in sorted(found) if name]


def read_index(place: Place) -> Index | None:
    """Read the index alone; None where it is absent or damaged."""
    try:
        return msgspec.json.decode(place.file("json").read_bytes(), type=Index)
    except (OSError, ValueError):  # absent, not JSON, or not an index
        return None


def find(place: Place) -> StoredBank | None:
    """Open the bank at this place; None where it is absent, incomplete or damaged."""
    index = read_index(place)
    try:
        with place.file("pictures").open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # absent, or an empty file, which can't be mapped
        return None
    if index is None or len(content) != index.size or hashlib.sha256(content).hexdigest() != index.checksum:
        content.close()
        return None
    return StoredBank(index, content, {entry.id: entry for entry in index.entries})


def find_tables(place: Place) -> dict[str, Appearance] | None:
    """Return the tables that the present code has measured; None where it has not."""
    try:
        return msgspec.json.decode(place.file(_tables()).read_bytes(), type=dict[str, Appearance])
    except (OSError, ValueError):
        return None


def store(place: Place, drawn: list[Drawn], credit: tuple[str, ...] = ()) -> None:
    """Write pictures, tables and index, in this order, each whole or not at all."""
    content = b"".join(each.compressed for each in drawn)
    _write(place.file("pictures"), content)
    store_tables(place, {each.id: each.appearance for each in drawn})
    _write(place.file("json"), msgspec.json.encode(_index(place.name, drawn, content, credit)))


def store_tables(place: Place, tables: dict[str, Appearance]) -> None:
    """Write the tables that the present code measured."""
    _write(place.file(_tables()), msgspec.json.encode(tables))


def remove(place: Place) -> None:
    """Take the bank away, its index first: what is left of a removal cut short is no bank."""
    for path in (place.file("json"), *place.folder.glob(f"{place.name}-{place.key}.*")):
        path.unlink(missing_ok=True)


def digest(fields: Iterable[str]) -> str:
    """Hash the fields, each with its length before it, so that no two lists of fields run together."""
    hasher = hashlib.sha256()
    for field in (text.encode() for text in fields):
        hasher.update(len(field).to_bytes(8, "big") + field)
    return hasher.hexdigest()


def bank_digest(drawn: Iterable[Drawn]) -> str:
    """Return the identity of a bank of these objects: a SHA-256 over ids and decoded pixels."""
    return digest(field for each in drawn for field in (each.id, each.pixels))


def _tables() -> str:
    here = Path(__file__).parent
    return f"tables-{source_digest(here / f'{module}.py' for module in MEASURED_BY)[:16]}"


def _index(name: str, drawn: list[Drawn], content: bytes, credit: tuple[str, ...]) -> Index:
    entries = []
    offset = 0
    for each in drawn:
        entries.append(
            Entry(
                id=each.id,
                kind=each.kind,
                variant=each.variant,
                offset=offset,
                length=len(each.compressed),
                group=each.group,
            )
        )
        offset += len(each.compressed)
    return Index(
        name=name,
        digest=bank_digest(drawn),
        size=len(content),
        checksum=hashlib.sha256(content).hexdigest(),
        entries=tuple(entries),
        made_at=now_ms(),
        credits=credit,
    )


def _write(path: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}", delete=False) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(0o644)  # temporary files are private; other services' users read the cache
    Path(file.name).replace(path)

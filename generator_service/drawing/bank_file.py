"""The bank on disk: one file of compressed pictures, mapped into memory, and one index that vouches for it.

The index is written last and holds size and SHA-256 of the pictures' file, so that a torn, truncated or altered cache
is never served.
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
from generator_service.drawing.visibility import Appearance


class CacheUnusable(Exception):  # noqa: N818 - named for what went wrong
    """The cache folder doesn't keep what is written to it."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One object: where its compressed picture lies, and what can be seen of it."""

    id: str
    kind: str
    variant: int
    offset: int
    length: int
    appearance: Appearance


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """The whole bank: `digest` over ids and pixels, `size` and `checksum` of the pictures' file."""

    digest: str
    size: int
    checksum: str
    entries: tuple[Entry, ...]


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """One object fresh from drawing: zlib-compressed pixels, their SHA-256, its table."""

    id: str
    kind: str
    variant: int
    compressed: bytes
    pixels: str
    appearance: Appearance


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
    """Hold the folder's lock; the system frees it when a process dies."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "bank.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find(folder: Path, key: str) -> StoredBank | None:
    """Open the bank drawn under this key; None where it is absent, incomplete or damaged."""
    try:
        index = msgspec.json.decode(_index_path(folder, key).read_bytes(), type=Index)
        with _pictures_path(folder, key).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # absent, not JSON, not an index, or an empty file, which can't be mapped
        return None
    if len(content) != index.size or hashlib.sha256(content).hexdigest() != index.checksum:
        content.close()
        return None
    return StoredBank(index, content, {entry.id: entry for entry in index.entries})


def store(folder: Path, key: str, drawn: list[Drawn]) -> None:
    """Write the pictures, then the index, each whole or not at all."""
    content = b"".join(each.compressed for each in drawn)
    _write(_pictures_path(folder, key), content)
    _write(_index_path(folder, key), msgspec.json.encode(_index(drawn, content)))


def digest(fields: Iterable[str]) -> str:
    """Hash the fields, each with its length before it, so that no two lists of fields run together."""
    hasher = hashlib.sha256()
    for field in (text.encode() for text in fields):
        hasher.update(len(field).to_bytes(8, "big") + field)
    return hasher.hexdigest()


def _index(drawn: list[Drawn], content: bytes) -> Index:
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
                appearance=each.appearance,
            )
        )
        offset += len(each.compressed)
    return Index(
        digest=digest(field for each in drawn for field in (each.id, each.pixels)),
        size=len(content),
        checksum=hashlib.sha256(content).hexdigest(),
        entries=tuple(entries),
    )


def _write(path: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(0o644)  # temporary files are private; other services' users read the cache
    Path(file.name).replace(path)


def _pictures_path(folder: Path, key: str) -> Path:
    return folder / f"bank-{key}.pictures"


def _index_path(folder: Path, key: str) -> Path:
    return folder / f"bank-{key}.json"

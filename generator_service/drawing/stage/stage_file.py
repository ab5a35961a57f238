"""The stage bank on disk: one file of layers, mapped into memory, and one index that vouches for it.

Rooms lie there as they are, so that every process of a machine shares one copy and none takes time to unpack it;
wares are small and compressed. The index is written last and holds size and SHA-256 of the layers' file.
"""

import hashlib
import mmap
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
import numpy as np

from generator_service.drawing.bank_file import digest
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_maker import Drawn

_LARGE = 1 << 20  # bytes from which on a layer lies uncompressed


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Where a layer lies, and its window of the canvas; `shadowed`: a shadow of the same size follows its depth."""

    offset: int
    length: int
    packed: bool
    left: int
    top: int
    height: int
    width: int
    shadowed: bool


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """The whole bank: `digest` over names and pixels, `size` and `checksum` of the layers' file."""

    digest: str
    size: int
    checksum: str
    entries: dict[str, Entry]


@dataclass(frozen=True, eq=False)
class StoredStage:
    index: Index
    content: mmap.mmap

    def layer(self, name: str) -> Layer:
        """Return the layer of this name, read-only; KeyError for an unknown one."""
        entry = self.index.entries[name]
        if not entry.packed:
            return _unpacked(entry, self.content, entry.offset)
        return _unpacked(entry, zlib.decompress(self.content[entry.offset : entry.offset + entry.length]), 0)


def find(folder: Path, key: str) -> StoredStage | None:
    """Open the bank drawn under this key; None where it is absent, incomplete or damaged."""
    try:
        index = msgspec.json.decode(_path(folder, key, "json").read_bytes(), type=Index)
        with _path(folder, key, "layers").open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # absent, not JSON, not an index, or an empty file, which can't be mapped
        return None
    if len(content) != index.size or hashlib.sha256(content).hexdigest() != index.checksum:
        content.close()
        return None
    return StoredStage(index, content)


def store(folder: Path, key: str, drawn: Iterable[Drawn]) -> None:
    """Write the layers as they come, then the index, each whole or not at all."""
    entries: dict[str, Entry] = {}
    names: list[str] = []
    hasher, offset = hashlib.sha256(), 0
    with NamedTemporaryFile(dir=folder, prefix="stage-", delete=False) as file:
        for each in drawn:
            raw = _raw(each.layer)
            packed = len(raw) < _LARGE
            content = zlib.compress(raw, 6) if packed else raw
            entries[each.name] = _entry(each.layer, offset, len(content), packed=packed)
            names += [each.name, hashlib.sha256(raw).hexdigest()]
            hasher.update(content)
            file.write(content)
            offset += len(content)
        file.flush()
        os.fsync(file.fileno())
    _publish(Path(file.name), _path(folder, key, "layers"))
    index = Index(digest=digest(names), size=offset, checksum=hasher.hexdigest(), entries=entries)
    with NamedTemporaryFile(dir=folder, prefix="stage-", delete=False) as file:
        file.write(msgspec.json.encode(index))
    _publish(Path(file.name), _path(folder, key, "json"))


def _raw(layer: Layer) -> bytes:
    return layer.pixels.tobytes() + layer.depth.astype("<u2").tobytes() + layer.shadow.tobytes()


def _entry(layer: Layer, offset: int, length: int, *, packed: bool) -> Entry:
    height, width = layer.depth.shape
    return Entry(
        offset=offset,
        length=length,
        packed=packed,
        left=layer.left,
        top=layer.top,
        height=height,
        width=width,
        shadowed=layer.shadow.size > 0,
    )


def _unpacked(entry: Entry, content: bytes | mmap.mmap, offset: int) -> Layer:
    shape, area = (entry.height, entry.width), entry.height * entry.width
    pixels = np.frombuffer(content, np.uint8, 4 * area, offset).reshape(*shape, 4)
    depth = np.frombuffer(content, np.dtype("<u2"), area, offset + 4 * area).reshape(shape)
    kept = area if entry.shadowed else 0
    shadow = np.frombuffer(content, np.uint8, kept, offset + 6 * area)
    return Layer(entry.left, entry.top, pixels, depth, shadow.reshape(shape) if kept else shadow)


def _publish(written: Path, path: Path) -> None:
    written.chmod(0o644)  # temporary files are private; other services' users read the cache
    written.replace(path)


def _path(folder: Path, key: str, kind: str) -> Path:
    return folder / f"stage-{key}.{kind}"

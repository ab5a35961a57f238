"""Take over what earlier versions kept on disk: object banks and the stage in one folder, corpora in another.

Nothing is removed there. What was taken over is remembered in the store, so that a source that is removed later does
not come back. Digests stay what they are, so open draws and reports find their sources again.
"""

import hashlib
import mmap
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import structlog

from generator_service.drawing import bank_maker
from generator_service.drawing.bank import Drawn
from generator_service.drawing.portrait import SIDE
from generator_service.drawing.visibility import Appearance, measure
from generator_service.sources.objects import OBJECTS, keep_objects
from generator_service.sources.published import CONTENTS, Contents, digest_of, keep_published
from generator_service.sources.stage import NAME, STAGE, LayerAbout
from generator_service.sources.store import Head, Payload, SourceError, SourceStore

LOG = structlog.get_logger()
T = TypeVar("T")
MEASURED_LIKE_NOW = "tables-75325e01acdcd99c"  # the suffix of tables that version 1 of the measuring code wrote


class OldEntry(msgspec.Struct, frozen=True):
    id: str
    kind: str
    variant: int
    offset: int
    length: int
    group: str = ""


class OldBank(msgspec.Struct, frozen=True):
    name: str
    digest: str
    size: int
    checksum: str
    entries: tuple[OldEntry, ...]
    made_at: int
    credits: tuple[str, ...] = ()


class OldLayer(msgspec.Struct, frozen=True):
    offset: int
    length: int
    packed: bool
    left: int
    top: int
    height: int
    width: int
    shadowed: bool


class OldStage(msgspec.Struct, frozen=True):
    digest: str
    size: int
    checksum: str
    entries: dict[str, OldLayer]


def migrate(store: SourceStore, banks: Path | None = None, corpora: Path | None = None) -> list[Head]:
    """Take over the banks, the stage and the corpora of these folders, once each; return what was taken over now.

    A damaged source is left where it is and logged. The generator refuses to start where open draws need it.
    """
    found: list[Head] = []
    for place, head in _all(store, banks, corpora):
        LOG.info("source taken over", source=head.title, digest=head.digest, place=str(place))
        found.append(head)
    return found


def _all(store: SourceStore, banks: Path | None, corpora: Path | None) -> Iterator[tuple[Path, Head]]:
    if banks is not None:
        for index in sorted(banks.glob("*.json")):
            pictures, layers = index.with_suffix(".pictures"), index.with_suffix(".layers")
            if pictures.is_file():
                yield from _bank(store, index, pictures)
            elif layers.is_file():
                yield from _stage(store, index, layers)
    if corpora is not None:
        for contents in sorted(corpora.glob(f"[!.]*/*/{CONTENTS}")):
            yield from _corpus(store, contents)


def _bank(store: SourceStore, place: Path, pictures: Path) -> Iterator[tuple[Path, Head]]:
    index = _read(place, OldBank)
    if index is None or _is_taken(store, OBJECTS, index.name, index.digest):
        return
    with store.locked():
        if not _is_taken(store, OBJECTS, index.name, index.digest):  # another process was faster
            yield from _bank_of(store, index, place, pictures)


def _bank_of(store: SourceStore, index: OldBank, place: Path, pictures: Path) -> Iterator[tuple[Path, Head]]:
    content = _mapped(pictures, index.size, index.checksum)
    if content is None:
        return
    tables = _tables(place, {entry.id for entry in index.entries})
    drawn = [_drawn(entry, content, tables) for entry in index.entries]
    recipe = bank_maker.plan(None, bank_maker.VARIANTS).recipe if index.digest == bank_maker.DIGEST else ""
    head = keep_objects(store, index.name, drawn, recipe=recipe, credit=index.credits, made_at=index.made_at)
    if head.digest != index.digest:
        store.remove([head])
        LOG.error("source not taken over", place=str(place), problem="its pixels have another digest than its index")
        return
    _remember(store, head)
    yield place, head


def _drawn(entry: OldEntry, content: mmap.mmap, tables: dict[str, Appearance]) -> Drawn:
    compressed = content[entry.offset : entry.offset + entry.length]
    pixels = zlib.decompress(compressed)
    table = tables.get(entry.id)
    if table is None:
        table = measure(np.frombuffer(pixels, np.uint8).reshape(SIDE, SIDE, 4))
    return Drawn(
        id=entry.id,
        kind=entry.kind,
        variant=entry.variant,
        group=entry.group,
        compressed=compressed,
        pixels=hashlib.sha256(pixels).hexdigest(),
        appearance=table,
    )


def _tables(place: Path, names: set[str]) -> dict[str, Appearance]:
    tables = _read(place.with_suffix(f".{MEASURED_LIKE_NOW}"), dict[str, Appearance])
    return tables if tables is not None and tables.keys() == names else {}


def _stage(store: SourceStore, place: Path, layers: Path) -> Iterator[tuple[Path, Head]]:
    index = _read(place, OldStage)
    if index is None or _is_taken(store, STAGE, NAME, index.digest):
        return
    with store.locked():
        if not _is_taken(store, STAGE, NAME, index.digest):
            yield from _stage_of(store, index, place, layers)


def _stage_of(store: SourceStore, index: OldStage, place: Path, layers: Path) -> Iterator[tuple[Path, Head]]:
    content = _mapped(layers, index.size, index.checksum)
    if content is None:
        return
    head = Head(
        kind=STAGE,
        name=NAME,
        digest=index.digest,
        manifest="",
        files=0,
        bytes=0,
        made_at=int(1000 * place.stat().st_mtime),
        recipe="",
        access="public",
        labels_public=True,
    )
    head = store.write(head, (_layer(name, entry, content) for name, entry in index.entries.items()))
    _remember(store, head)
    yield place, head


def _layer(name: str, entry: OldLayer, content: mmap.mmap) -> Payload:
    about = LayerAbout(
        packed=entry.packed,
        left=entry.left,
        top=entry.top,
        height=entry.height,
        width=entry.width,
        shadowed=entry.shadowed,
    )
    body = content[entry.offset : entry.offset + entry.length]
    return Payload(name=name, body=body, about=msgspec.Raw(msgspec.json.encode(about)))


def _corpus(store: SourceStore, place: Path) -> Iterator[tuple[Path, Head]]:
    name, digest, body = place.parent.parent.name, place.parent.name, place.read_bytes()
    if _is_taken(store, "published", name, digest):
        return
    if digest_of(body) != digest:
        LOG.error("source not taken over", place=str(place), problem="it was changed")
        return
    try:
        contents = msgspec.json.decode(body, type=Contents)
        pictures = {sha: _picture(place.parent / "pictures" / f"{sha}.png", sha) for sha in contents.pictures}
        head = keep_published(store, name, body, pictures)
    except (OSError, msgspec.MsgspecError, SourceError) as error:
        LOG.error("source not taken over", place=str(place.parent), problem=str(error))  # noqa: TRY400 -- no fault of ours
        return
    _remember(store, head)
    yield place.parent, head


def _picture(path: Path, sha: str) -> bytes:
    body = path.read_bytes()
    if hashlib.sha256(body).hexdigest() != sha:
        raise SourceError(f"picture {path.name} was changed")
    return body


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):  # absent, or of another form
        return None


def _mapped(path: Path, size: int, checksum: str) -> mmap.mmap | None:
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else None
    if content is None or len(content) != size or hashlib.sha256(content).hexdigest() != checksum:
        LOG.error("source not taken over", place=str(path), problem="it is not what its index says")
        return None
    return content


def _is_taken(store: SourceStore, kind: str, name: str, digest: str) -> bool:
    return store.objects.get(f"taken-over/{kind}/{name}/{digest}") is not None or any(
        head.name == name and head.digest == digest for head in store.heads(kind)
    )


def _remember(store: SourceStore, head: Head) -> None:
    store.objects.put(f"taken-over/{head.kind}/{head.name}/{head.digest}", b"")

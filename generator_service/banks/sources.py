"""The pictures of an operator's folder, zip or tar, one by one: nothing is unpacked to disk."""

import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

SUFFIXES = (".png", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".jpg", ".jpeg", ".avif")
LARGEST_FILE = 32 * 2**20
MOST_FILES = 20_000
MOST_BYTES = 2**30  # all of them are held while they are compared


class UnreadableSource(Exception):  # noqa: N818 - named for what went wrong
    """The path holds no pictures that can be read; the message names it and the remedy."""


@dataclass(frozen=True)
class Named:
    """A picture file: its path inside the source, with forward slashes, and its bytes; None where they are too many."""

    path: PurePosixPath
    content: bytes | None


def read_source(source: Path) -> Iterator[Named]:
    """Yield every picture file of a folder, .zip, .tar, .tar.gz, .tar.xz or .tgz, by path.

    Hidden files and what macOS adds are passed over, as is whatever has no picture's suffix.

    Raises:
        UnreadableSource: it is none of these, is damaged, or has more than 20,000 pictures or 1 GiB of them.
    """
    try:
        if source.is_dir():
            yield from _limited(source, _from_folder(source))
        elif zipfile.is_zipfile(source):
            yield from _limited(source, _from_zip(source))
        elif source.is_file() and tarfile.is_tarfile(source):
            yield from _limited(source, _from_tar(source))
        else:
            raise UnreadableSource(f"{source} is no folder, zip or tar; give one that holds pictures")
    except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, RuntimeError) as error:
        raise UnreadableSource(f"{source} can't be read: {error}; make the archive again") from error


def _limited(source: Path, found: Iterator[Named]) -> Iterator[Named]:
    size = 0
    for number, each in enumerate(found):
        size += len(each.content or b"")
        if number == MOST_FILES or size > MOST_BYTES:
            raise UnreadableSource(
                f"{source} has more than {MOST_FILES} pictures or {MOST_BYTES // 2**20} MiB of them; mount it in parts"
            )
        yield each


def _from_folder(folder: Path) -> Iterator[Named]:
    for path in sorted(folder.rglob("*")):
        inside = PurePosixPath(path.relative_to(folder).as_posix())
        if _is_picture(inside) and path.is_file():
            yield Named(inside, path.read_bytes() if path.stat().st_size <= LARGEST_FILE else None)


def _from_zip(path: Path) -> Iterator[Named]:
    with zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda each: each.filename):
            inside = PurePosixPath(entry.filename)
            if _is_picture(inside) and not entry.is_dir():
                yield Named(inside, archive.read(entry) if entry.file_size <= LARGEST_FILE else None)


def _from_tar(path: Path) -> Iterator[Named]:
    with tarfile.open(path) as archive:
        for entry in sorted(archive.getmembers(), key=lambda each: each.name):
            inside = PurePosixPath(entry.name)
            if _is_picture(inside) and entry.isfile():
                file = archive.extractfile(entry) if entry.size <= LARGEST_FILE else None
                yield Named(inside, None if file is None else file.read())


def _is_picture(path: PurePosixPath) -> bool:
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return not hidden and path.suffix.lower() in SUFFIXES

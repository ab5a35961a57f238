"""Reads a folder, a .zip, a .tar (compressed or not) or an s3:// prefix as one stream of files.

Nothing is unpacked to disk, and no member's name ever becomes a path. Links, special and encrypted members, names that
lead out of the archive, duplicate names and sizes over the limits are faults. Each fault names the member. Hidden files
and the files that file managers leave behind are skipped.
"""

import hashlib
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from lzma import LZMAError
from pathlib import Path, PurePosixPath, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import BinaryIO, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from generator_service.sources.faults import Faults
from generator_service.sources.store import SourceError

LITTER = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""Files that file managers leave behind. They are skipped, as are hidden files."""
ENCRYPTED = 0x1  # the flag bit of a zip member
MIB = 2**20
BROKEN = (OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError)
BROKEN_BUCKET = (BotoCoreError, ClientError)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnreadableSourceError(SourceError):
    """The path holds nothing that can be read; the message names it and the remedy."""


@dataclass(frozen=True)
class Limits:
    """The most that a source may hold: files, bytes of one of them, bytes of all."""

    files: int
    file_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class Member:
    """A file of a source: its name with forward slashes, its size, its reader, and why it can't be read (`fault`)."""

    name: str
    size: int
    read: Callable[[], bytes]
    fault: str = ""


def read_members(path: str, limits: Limits, faults: Faults, *, skip: int = 0) -> Iterator[Member]:
    """Yield the sound files of a source in its own order; report the others to `faults`.

    A folder is read by name, an archive in the order of its members. `skip` passes over so many of the first files
    without reading them. A member must be read before the next one is asked for.

    Raises:
        UnreadableSourceError: the path is none of these, is damaged, or can't be reached.
    """
    seen: set[bytes] = set()
    total = 0
    try:
        for number, member in enumerate(member for member in _members(path) if not _is_litter(member.name)):
            total += member.size
            problem = _problem(member, seen, limits)
            if problem:
                faults.add(member.name, *problem)
            if number >= limits.files or total > limits.total_bytes:
                most = f"{limits.files} files or {limits.total_bytes // MIB} MiB"
                faults.add(
                    path, f"has more than {most}", "add it in parts, or raise the limit (--most-files, --most-mib)"
                )
                return
            if not problem and number >= skip:
                yield replace(member, read=partial(_read, path, member))
    except (*BROKEN, *BROKEN_BUCKET) as error:
        raise _unreadable(path, error) from error


def _read(path: str, member: Member) -> bytes:
    try:
        return member.read()
    except (*BROKEN, *BROKEN_BUCKET) as error:
        raise _unreadable(f"{path}: {member.name}", error) from error


def _unreadable(place: str, error: Exception) -> UnreadableSourceError:
    is_bucket = isinstance(error, BROKEN_BUCKET)
    remedy = "check the bucket and the AWS_* variables" if is_bucket else "make the archive again"
    return UnreadableSourceError(f"{place} can't be read: {error}; {remedy}")


class Spooled:
    """All files of a source by name, in sorted order, for kinds that look things up."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = dict(sorted(files.items()))

    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def read(self, name: str) -> bytes:
        return self._files[name].read_bytes()

    def open(self, name: str) -> BinaryIO:
        """Open a file for those that read parts of it. The caller closes it."""
        return self._files[name].open("rb")


@contextmanager
def spool(path: str, limits: Limits) -> Iterator[Spooled]:
    """Copy a source's files to a scratch folder, with numbers as file names, and yield them by their own names.

    Raises:
        UnreadableSourceError: it can't be read.
        SourceFaultsError: it holds links, special files, names that lead elsewhere, or too much.
    """
    faults, files = Faults(), dict[str, Path]()
    with TemporaryDirectory(prefix="tetrad-source-") as scratch:
        for number, member in enumerate(read_members(path, limits, faults)):
            place = Path(scratch) / str(number)
            place.write_bytes(member.read())
            files[member.name] = place
        faults.check()
        yield Spooled(files)


def fingerprint(path: str) -> str:
    """Return a text that changes when a path holds another source, as far as that is known without reading it."""
    if path.startswith("s3://"):
        return path
    status = Path(path).stat()
    is_folder = stat.S_ISDIR(status.st_mode)
    return f"{Path(path).resolve()} {'folder' if is_folder else f'{status.st_size} {status.st_mtime_ns}'}"


def _members(path: str) -> Iterator[Member]:
    if path.startswith("s3://"):
        yield from _bucket(path)
        return
    place = Path(path)
    if place.is_dir():
        yield from _folder(place)
    elif not place.is_file():
        raise UnreadableSourceError(f"{path} does not exist; give a folder, a .zip, a .tar or an s3:// prefix")
    elif zipfile.is_zipfile(place):
        yield from _zip(place)
    elif tarfile.is_tarfile(place):
        yield from _tar(place)
    else:
        raise UnreadableSourceError(f"{path} is neither a folder nor a .zip or .tar archive; give one of these")


def _folder(root: Path) -> Iterator[Member]:
    for place, folders, files in os.walk(root):
        folders[:] = sorted(folder for folder in folders if not _is_litter(folder))
        for entry in sorted([*folders, *files]):
            path = Path(place) / entry
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode):
                fault = "" if stat.S_ISREG(status.st_mode) else "is a link or a special file"
                yield Member(path.relative_to(root).as_posix(), status.st_size, path.read_bytes, fault)


def _zip(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir() or _name_fault(entry.filename.rstrip("/")):

                def read(entry: zipfile.ZipInfo = entry) -> bytes:
                    with archive.open(entry) as body:
                        return _whole(body, entry.file_size)

                yield Member(_plain(entry.filename), entry.file_size, read, _zip_fault(entry))


def _tar(path: Path) -> Iterator[Member]:
    with tarfile.open(path) as archive:
        while (entry := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined] # otherwise it keeps every member it has read
            if not entry.isdir() or (_name_fault(entry.name) and entry.name != "."):

                def read(entry: tarfile.TarInfo = entry) -> bytes:
                    body = archive.extractfile(entry)
                    return b"" if body is None else _whole(body, entry.size)

                fault = _name_fault(entry.name) or ("" if entry.isreg() else "is a link or a special file")
                yield Member(_plain(entry.name), entry.size, read, fault)


def _bucket(address: str) -> Iterator[Member]:
    import boto3  # noqa: PLC0415 -- a fifth of a second, and most processes never see a bucket

    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    prefix = f"{prefix.rstrip('/')}/" if prefix else ""
    client = boto3.client("s3")
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for entry in page.get("Contents", []):
            key, size = entry["Key"], entry["Size"]

            def read(key: str = key, size: int = size) -> bytes:
                return _whole(client.get_object(Bucket=bucket, Key=key)["Body"], size)

            if not key.endswith("/"):
                name = key.removeprefix(prefix)
                yield Member(name, size, read, _name_fault(name))


def _whole(body: _Readable, size: int) -> bytes:
    """Read no more than the member claims to have, even if it unpacks to more."""
    found = body.read(size)
    if len(found) != size:
        raise EOFError(f"a member ends after {len(found)} of {size} bytes")
    return found


def _problem(member: Member, seen: set[bytes], limits: Limits) -> tuple[str, str] | None:
    if member.fault:
        return member.fault, "pack plain files under names inside the archive's own folder"
    mark = hashlib.blake2b(member.name.encode(errors="surrogatepass"), digest_size=16).digest()
    if mark in seen:
        return "is in the archive more than once", "keep one of them"
    seen.add(mark)
    if member.size > limits.file_bytes:
        return f"has {member.size} bytes", f"a file may have at most {limits.file_bytes} bytes"
    try:
        member.name.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8", "rename it"
    return None


def _zip_fault(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & ENCRYPTED:
        return "is encrypted"
    mode = entry.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        return "is a link or a special file"
    return _name_fault(entry.filename)


def _name_fault(name: str) -> str:
    """Say what is wrong with a name that could lead out of the archive."""
    parts = PurePosixPath(name).parts
    windows = PureWindowsPath(name)
    if not parts or ".." in parts or name.startswith("/") or "\\" in name or windows.drive or "\0" in name:
        return "has a name that leads out of the archive"
    return ""


def _plain(name: str) -> str:
    return name.removeprefix("./")


def _is_litter(name: str) -> bool:
    return any(
        (part.startswith(".") and part not in {".", ".."}) or part in LITTER for part in PurePosixPath(name).parts
    )

"""Archives as they are handed in: what their members claim to be, and unpacking under names of our own.

No member's name ever becomes a path: files are written as numbers, so that a name can't lead anywhere.
"""

import shutil
import stat
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, NamedTuple

ENCRYPTED = 0x1  # the flag bit of a zip member


class Member(NamedTuple):
    """A file of an archive: its name, unpacked size and, where it must not be unpacked, why."""

    name: str
    size: int
    fault: str


def zip_members(path: Path) -> list[Member]:
    with zipfile.ZipFile(path) as archive:
        return [
            Member(entry.filename, entry.file_size, _zip_fault(entry))
            for entry in archive.infolist()
            if not entry.is_dir() or _name_fault(entry.filename.rstrip("/"))
        ]


def tar_members(path: Path) -> list[Member]:
    with tarfile.open(path) as archive:
        return [
            Member(entry.name, entry.size, _name_fault(entry.name) or _kind_fault(entry))
            for entry in archive
            if not entry.isdir() or _name_fault(entry.name)
        ]


def unpacked(path: Path, members: Sequence[Member], scratch: Path) -> dict[str, Path]:
    """Write the members' bytes below `scratch`, one number a file, and return them by the members' names."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return {
                member.name: _written(archive.open(member.name), scratch / str(place), member.size)
                for place, member in enumerate(members)
            }
    places = {member.name: place for place, member in enumerate(members)}
    found = {}
    with tarfile.open(path) as archive:
        for entry in archive:  # in the archive's order: a compressed one can't be read from the middle
            body = archive.extractfile(entry) if entry.name in places else None
            if body is not None:
                found[entry.name] = _written(body, scratch / str(places[entry.name]), entry.size)
    return found


def _written(body: IO[bytes], target: Path, size: int) -> Path:
    """Copy no more than the member claims to have, whatever the archive then unpacks to."""
    with body, target.open("wb") as file:
        shutil.copyfileobj(_Limited(body, size), file)
    return target


class _Limited:
    """The first bytes of a stream."""

    def __init__(self, body: IO[bytes], left: int) -> None:
        self._body, self._left = body, left

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        found = self._body.read(wanted)
        self._left -= len(found)
        return found


def _zip_fault(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & ENCRYPTED:
        return "is encrypted"
    mode = entry.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        return "is a link or a special file"
    return _name_fault(entry.filename)


def _kind_fault(entry: tarfile.TarInfo) -> str:
    return "" if entry.isreg() else "is a link or a special file"


def _name_fault(name: str) -> str:
    """Say what is wrong with a name that could lead out of the archive."""
    parts = PurePosixPath(name).parts
    windows = PureWindowsPath(name)
    if not parts or ".." in parts or name.startswith("/") or "\\" in name or windows.drive or "\0" in name:
        return "has a name that leads out of the archive"
    return ""

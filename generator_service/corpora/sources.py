"""What an operator gives: a folder or an archive, as relative names and bytes. Nothing outside it can be reached.

Links, special files and names that lead elsewhere are refused by name before anything is read; so are sizes that no
published corpus has.
"""

import os
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from generator_service.corpora.archives import tar_members, unpacked, zip_members
from generator_service.corpora.faults import CorpusError, Faults

MOST_FILES = 100_000
LARGEST_FILE = 64 * 2**20
LARGEST_TOTAL = 4 * 2**30
LITTER = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""What file managers leave behind; hidden files too."""


class Source:
    """Files by relative name, with forward slashes, in sorted order."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = dict(sorted(files.items()))

    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def read(self, name: str) -> bytes:
        return self._files[name].read_bytes()


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a folder, a .zip or a .tar (compressed or not).

    Raises:
        CorpusError: it is none of these, or can't be read.
        CorpusFaultsError: it holds links, special files, names that lead elsewhere, or too much.
    """
    try:
        if path.is_dir():
            yield Source(_folder(path))
            return
        with TemporaryDirectory(prefix="tetrad-corpus-") as scratch:
            yield Source(_archive(path, Path(scratch)))
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        raise CorpusError(f"{path} can't be read: {error}") from error


def _folder(root: Path) -> dict[str, Path]:
    faults, found = Faults(), {}
    for place, folders, files in os.walk(root):
        folders[:] = sorted(folder for folder in folders if not _is_litter(folder))
        for entry in sorted([*folders, *(file for file in files if not _is_litter(file))]):
            path = Path(place) / entry
            name, status = path.relative_to(root).as_posix(), path.lstat()
            if stat.S_ISREG(status.st_mode):
                found[name] = path
                _check_size(faults, name, status.st_size)
            elif not stat.S_ISDIR(status.st_mode):
                faults.add(name, "is a link or a special file", "put the file itself there")
    _check_totals(faults, len(found), sum(path.lstat().st_size for path in found.values()))
    faults.check()
    return found


def _archive(path: Path, scratch: Path) -> dict[str, Path]:
    if zipfile.is_zipfile(path):
        members = zip_members(path)
    elif tarfile.is_tarfile(path):
        members = tar_members(path)
    else:
        raise CorpusError(f"{path} is neither a folder nor a .zip or .tar archive; give one of these")
    wanted = [member for member in members if not any(map(_is_litter, PurePosixPath(member.name).parts))]
    faults = Faults()
    for name in _repeated(member.name for member in wanted):
        faults.add(name, "is in the archive more than once", "keep one of them")
    for member in wanted:
        if member.fault:
            faults.add(member.name, member.fault, "pack plain files under names inside the archive's own folder")
        _check_size(faults, member.name, member.size)
    _check_totals(faults, len(wanted), sum(member.size for member in wanted))
    faults.check()
    return unpacked(path, wanted, scratch)


def _is_litter(name: str) -> bool:
    return (name.startswith(".") and name not in {".", ".."}) or name in LITTER


def _repeated(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    twice: set[str] = set()
    for name in names:
        (twice if name in seen else seen).add(name)
    return sorted(twice)


def _check_size(faults: Faults, name: str, size: int) -> None:
    if size > LARGEST_FILE:
        faults.add(name, f"has {size} bytes", f"a file has {LARGEST_FILE} bytes at most")


def _check_totals(faults: Faults, count: int, size: int) -> None:
    if count > MOST_FILES:
        faults.add("corpus", f"has {count} files", f"give {MOST_FILES} at most")
    if size > LARGEST_TOTAL:
        faults.add("corpus", f"has {size} bytes", f"give {LARGEST_TOTAL} at most")

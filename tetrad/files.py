"""Files that are there whole or not at all, and that survive a crash."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

UNFINISHED = ".part-"
"""How the names of files begin that are being written, or were when their writer was killed."""


@contextmanager
def whole_file(path: Path, *, replace: bool = True, durable: bool = True) -> Iterator[IO[bytes]]:
    """Give a file to write to that becomes the file at `path` when the block ends well, and nothing otherwise.

    Only its owner can read it. With `replace` False, a file that is there stays as it is. A durable one survives a
    power cut from when the block has ended.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False) as part:
        try:
            yield part
            part.flush()
            if durable:
                os.fsync(part.fileno())
            if replace:
                Path(part.name).replace(path)
            else:
                _name_unless_there(Path(part.name), path)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    if durable:
        sync_folder(path.parent)


def _name_unless_there(part: Path, path: Path) -> None:
    try:
        path.hardlink_to(part)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def make_folder(folder: Path) -> None:
    """Make the folder and those above it, durably: each is an entry of its parent, which has to be on disk, too."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Have the folder's entries on disk: a file's name is its folder's, and is not synced with the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

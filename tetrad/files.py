"""Write files that exist completely or not at all, and that survive a crash."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

UNFINISHED = ".part-"
"""The prefix of files that are being written, or were when their writer was killed."""


@contextmanager
def whole_file(path: Path, *, replace: bool = True, durable: bool = True) -> Iterator[IO[bytes]]:
    """Give a file to write to. It becomes the file at `path` if the block ends without an exception.

    Only its owner can read it. With `replace` False, an existing file stays as it is. A durable file survives a power
    cut once the block has ended.
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
    """Make the folder and those above it, durably: each is an entry of its parent, which must be on disk too."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Write the folder's entries to disk. A file's name belongs to its folder, and is not synced with the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

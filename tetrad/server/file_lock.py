"""Locks between processes: a file's lock is free again when its holder ends, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for the lock of the file at `path`, which is made if need be, and hold it for the block.

    Threads of one process keep each other out, too.

    Raises:
        OSError: the file can't be opened.
    """
    # Read only: whoever made the file first, root for instance, must not keep the others out.
    file = os.open(path, os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)  # frees the lock

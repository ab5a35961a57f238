"""Locks between processes: of a file, and the write lock of a SQLite file.

A lock is free again when its holder ends, however it ends.

The write lock is had by the threads of all processes that write to a database, in the order they came. SQLite's own
way of waiting is to ask again after pauses of up to 100 ms. Beside a writer that writes without a pause, the others
wait until it has ended, or fail when their patience ends. So writers lock two files beside the database before they
ask SQLite. The kernel wakes a waiting writer when a lock is free. It does not hand the lock over: a writer that comes
back at once would have it again before the others are awake. Hence the second file: only the writer that holds NEXT
waits for TURN, and a writer that comes back waits for NEXT.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

TURN, NEXT = "-turn", "-next"  # ends of the files' names, as SQLite's own -wal


class _Held(threading.local):
    """The files that this thread writes to now."""

    def __init__(self) -> None:
        self.paths: set[str] = set()


_held = _Held()


@contextmanager
def write_lock(path: str) -> Iterator[None]:
    """Wait for the write lock of the SQLite file at this path, and hold it for the block.

    Raises:
        RuntimeError: this thread holds the lock already, and would wait forever.
        OSError: a file beside the database can't be opened.
    """
    if path in _held.paths:
        raise RuntimeError(f"a write transaction inside another one on {path}")
    with ExitStack() as waiting:
        waiting.enter_context(locked(Path(path + NEXT)))
        with locked(Path(path + TURN)):
            waiting.close()
            _held.paths.add(path)
            try:
                yield
            finally:
                _held.paths.remove(path)


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

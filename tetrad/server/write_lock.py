"""The queue of those who write to a SQLite file: the threads of all processes on it, in the order they came.

SQLite's own way of waiting is to ask again after pauses of up to 100 ms: beside one who writes without a pause, the
others wait until that one is done, or fail when their patience ends. So writers queue before they ask, at the locks of
two files beside the database. The kernel wakes whoever waits when a lock is free, also when its holder was killed. It
doesn't hand the lock over, so one who comes back at once would have it again before the others are awake. Hence two:
only who is next waits for the turn, and who comes back waits to be next.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

TURN, NEXT = "-turn", "-next"  # ends of the files' names, as SQLite's own -wal


class _Held(threading.local):
    """The files that this thread writes to now."""

    def __init__(self) -> None:
        self.paths: set[str] = set()


_held = _Held()


@contextmanager
def write_turn(path: str) -> Iterator[None]:
    """Wait for the turn to write to the SQLite file at this path, and keep it for the block.

    Raises:
        RuntimeError: this thread has the turn already, and would wait forever.
        OSError: a file beside the database can't be opened.
    """
    if path in _held.paths:
        raise RuntimeError(f"a write transaction inside another one on {path}")
    with ExitStack() as waiting:
        waiting.enter_context(_locked(path + NEXT))
        with _locked(path + TURN):
            waiting.close()
            _held.paths.add(path)
            try:
                yield
            finally:
                _held.paths.remove(path)


@contextmanager
def _locked(path: str) -> Iterator[None]:
    # Read only: whoever made the file first, root for instance, must not keep the others out.
    file = os.open(path, os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)  # frees the lock

"""Locks between processes: of a file, and the write lock of a SQLite file.

A lock is free again when its holder ends for any reason. A holder that hangs keeps it, so every wait has a limit.

The threads of all processes that write to a database get the write lock in the order in which they asked. SQLite's own
way of waiting is to ask again after pauses of up to 100 ms. Beside a writer that writes without a pause, the others
wait until it has ended, or fail when their patience ends. So writers lock two files beside the database before they
ask SQLite. The kernel wakes a waiting writer when a lock is free. It does not hand the lock over: a writer that comes
back at once would have it again before the others are awake. Hence the second file: only the writer that holds NEXT
waits for TURN, and a writer that comes back waits for NEXT.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PATIENCE_SECONDS = 20.0  # a writer's wait: longer than any transaction, but bounded for the request's thread
LONGEST_SECONDS = 3600.0  # the wait of a command for another one, which may add hundreds of thousands of pictures
TURN, NEXT = "-turn", "-next"  # suffixes of the files' names, like SQLite's own -wal


class _Held(threading.local):
    """The files that this thread writes to now."""

    def __init__(self) -> None:
        self.paths: set[str] = set()


_held = _Held()


class LockHeldError(TimeoutError):
    """A lock was held for longer than the wait. The message names its file and how to find the holder."""


@contextmanager
def write_lock(path: str) -> Iterator[None]:
    """Wait for the write lock of the SQLite file at this path, and hold it for the block.

    Raises:
        RuntimeError: this thread holds the lock already, and would wait forever.
        LockHeldError: others have kept it for PATIENCE_SECONDS.
        OSError: a file beside the database can't be opened.
    """
    if path in _held.paths:
        raise RuntimeError(f"a write transaction inside another one on {path}")
    until = time.monotonic() + PATIENCE_SECONDS
    with ExitStack() as waiting:
        waiting.enter_context(hold_lock(Path(path + NEXT), PATIENCE_SECONDS))
        with hold_lock(Path(path + TURN), max(0.0, until - time.monotonic())):
            waiting.close()
            _held.paths.add(path)
            try:
                yield
            finally:
                _held.paths.remove(path)


@contextmanager
def hold_lock(path: Path, seconds: float = LONGEST_SECONDS) -> Iterator[None]:
    """Wait for the lock of the file at `path`, which is made if need be, and hold it for the block.

    Threads of one process keep each other out, too.

    Raises:
        LockHeldError: others have kept it for `seconds`.
        OSError: the file can't be opened.
    """
    file = _open_file(path)
    if not _is_taken_at_once(file):
        file = _waited_for(path, file, seconds)
    try:
        yield
    finally:
        os.close(file)  # frees the lock


def _open_file(path: Path) -> int:
    """Open the lock's file for its owner only: whoever may open it may hold the lock."""
    file = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
    if os.geteuid() == 0:  # a command by root must not lock out the owner of the database
        owner = path.parent.stat()
        os.fchown(file, owner.st_uid, owner.st_gid)
    return file


def _is_taken_at_once(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except BaseException:
        os.close(file)
        raise
    return True


class _Waiting:
    """A thread that waits for a lock. The kernel's wait has no time limit, and polling would not keep the order."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.has_ended = threading.Event()
        self.is_abandoned = False
        self.error: OSError | None = None

    def run(self) -> None:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except OSError as error:
            self.error = error
        with _abandoned_lock:
            self.has_ended.set()
            if self.is_abandoned:
                _abandoned[:] = [entry for entry in _abandoned if entry[1] is not self]
                os.close(self.file)


_abandoned: list[tuple[Path, _Waiting]] = []
_abandoned_lock = threading.Lock()


def _waited_for(path: Path, file: int, seconds: float) -> int:
    """Wait for the lock and return the file that holds it.

    If a wait is given up, its thread keeps waiting, and the next caller takes it over. So there are never more such
    threads than there were concurrent waits.
    """
    waiting = _adopt_abandoned(path)
    thread = None
    if waiting is None:
        waiting = _Waiting(file)
        thread = threading.Thread(target=waiting.run, name="lock", daemon=True)
    else:
        os.close(file)
    try:
        if thread is not None:
            thread.start()
        is_over = waiting.has_ended.wait(seconds)
    except RuntimeError:  # no thread can be started
        os.close(file)
        raise
    except BaseException:  # a signal's handler may end the wait, too
        _abandon(path, waiting)
        raise
    if not is_over:
        _abandon(path, waiting)
        remedy = f"a process hangs, or is stopped; `fuser -v {path}` names it"
        raise LockHeldError(f"{path} was held by another process for {seconds:.0f} s: {remedy}")
    if waiting.error is not None:
        os.close(waiting.file)
        raise waiting.error
    return waiting.file


def _abandon(path: Path, waiting: _Waiting) -> None:
    with _abandoned_lock:
        if waiting.has_ended.is_set():
            os.close(waiting.file)
        else:
            waiting.is_abandoned = True
            _abandoned.append((path, waiting))


def _adopt_abandoned(path: Path) -> _Waiting | None:
    with _abandoned_lock:
        for place, (known, waiting) in enumerate(_abandoned):
            if known == path:
                del _abandoned[place]
                waiting.is_abandoned = False
                return waiting
    return None

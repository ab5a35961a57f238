"""The processes of a data directory: recorded when they are spawned, so that a later start knows its orphans.

A record is a file in the data directory that names the process, its id, when it started, and the data directory. The
kernel gives an id to another process later, but not with the same start. A copy of the data directory holds records,
too: they name the original, and its processes are left alone. Ports and names of programs are not used to find a
process. This works on Linux only: elsewhere nothing is recorded, and
no orphan is found.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SUPERVISOR = "supervisor"
FOLDER = Path("run") / "processes"  # in the data directory
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
STARTED = 19  # index of the start time among the fields of /proc/PID/stat after the program's name
ENDED = ("Z", "X")


class SpawnedProcess(NamedTuple):
    """A process as it was recorded. `started` is the boot of the machine and the clock ticks since then."""

    name: str
    pid: int
    started: str
    data_directory: str


class UnendedProcessError(Exception):
    """A process can't be ended, or belongs to another user; the message names it."""


def record(data_directory: Path, name: str) -> None:
    """Record this process, and drop the records of processes that have ended.

    Raises:
        OSError: the record can't be written.
    """
    started = started_at(os.getpid())
    if started is None:
        return
    folder = data_directory / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, known in _records(folder):
        if known is None or started_at(known.pid) != known.started:
            path.unlink(missing_ok=True)
    for part in folder.glob("*.part"):
        if started_at(int(part.stem)) is None:  # it was killed while it wrote
            part.unlink(missing_ok=True)
    spawned = SpawnedProcess(name, os.getpid(), started, str(data_directory))
    part = folder / f"{spawned.pid}.part"
    _write(part, json.dumps(spawned._asdict()).encode())
    part.replace(part.with_suffix(".json"))  # whole at once: a process that starts meanwhile drops what it can't read


def live(data_directory: Path) -> list[SpawnedProcess]:
    """Return the recorded processes of this data directory that still run, by id."""
    known = (process for _, process in _records(data_directory / FOLDER) if process is not None)
    return sorted(
        (
            process
            for process in known
            if process.data_directory == str(data_directory) and started_at(process.pid) == process.started
        ),
        key=lambda one: one.pid,
    )


def end(processes: Sequence[SpawnedProcess], seconds: float) -> None:
    """Kill these processes and wait until they have ended.

    Raises:
        UnendedProcessError: one belongs to another user, or has not ended after `seconds`.
    """
    until = time.monotonic() + seconds
    handles = [(process, handle) for process in processes if (handle := _kill(process)) is not None]
    try:
        for process, handle in handles:
            if not select.select([handle], [], [], max(0.0, until - time.monotonic()))[0]:
                raise UnendedProcessError(
                    f"{process.name} (process {process.pid}) was killed and has not ended in {seconds} s"
                )
    finally:
        for _, handle in handles:
            os.close(handle)


def started_at(pid: int) -> str | None:
    """Return the boot and the clock tick at which the process started.

    None if it does not run, or there is no /proc.
    """
    if sys.platform != "linux":
        return None
    try:
        state, *fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return None if state in ENDED else f"{BOOT_ID.read_text().strip()}:{fields[STARTED - 1]}"
    except OSError:
        return None


def is_stopped(one: SpawnedProcess) -> bool:
    """Return whether the process is stopped by a signal (SIGSTOP)."""
    try:
        state = (Path("/proc") / str(one.pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state == "T" and started_at(one.pid) == one.started


def _kill(one: SpawnedProcess) -> int | None:
    """Kill the process and return a handle that tells when it has ended; None if it has already.

    The handle is opened before the start is compared, so that no other process with the same id is killed.
    """
    if sys.platform != "linux":
        return None
    try:
        handle = os.pidfd_open(one.pid)
    except ProcessLookupError:
        return None
    try:
        if started_at(one.pid) == one.started:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            return handle
    except ProcessLookupError:
        pass
    except PermissionError as error:
        os.close(handle)
        text = f"{one.name} (process {one.pid}) belongs to another user; end it as that user"
        raise UnendedProcessError(text) from error
    os.close(handle)
    return None


def _records(folder: Path) -> Iterator[tuple[Path, SpawnedProcess | None]]:
    """Yield the files of records with what they hold: None for one that is damaged."""
    for path in folder.glob("*.json"):
        try:
            fields = json.loads(path.read_bytes())
            known = SpawnedProcess(
                str(fields["name"]), int(fields["pid"]), str(fields["started"]), str(fields["data_directory"])
            )
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            known = None
        yield path, known


def _write(path: Path, body: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(file, body)
    finally:
        os.close(file)

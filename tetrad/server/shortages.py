"""Detects shortages that block writing, a full disk or a held lock, and names the remedy of each.

A check of either is cheap and short, so that a health check can make it.
"""

import logging
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from tetrad.server.database import write_transaction
from tetrad.server.locks import TURN

MIB = 2**20
LOCKED_SECONDS = 10.0  # longer than writers wait for each other under load
WAIT_SECONDS = 0.3  # the longest wait of a check; a free lock takes a millisecond
FRESH_SECONDS = 2.0  # the result of a check is kept for so long

log = logging.getLogger(__name__)


class Disk(NamedTuple):
    """A folder on a disk, and the name of its contents."""

    what: str
    folder: Path

    def free_mib(self) -> int:
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize // MIB


def disks_of(database_url: str, store_url: str) -> list[Disk]:
    """Return the disks of a SQLite database and of a folder of objects.

    Other databases and stores have their own disks.
    """
    found: list[Disk] = []
    database = sa.engine.make_url(database_url)
    if database.get_backend_name() == "sqlite" and database.database not in {None, "", ":memory:"}:
        found.append(Disk("database", Path(str(database.database)).parent))
    if store_url.startswith("file://"):
        found.append(Disk("objects", Path(store_url.removeprefix("file://"))))
    return found


class DiskWatch:
    """Checks for room on some disks, and writes to the log when one is full and when there is room again."""

    def __init__(self, disks: Iterable[Disk], least_mib: int) -> None:
        self._disks = list(disks)
        self._least = least_mib
        self._full: set[Disk] = set()

    def free_mib(self) -> dict[str, int]:
        """Return the room on each disk, by its contents."""
        found = {disk.what: self._free(disk) for disk in self._disks}
        return {what: free for what, free in found.items() if free is not None}

    def shortages(self) -> dict[str, str]:
        """Return the contents of each full disk, with the remedy."""
        found: dict[str, str] = {}
        for disk in self._disks:
            free = self._free(disk)
            if free is None or free >= self._least:
                if disk in self._full:
                    log.warning("there is room on the disk again", extra={"folder": str(disk.folder)})
                    self._full.discard(disk)
                continue
            remedy = f"free some space or enlarge the volume; {self._least} MiB are needed (LEAST_FREE_MIB)"
            found[disk.what] = f"the disk of the {disk.what} is full: {free} MiB are free; {remedy}"
            if disk not in self._full:
                log.error("the disk is full: %s", remedy, extra={"folder": str(disk.folder), "free_mib": free})
                self._full.add(disk)
        return found

    def _free(self, disk: Disk) -> int | None:
        folder = Disk(
            disk.what, next((parent for parent in (disk.folder, *disk.folder.parents) if parent.exists()), disk.folder)
        )
        try:
            return folder.free_mib()
        except OSError:
            return None  # the store's own check reports that it is away


class LockWatch:
    """Checks whether a SQLite database can be written to.

    One check at a time waits for the write lock, in the background.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._path = engine.url.database if engine.dialect.name == "sqlite" else None
        self._guard = threading.Lock()
        self._ended = threading.Event()
        self._ended.set()
        self._begun = float("-inf")
        self._failed = False

    def shortage(self) -> str | None:
        """Return the remedy if nobody could write for LOCKED_SECONDS, None otherwise."""
        if self._path is None:
            return None
        with self._guard:
            if self._ended.is_set() and time.monotonic() - self._begun > FRESH_SECONDS:
                self._ended.clear()
                self._begun = time.monotonic()
                threading.Thread(target=self._look, name="lock-watch", daemon=True).start()
        self._ended.wait(WAIT_SECONDS)
        is_waiting = not self._ended.is_set() and time.monotonic() - self._begun > LOCKED_SECONDS
        if not is_waiting and not self._failed:
            return None
        remedy = (
            f"a process hangs, is stopped, or has it open with another program; `fuser -v {{}}{TURN} {{}}` names it"
        )
        return f"the database was locked for more than {LOCKED_SECONDS:.0f} s: {remedy}".replace(
            "{}", Path(self._path).name
        )

    def _look(self) -> None:
        try:
            with write_transaction(self._engine):
                pass
        except (sa.exc.SQLAlchemyError, OSError) as error:
            if not self._failed:
                log.error(  # noqa: TRY400 - the error is told
                    "the database can't be written to: a process holds its lock, or its disk fails",
                    extra={"error": str(error), "look": f"fuser -v {self._path}{TURN} {self._path}"},
                )
            self._failed = True
        else:
            if self._failed:
                log.warning("the database can be written to again")
            self._failed = False
        finally:
            self._ended.set()

"""The cost of a day's calls of each process of the gateway, on the gateway's own disk: Redis may lose its sums.

Each process keeps a file of its own, and has it locked as long as it lives. A call stands there with the most that it
may cost before it is sent, and with its cost once Redis has booked it. When Redis has lost its data, each process tells
it what its own calls cost, and what those of dead processes did, whose files lie beside its own. So neither the loss of
Redis, nor that of Redis and of all processes together, makes room in a day.
"""

import logging
import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile

from tetrad.server.clock import DAY_MS

SUFFIX = ".days"
DAY = "day|"  # as names of a day's budgets begin: day|2026-11-26 judge
KEPT_SECONDS = 2 * DAY_MS / 1000
DEAD_SECONDS = 0.2  # others may read the file of a dead process at the same moment
_TABLE = "CREATE TABLE days (name TEXT PRIMARY KEY, spent INTEGER NOT NULL, held INTEGER NOT NULL) STRICT"
_ADD = """
INSERT INTO days VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET spent = spent + excluded.spent, held = held + excluded.held
"""

log = logging.getLogger(__name__)

DayCost = tuple[str, str, int]
"""A process, the name of a day's budget, and nanodollars."""


class DayRecordError(Exception):
    """A dead process's record can't be read, so nobody knows what its calls cost."""


class DayRecord:
    """The record of one process. Without a folder it is kept in memory, and lasts as long as the process."""

    def __init__(self, process: str, folder: str = "") -> None:
        self._process = process
        self._folder = Path(folder) if folder else None
        self._held: dict[str, tuple[tuple[str, ...], int]] = {}
        self._made: sqlite3.Connection | None = None  # with the first call that costs money

    def start(self) -> None:
        """Make the folder, and remove what dead processes left there that no day needs any more.

        Raises:
            OSError: the folder can't be written.
        """
        if self._folder is None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=self._folder):
            pass
        for path in self._others(self._folder):
            _remove_if_old(path)

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
            self._made = None

    def hold(self, call: str, names: Iterable[str], amount: int) -> None:
        """Write down the most that a call may cost, before it is sent.

        Raises:
            sqlite3.Error: it can't be written, so the call must not be sent.
        """
        days = tuple(name for name in names if name.startswith(DAY))
        if days and amount:
            self._add(days, 0, amount)
            self._held[call] = days, amount

    def end(self, call: str, cost: int) -> None:
        """Write down what a call cost, once Redis has booked it. If that can't be written, the most it could stays."""
        days, amount = self._held.pop(call, ((), 0))
        if not days:
            return
        try:
            self._add(days, cost, -amount)
        except sqlite3.Error:
            log.exception("the cost of a call can't be recorded: it counts as the most that it could be")

    def own(self) -> list[DayCost]:
        """Return what the ended calls of this process cost. Redis learns of those in flight by their leases."""
        return [] if self._made is None else [(self._process, name, spent) for name, spent, _ in _read(self._made)]

    def of_dead(self) -> list[DayCost]:
        """Return the most that the calls of dead processes may have cost.

        Raises:
            DayRecordError: a file can't be read.
        """
        paths = [] if self._folder is None else self._others(self._folder)
        return [cost for path in paths for cost in _read_dead(path)]

    def _others(self, folder: Path) -> list[Path]:
        return [path for path in sorted(folder.glob("*" + SUFFIX)) if path.stem != self._process]

    def _add(self, names: Iterable[str], spent: int, held: int) -> None:
        if self._made is None:
            self._made = _make(None if self._folder is None else self._folder / (self._process + SUFFIX))
        with self._made:
            self._made.executemany(_ADD, [(name, spent, held) for name in names])


def _make(path: Path | None) -> sqlite3.Connection:
    """Make the file of a live process, locked. A process that is killed leaves no half of a change in it."""
    made = sqlite3.connect(path or ":memory:", timeout=0, check_same_thread=False)
    for statement in ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", _TABLE):
        made.execute(statement)
    return made


def _read(made: sqlite3.Connection) -> Sequence[tuple[str, int, int]]:
    return made.execute("SELECT name, spent, held FROM days ORDER BY name").fetchall()


def _read_dead(path: Path) -> list[DayCost]:
    """Return the most that calls of a dead process may have cost; nothing of a live one, which tells it itself."""
    try:
        with closing(sqlite3.connect(path, timeout=DEAD_SECONDS)) as found:
            return [(path.stem, name, spent + held) for name, spent, held in _read(found)]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_ERROR}:
            return []  # it lives, or it died before it had made the table, and so before its first call
        problem = f"{path} has what calls of this day cost and can't be read ({error}): calls with a price are refused"
        remedy = "restore the file, or remove it and lower the day's budget until midnight (UTC)"
        raise DayRecordError(f"{problem}; {remedy}") from error


def _remove_if_old(path: Path) -> None:
    try:
        parts = [path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))]
        written = max(part.stat().st_mtime for part in parts if part.exists())
        with closing(sqlite3.connect(path, timeout=DEAD_SECONDS)) as found:
            _read(found)
    except (OSError, sqlite3.Error):
        return  # it is a live process's, or somebody else has removed it, or it is told when it is needed
    if time.time() - written > KEPT_SECONDS:
        for part in parts:
            part.unlink(missing_ok=True)

"""Server time: milliseconds since the epoch in the database, RFC 3339 in UTC on the wire.

A machine's clock can jump: somebody sets it, or a virtual machine wakes up. What can be undone follows it at once. What
can't be undone, above all that a deadline has passed, waits until the clock has stayed there (`PatientClock`).
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
TOLERANCE_MS = 60_000  # clocks that are set right in small steps
PATIENCE_MS = 60 * 60 * 1000
SLEEP_COUNTS = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # Linux: it goes on while the machine sleeps

log = logging.getLogger(__name__)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def steady_ms() -> int:
    """Return milliseconds of a clock that nobody can set; only their differences mean anything."""
    return time.clock_gettime_ns(SLEEP_COUNTS) // 1_000_000


class PatientClock:
    """The time for what can't be undone: a jump forward counts only once it has lasted for PATIENCE_MS.

    Until then the time goes on as if there had been no jump; if the clock is set back meanwhile, there was none. A jump
    back counts at once, because it only makes deadlines later.
    """

    def __init__(self, wall: Callable[[], int] = now_ms, steady: Callable[[], int] = steady_ms) -> None:
        self._wall, self._steady = wall, steady
        self._guard = threading.Lock()
        self.begin()

    def begin(self) -> None:
        """Take the wall's time as it is now, as at the start of the process."""
        self._last, self._last_steady = self._wall(), self._steady()
        self._jumped_at: int | None = None

    def __call__(self) -> int:
        with self._guard:
            wall, steady = self._wall(), self._steady()
            without_jump = self._last + steady - self._last_steady
            if wall - without_jump <= TOLERANCE_MS:
                self._jumped_at = None
                now = wall
            elif self._jumped_at is None:
                log.warning("the clock jumped forward: deadlines wait", extra={"milliseconds": wall - without_jump})
                self._jumped_at, now = steady, without_jump
            elif steady - self._jumped_at < PATIENCE_MS:
                now = without_jump
            else:
                self._jumped_at, now = None, wall
            self._last, self._last_steady = now, steady
            return now


patient_ms = PatientClock()


def rfc3339(milliseconds: int) -> str:
    """Write a time to the millisecond: 2026-11-21T03:17:00.000Z."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"

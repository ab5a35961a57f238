"""Restart the processes of an embedded instance that have stopped without ending: `python -m ...watchdog FILE`.

The supervisor notices a process that ends. A process that hangs, or that somebody stopped, never ends: its requests
wait, and each blocks a thread of its caller. So every part is checked for a sign of life: HTTP services at
/health/live, Valkey by PING, scoring by the age of the file that it touches. Also, no recorded process may be stopped
(SIGTSTP, SIGSTOP); this includes single workers. A process without a sign of life for its patience is killed, by its
record, and the supervisor starts it again. A start may take long under load, so the patience is longer until the first
sign of life. If a program hangs again, its patience doubles each time, up to an hour. FILE holds the settings as JSON.
"""

import http.client
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from tetrad.server.embedded import process_records
from tetrad.server.embedded.metrics_port import InstanceNumbers, is_answering
from tetrad.server.embedded.process_records import SpawnedProcess
from tetrad.server.embedded.programs import WATCHDOG, WATCHDOG_TOKEN, Watched
from tetrad.server.logs import configure_logs
from tetrad.server.metrics_server import serve_metrics

CHECK_SECONDS = 5.0
ANSWER_SECONDS = 5.0
END_SECONDS = 10.0
LONGEST_PATIENCE_SECONDS = 3600.0
WORKER = " worker"  # the suffix of the names that die_with_parent gives to forks

Check: TypeAlias = Callable[[], bool]
log = logging.getLogger(__name__)


class Patience:
    """The time since a program's last sign of life, and its limit."""

    def __init__(self, now: float, usual: float, at_start: float) -> None:
        self._usual = usual
        self._at_start = at_start
        self._last_sign = now
        self._was_up = False
        self._up_since = now
        self._restarts = 0

    def sign(self, now: float) -> None:
        """Record a sign of life. If the program has lived as long as its patience, an earlier restart is forgotten."""
        if self._was_up and self._restarts and now - self._up_since > self._longest():
            self._restarts = 0
        if not self._was_up:
            self._up_since = now
        self._was_up, self._last_sign = True, now

    def forgive(self, now: float) -> None:
        """Count the silence from now on."""
        self._last_sign = now

    def is_over(self, now: float) -> bool:
        return now - self._last_sign > self._longest()

    def count_restart(self, now: float) -> None:
        self._restarts += 1
        self._was_up, self._last_sign = False, now

    def _longest(self) -> float:
        seconds = self._usual if self._was_up else self._at_start
        return min(seconds * 2.0 ** min(self._restarts, 20), max(LONGEST_PATIENCE_SECONDS, seconds))


class Watchdog:
    """Looks at every part once a round."""

    def __init__(self, watched: Watched, now: float) -> None:
        self._folder = Path(watched.data_directory)
        self._checks = checks(watched)
        usual, at_start = watched.patience_seconds, watched.start_patience_seconds
        self._patience = {name: Patience(now, usual, at_start) for name in self._checks}
        self._usual = usual
        self._stopped: dict[SpawnedProcess, float] = {}
        self._looked = now
        self._threads = ThreadPoolExecutor(len(self._checks))

    def look(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Check every program, and kill those whose patience is over.

        The time in which the watchdog itself, or the machine, was stopped does not count.
        """
        signs = dict(zip(self._checks, self._threads.map(lambda check: check(), self._checks.values()), strict=True))
        was_stopped, self._looked = clock() - self._looked > self._usual, clock()
        if was_stopped:
            self._stopped = {}
        for name, gave_sign in signs.items():
            patience = self._patience[name]
            if gave_sign:
                patience.sign(clock())
            elif was_stopped:
                patience.forgive(clock())
            elif patience.is_over(clock()):
                log.error("no sign of life: killed, to be restarted", extra={"program": name})
                self._kill([process for process in self._find_recorded() if process.name.removesuffix(WORKER) == name])
                patience.count_restart(clock())
        self._look_for_stopped(clock())

    def _look_for_stopped(self, now: float) -> None:
        stopped = [process for process in self._find_recorded() if process_records.is_stopped(process)]
        self._stopped = {process: self._stopped.get(process, now) for process in stopped}
        for process, since in self._stopped.items():
            if now - since > self._usual:
                log.error("stopped by a signal: killed", extra={"program": process.name, "pid": process.pid})
                self._kill([process])

    def _find_recorded(self) -> list[SpawnedProcess]:
        ours = (process_records.SUPERVISOR, WATCHDOG)
        return [process for process in process_records.live(self._folder) if process.name not in ours]

    def _kill(self, processes: list[SpawnedProcess]) -> None:
        try:
            process_records.end(processes, END_SECONDS)
        except process_records.UnendedProcessError as error:
            log.error("%s", error)  # noqa: TRY400 -- the text says it all


def checks(watched: Watched) -> Mapping[str, Check]:
    """Return how each program is asked for a sign of life."""
    found: dict[str, Check] = {name: _http_check(port) for name, port in watched.http.items()}
    found |= {name: _valkey_check(port) for name, port in watched.valkey.items()}
    return found | {name: _file_check(Path(path)) for name, path in watched.files.items()}


def _http_check(port: int) -> Check:
    def check() -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        try:
            connection.request("GET", "/health/live")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return True  # whatever it answers

    return check


def _valkey_check(port: int) -> Check:
    return partial(is_answering, port)


def _file_check(path: Path) -> Check:
    last: list[int] = [-1]

    def check() -> bool:
        try:
            touched = path.stat().st_mtime_ns
        except OSError:
            return False
        before, last[0] = last[0], touched
        return before not in (
            -1,
            touched,
        )  # touched since the last check; a file of an earlier start is not a sign of life

    return check


def _serve_numbers(watched: Watched) -> None:
    """Show the numbers of the whole instance on their loopback port. Without it, the watchdog watches all the same."""
    token = os.environ.get(WATCHDOG_TOKEN, "")
    workers = {name: Path(path) for name, path in watched.files.items()}
    numbers = InstanceNumbers(watched, workers, token)
    try:
        serve_metrics(f"127.0.0.1:{watched.metrics_port}", token, numbers.exposition)
    except OSError as error:
        log.error("no numbers are shown: their port can't be opened", extra={"error": str(error)})  # noqa: TRY400


def main(file: Path) -> None:
    """Watch until told to stop."""
    watched = msgspec.json.decode(file.read_bytes(), type=Watched)
    configure_logs(WATCHDOG)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    watchdog = Watchdog(watched, time.monotonic())
    if watched.metrics_port:
        _serve_numbers(watched)
    while True:
        time.sleep(CHECK_SECONDS)
        watchdog.look()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

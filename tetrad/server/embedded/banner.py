"""Wait until an instance is ready, then print where it is and what to try.

It says what is waited for, as long as it takes: a slow machine is no fault. A program that ends again and again is one.
Then the last lines of its own log are printed, and nothing more is waited for.

It stands alone because it runs as a program: `python -m tetrad.server.embedded.banner URL FOLDER LOGS BANK GATEWAY
BESIDE`. BESIDE names the sources that are made while the instance is up, joined by commas.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx

from tetrad.server.embedded import process_records
from tetrad.tls import load_trusted

POLL_SECONDS = 0.25
TOLD_SECONDS = 30.0  # between two lines that say what is waited for
MOST_STARTS = 4  # of a program before the instance is ready: one of them may have waited for a neighbour in vain
LOG_LINES = 12
APART = ("supervisor", "banner", "watchdog", "making-")  # what names of processes begin with that serve nothing
TEXT = """
Tetrad is up at {url}   (logs: {logs}; Ctrl-C stops it)
Object bank:  {bank}

Pages:        {url}/   and the reference of the API: {url}/reference
Get a key:    tetrad keys new --team my-team          (or: curl -X POST {url}/v1/teams -d '{{"name": "my-team"}}')
Try it:       curl '{url}/v1/benchmarks/kiva/items?track=kiva&seed=1&limit=1'
              tetrad items kiva --seed 1 --count 5 --out puzzles
              tetrad submit --benchmark kiva --track kiva --model pixel-solver
Models:       {gateway}   (OpenAI's API; a token: tetrad admin gateway-token make my-team)
"""
BEING_MADE = """\
Being made:   {beside} (how far they are: `lacking` in {url}/v1/benchmarks)
              These tracks wait: {waiting}. They appear by themselves.
              A benchmark's default track may be another one then: name the track in scripts.
"""


class ProgramFailedError(Exception):
    """A program ended again and again before the instance was ready."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Starts:
    """Counts how often each program of the instance was started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: defaultdict[str, set[str]] = defaultdict(set)

    def look(self) -> None:
        """Look at the processes that run now.

        Raises:
            ProgramFailedError: one was started too often.
        """
        for process in process_records.live(self._folder):
            if not process.name.startswith(APART) and not process.name.endswith(" worker"):
                self._seen[process.name].add(f"{process.pid} {process.started}")
                if len(self._seen[process.name]) >= MOST_STARTS:
                    raise ProgramFailedError(process.name)


def wait_until_ready(servers: Mapping[str, str], starts: Starts, tell: Callable[[str], None]) -> None:
    """Poll /health/ready of each server, by name, until all say 200, and tell from time to time what is not up.

    Raises:
        ProgramFailedError: a program was started too often meanwhile.
    """
    begun = told = time.monotonic()
    waiting = dict(servers)
    while True:
        name, url = next(iter(waiting.items()))
        state = _state(name, url)
        if state is None:
            del waiting[name]
            if not waiting:
                return
            continue
        starts.look()
        if time.monotonic() - told >= TOLD_SECONDS:
            told = time.monotonic()
            tell(f"still starting after {told - begun:.0f} s: waiting for {state}")
        time.sleep(POLL_SECONDS)


def _state(name: str, url: str) -> str | None:
    """Return what is waited for; None if the server is ready."""
    try:
        reply = httpx.get(f"{url}/health/ready", timeout=10, verify=load_trusted())
    except httpx.HTTPError:
        return f"the {name}"
    try:
        body = reply.json()
    except ValueError:
        body = {}
    parts: Mapping[str, object] = body if isinstance(body, dict) else {}
    if reply.status_code == httpx.codes.OK:  # without practice an api is ready, but not what the banner says to try
        return "the practice" if parts.get("practice") == "down" else None
    return ", ".join(f"the {part}" for part, state in parts.items() if state == "down") or f"the {name}"


def being_made(url: str, beside: str) -> str:
    """Return what is made while the instance is up, and the tracks that wait for it; "" if nothing is."""
    waiting = _waiting_tracks(url) if beside else ""
    return BEING_MADE.format(beside=beside.replace(",", ", "), url=url, waiting=waiting) if waiting else ""


def _waiting_tracks(url: str) -> str:
    try:
        found = httpx.get(f"{url}/v1/benchmarks", timeout=10, verify=load_trusted()).raise_for_status().json()
    except (httpx.HTTPError, ValueError):
        return ""
    return ", ".join(f"{info['card']['name']} {track}" for info in found["benchmarks"] for track in info["lacking"])


def last_lines(log: Path) -> list[str]:
    """Return the last lines of a log, each cut where it is very long."""
    try:
        return [line[:500] for line in log.read_text(errors="replace").splitlines()[-LOG_LINES:]]
    except OSError as error:
        return [f"(its log can't be read: {error})"]


def main(url: str, folder: str, logs: str, bank: str, gateway: str, beside: str = "") -> int:  # noqa: PLR0917 -- those of the program
    def tell(line: str) -> None:
        print(line, flush=True)  # noqa: T201 -- this program is there to print

    try:
        servers = {"api": url, "gateway": gateway.removesuffix("/v1")}
        wait_until_ready(servers, Starts(Path(folder)), tell)
    except ProgramFailedError as error:
        log = Path(logs) / f"{error.name}.log"
        tell(f"Tetrad can't start: {error.name} ended {MOST_STARTS - 1} times. The last lines of {log}:\n")
        for line in last_lines(log):
            tell(f"  {line}")
        tell("\nIt is started again and again until Ctrl-C stops the instance.")
        return 1
    tell(TEXT.format(url=url, logs=logs, bank=bank, gateway=gateway) + being_made(url, beside))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:7]))

"""What watches an instance in the soak tests: a real Prometheus with our rules, whose patience is shortened."""

import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.instance import Instance
from tests.otlp import Received
from tests.ports import free_port
from tests.prometheus import NOT_RUN, find_program
from tests.watched import FOLDER

FIRING_SECONDS = 150.0


@dataclass(frozen=True)
class Prometheus:
    """A Prometheus that scrapes a service of ours."""

    url: str

    def query(self, expression: str) -> list[Any]:
        """Return the samples of an expression, each with its labels."""
        found: list[Any] = self._get("query", query=expression)["result"]
        return found

    def firing(self, **labels: str) -> set[str]:
        """Return the names of the alerts that fire with these labels."""
        alerts = [alert for alert in self._get("alerts")["alerts"] if alert["state"] == "firing"]
        return {alert["labels"]["alertname"] for alert in alerts if labels.items() <= alert["labels"].items()}

    def wait_firing(self, alert: str, **labels: str) -> None:
        self._wait(lambda: alert in self.firing(**labels), f"{alert} {labels} does not fire")

    def wait_quiet(self, alert: str) -> None:
        self._wait(lambda: alert not in self.firing(), f"{alert} does not end")

    def _wait(self, has_come: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + FIRING_SECONDS
        while not has_come():
            assert time.monotonic() < end, f"{otherwise}; these fire: {self.firing()}"
            time.sleep(0.5)

    def _get(self, what: str, **query: str) -> Any:
        reply = httpx.get(f"{self.url}/api/v1/{what}", params=query, timeout=20)
        return reply.raise_for_status().json()["data"]


@dataclass(frozen=True)
class Watched:
    """An instance, the Prometheus that scrapes it, and the spans that it sent."""

    instance: Instance
    prometheus: Prometheus
    spans: list[Received] = field(default_factory=list)


@contextmanager
def scraping(folder: Path, port: int, token: str) -> Iterator[Prometheus]:
    """Run Prometheus with our rules on the numbers at this port of loopback, every five seconds."""
    program = find_program("prometheus")
    if program is None:
        pytest.skip(NOT_RUN)
    folder.mkdir()
    (folder / "rules.yml").write_text(re.sub(r"for: \d+[mh]", "for: 2s", (FOLDER / "rules.yml").read_text()))
    settings = (FOLDER / "prometheus.yml").read_text().replace("15s", "5s").replace("timeout: 10s", "timeout: 5s")
    (folder / "prometheus.yml").write_text(settings.replace("8100", str(port)))
    (folder / "metrics-token").write_text(token)
    own = free_port()
    command = [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    command.append(f"--web.listen-address=127.0.0.1:{own}")
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_ready(f"http://127.0.0.1:{own}", folder / "prometheus.log")
        yield Prometheus(f"http://127.0.0.1:{own}")
    finally:
        process.terminate()
        process.wait(30)


def _wait_ready(url: str, log: Path) -> None:
    end = time.monotonic() + 60
    while True:
        with suppress(httpx.TransportError):
            if httpx.get(f"{url}/-/ready").is_success:
                return
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.5)


@contextmanager
def again_and_again(act: Callable[[], object], seconds: float = 0.2) -> Iterator[None]:
    """Do something until the block ends, whatever it raises: what it acts on is broken meanwhile."""
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(seconds):
            with suppress(Exception):
                act()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()

"""The numbers of a whole embedded instance, which the watchdog serves on one loopback port.

Services with an HTTP port are asked there, and workers keep their numbers in files. Each number gets the label
`service`. Beside them are those that no service has: which parts are up, and how the newest backup went.
"""

import http.client
import socket
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tetrad.server.embedded.last_backup import read_backup
from tetrad.server.embedded.programs import Watched
from tetrad.server.metrics import read_folder

ANSWER_SECONDS = 4.0  # Prometheus waits for all together, ten seconds by default
HEARTBEAT_SECONDS = 60.0  # workers touch their files every 10 s at least
HEAD = b"# HELP "


class InstanceNumbers(Collector):
    """Gathers the numbers of the programs that are watched. `workers`: their heartbeat files, by name."""

    def __init__(self, watched: Watched, workers: Mapping[str, Path], token: str) -> None:
        self._http, self._workers, self._valkey = watched.http, workers, watched.valkey
        self._folder, self._backup = Path(watched.metrics_folder), Path(watched.last_backup)
        self._token = token
        secrets = Path(watched.data_directory) / "secrets.json"  # made at the first start
        self._made_at = secrets.stat().st_mtime if secrets.exists() else time.time()
        self._up: dict[str, bool] = {}
        self._threads = ThreadPoolExecutor(max(1, len(watched.http)), "numbers")

    def exposition(self) -> bytes:
        """Return all numbers in Prometheus's text format. A service that does not answer has none."""
        asked = {name: self._threads.submit(self._ask, port) for name, port in self._http.items()}
        parts = {name: answer.result() for name, answer in asked.items()}
        parts |= {name: read_folder(self._folder / name) for name in self._workers}
        self._up = {name: bool(parts[name]) for name in self._http}
        self._up |= {name: _is_fresh(file) for name, file in self._workers.items()}
        self._up |= {name: is_answering(port) for name, port in self._valkey.items()}
        own = CollectorRegistry()
        own.register(self)
        return merge(parts) + generate_latest(own)

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers of the instance itself."""
        up = GaugeMetricFamily("tetrad_part_up", "1 while a part of the instance works", labels=("part",))
        for name, is_up in self._up.items():
            up.add_metric((name,), is_up)
        yield up
        backup = read_backup(self._backup)
        about = "Time of the newest backup that is whole, or without one of the instance's first start"
        yield GaugeMetricFamily("tetrad_backup_timestamp_seconds", about, backup.made_at or self._made_at)
        failed = bool(backup.failure)
        yield GaugeMetricFamily("tetrad_backup_failed", "1 if the last backup was not made", failed)

    def _ask(self, port: int) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        try:
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {self._token}"})
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return b""
        finally:
            connection.close()
        return body if answer.status == http.client.OK else b""


def merge(parts: Mapping[str, bytes]) -> bytes:
    """Return the numbers of several services as one exposition, each with its service as a label."""
    heads: dict[bytes, bytes] = {}
    samples: dict[bytes, list[bytes]] = {}
    for service, text in parts.items():
        label = f'service="{service}"'.encode()
        for block in text.split(HEAD)[1:]:
            about, kind, *lines = block.splitlines()
            name = about.split(b" ", 1)[0]
            heads.setdefault(name, HEAD + about + b"\n" + kind + b"\n")
            samples.setdefault(name, []).extend(_add_label(line, label) for line in lines)
    return b"".join(head + b"".join(samples[name]) for name, head in heads.items())


def _add_label(line: bytes, label: bytes) -> bytes:
    name, brace, rest = line.partition(b"{")
    if brace and b" " not in name:
        return name + b"{" + label + b"," + rest + b"\n"
    name, _, value = line.partition(b" ")
    return name + b"{" + label + b"} " + value + b"\n"


def is_answering(port: int) -> bool:
    """Return whether a Valkey answers; a demand for a password is an answer."""
    try:
        with socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(1) != b""
    except OSError:
        return False


def _is_fresh(heartbeat: Path) -> bool:
    try:
        return time.time() - heartbeat.stat().st_mtime < HEARTBEAT_SECONDS
    except OSError:
        return False

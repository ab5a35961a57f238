"""One of our apps, or a stand-in for one, as processes of its own, for tests and for the bench."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import IO

import httpx
import msgspec

from tests.ports import free_port
from tetrad.server.settings import Settings, variable_name
from tetrad.tls import load_trusted

ROOT = Path(__file__).parents[1]
START_SECONDS = 60.0
STOP_SECONDS = 20.0
KILL_SECONDS = 5
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Served:
    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def served(
    app: str, environment: Mapping[str, str] = NOTHING, *, workers: int = 1, log: IO[bytes] | None = None
) -> Iterator[Served]:
    """Run an app's factory ("package.module:create_app"), and stop it, and only it, at the end; logs go to `log`.

    Raises:
        AssertionError: it ended, or was not ready in time.
    """
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--factory", app]
    # A worker that is still loading when it is told to stop never hears of it.
    stopping = ["--workers-kill-timeout", str(KILL_SECONDS)]
    options = ["--port", str(port), "--workers", str(workers), "--no-ws", "--log-level", "warning", *stopping]
    process = subprocess.Popen([*command, *options], cwd=ROOT, env=os.environ | environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_ready(url, process)
        yield Served(url, process)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


class ThreadedServer(ThreadingHTTPServer):
    """An HTTP server with a thread for each connection, and a queue of 128 that wait for theirs.

    By the library's default five wait, and a client that finds the queue full tries again after seconds.
    """

    request_queue_size = 128


@contextmanager
def answered_by(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer on loopback by this handler, in threads of the test; yield the address."""
    server = ThreadedServer(("127.0.0.1", 0), handler)
    server.daemon_threads = False
    with server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def variables(prefix: str, settings: Settings) -> dict[str, str]:
    """Return the settings as the variables that a process reads them from."""
    return {variable_name(prefix, name): str(value) for name, value in msgspec.structs.asdict(settings).items()}


def _wait_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        if answers(f"{url}/health/ready"):
            return
        time.sleep(0.1)
    raise AssertionError(f"not ready after {START_SECONDS} s")


def answers(url: str) -> bool:
    """Tell whether a GET of the address succeeds; it does not while nobody listens there."""
    try:
        return httpx.get(url, timeout=5, verify=load_trusted()).is_success
    except httpx.TransportError:
        return False

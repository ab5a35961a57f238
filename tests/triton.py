"""A real Triton on the CPU, out of its wheel, in an environment of its own: `make triton` makes the same one."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from deploy.triton.configuration import Signature, Tensor
from deploy.triton.environment import EnvironmentMissingError, make_environment
from deploy.triton.models import write
from deploy.triton.wheel_server import NoServerError, command, prepare
from tests.ports import free_port
from tests.serving import answers

ROOT = Path(__file__).parents[1]
TELLTALE = Path(__file__).with_name("triton_models") / "telltale.py"
START_SECONDS = 60.0
STOP_SECONDS = 20.0


@dataclass
class Triton:
    """A running server. Models of its repository are loaded by name."""

    repository: Path
    grpc: int
    http: int
    begin: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.process = self.begin()

    @property
    def address(self) -> str:
        return f"grpc://127.0.0.1:{self.grpc}"

    def load(self, name: str) -> None:
        """Load a model that was written into the repository, or load it anew."""
        self._asked(f"/v2/repository/models/{name}/load")

    def unload(self, name: str) -> None:
        """Unload a model, and wait until it is gone."""
        self._asked(f"/v2/repository/models/{name}/unload")
        end = time.monotonic() + STOP_SECONDS
        while answers(f"http://127.0.0.1:{self.http}/v2/models/{name}/ready"):
            assert time.monotonic() < end
            time.sleep(0.02)

    def _asked(self, path: str) -> None:
        answer = httpx.post(f"http://127.0.0.1:{self.http}{path}", json={}, timeout=START_SECONDS)
        assert answer.is_success, answer.text

    def revive(self) -> bool:
        """Start the server again, at its ports, if it has ended; return whether it had."""
        if self.process.poll() is None:
            return False
        self.process = self.begin()
        _wait_ready(self)
        return True

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop the server and wait for its end."""
        self.process.send_signal(how)
        self.process.wait(STOP_SECONDS)


def environment() -> Path:
    """Return the environment with the server; a test that can't have it is skipped, and says why."""
    lock, folder = ROOT / "requirements" / "triton.txt", ROOT / "var" / "triton" / "environment"
    try:
        return make_environment(lock, folder)
    except EnvironmentMissingError as error:
        pytest.skip(f"NO TRITON, so its provider is not tested: `make triton` says why. {error}")


def built(folder: Path) -> Path:
    """Build the repository of deploy/triton."""
    python = environment() / "bin" / "python"
    asked = [str(python), "-m", "deploy.triton.repository", str(folder), "--host", "wheel"]
    subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder


@contextmanager
def serving(repository: Path, port: int | None = None) -> Iterator[Triton]:
    """Serve a repository on loopback, and stop it, and only it, at the end."""
    backends = repository.parent / "backends"
    try:
        program, variables = prepare(environment(), backends)
    except NoServerError as error:
        pytest.skip(f"NO TRITON, so its provider is not tested: `make triton` says why. {error}")
    http, grpc, metrics = free_port(), port or free_port(), free_port()
    asked = command(program, repository, backends, http=http, grpc=grpc, metrics=metrics)

    def begin() -> subprocess.Popen[bytes]:
        with _log_of(repository).open("ab") as target:
            return subprocess.Popen(asked, env=os.environ | dict(variables), stdout=target, stderr=target)

    server = Triton(repository, grpc, http, begin)
    try:
        _wait_ready(server)
        yield server
    finally:
        with suppress(ProcessLookupError):
            server.process.send_signal(signal.SIGCONT)  # a test may have stopped it
            server.process.terminate()
        server.process.wait(STOP_SECONDS)
        shutil.rmtree(backends, ignore_errors=True)


def telltale(
    server: Triton, name: str, inputs: list[Tensor], outputs: list[Tensor], *, most: int = 0, **parameters: str
) -> None:
    """Write a model that says what it was sent, and load it; a decoupled one where `stream` is among its inputs."""
    is_decoupled = any(one.name == "stream" for one in inputs)
    signature = Signature(
        name=name,
        inputs=inputs,
        outputs=outputs,
        most=most,
        is_graph=False,
        is_decoupled=is_decoupled,
        parameters=parameters,
    )
    write(server.repository, signature, "wheel", backend=TELLTALE)
    server.load(name)


def _log_of(repository: Path) -> Path:
    return repository.parent / "triton.log"


def _wait_ready(server: Triton) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert server.process.poll() is None, _log_of(server.repository).read_text()[-3000:]
        if answers(f"http://127.0.0.1:{server.http}/v2/health/ready"):
            return
        time.sleep(0.05)
    raise AssertionError(f"not ready after {START_SECONDS} s: {_log_of(server.repository).read_text()[-3000:]}")

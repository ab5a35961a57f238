"""A whole embedded instance as real processes, for e2e and chaos tests and for the bench."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import httpx

from tests.ports import free_port
from tests.serving import NOTHING, answers
from tetrad.client import Client
from tetrad.server.embedded.data_directory import DataDirectory, Secrets, load_secrets

ROOT = Path(__file__).parents[1]
START_SECONDS = float(os.environ.get("TETRAD_TEST_START_SECONDS", "120"))  # more where others use the machine
PATIENCE_SECONDS = 20  # of the watchdog; its own default is longer


@dataclass(frozen=True)
class Instance:
    """A running instance with a data directory of its own."""

    data_directory: DataDirectory
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.data_directory.port}"

    @property
    def gateway_url(self) -> str:
        return f"http://127.0.0.1:{self.data_directory.gateway_port}"

    @property
    def generator_url(self) -> str:
        """The one that the api asks for sealed draws."""
        return self.environment("api")["TETRAD_API_GENERATOR_URL"]

    @property
    def secrets(self) -> Secrets:
        return load_secrets(self.data_directory)

    def client(self, key: str | None = None) -> Client:
        return Client(self.url, key)

    def team(self, name: str) -> Client:
        """Register a team and return its client."""
        with self.client() as anonymous:
            return self.client(anonymous.register_team(name).key)

    def environment(self, program: str) -> dict[str, str]:
        """Return the environment that this process really has, from /proc."""
        end = time.monotonic() + START_SECONDS
        while not (pids := self.pids(program)) and time.monotonic() < end:
            time.sleep(0.2)  # it was killed a moment ago
        raw = (Path("/proc") / str(pids[0]) / "environ").read_bytes()
        return dict(entry.decode().split("=", 1) for entry in raw.split(b"\0") if b"=" in entry)

    def admin_redis_url(self) -> str:
        """Return the address of its Redis for a user who may do anything."""
        lines = (self.data_directory.run / "valkey.conf").read_text().splitlines()
        settings = dict(line.split(" ", 1) for line in lines)
        return f"redis://default:{self.secrets.redis_admin}@127.0.0.1:{settings['port']}"

    def pids(self, program: str) -> list[int]:
        """Return the process ids of one program, its supervised parent first."""
        mark = {
            "valkey": "valkey-server",
            "scoring": "scoring_service.jobs.worker",
            "evaluations": "api.evaluations.worker",
            "api": "api.app",
            "generator": " generator -m granian",  # the name before the module: both run the same app
            "practice": " practice -m granian",
            "gateway": "inference_gateway.app",
            "bulk-1": " bulk-1 -m tetrad.server.embedded.on_order",
        }[program]
        found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
        mine = [pid for pid in found if _descends(pid, self.process.pid) and mark in _command(pid)]
        return sorted(mine, key=lambda pid: (_parent(pid) != self.process.pid, pid))

    def strays(self) -> list[int]:
        """Return the processes of this instance that its supervisor does not lead; they name its folder."""
        found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
        mine = [pid for pid in found if str(self.data_directory.folder) in _command(pid)]
        return [pid for pid in mine if pid != self.process.pid and not _descends(pid, self.process.pid)]

    def wait_no_strays(self, seconds: float) -> list[int]:
        """Return the strays that are still there after `seconds`, and at once when there are none."""
        end = time.monotonic() + seconds
        while (strays := self.strays()) and time.monotonic() < end:
            time.sleep(0.05)
        return strays

    def kill(self, *programs: str) -> None:
        """kill -9 every process of these programs at once; the supervisor, unless it is one, starts them again."""
        found = [[self.process.pid] if program == "supervisor" else self.pids(program) for program in programs]
        for pid in chain.from_iterable(found):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def kill_main(self, program: str, seconds: float, processes: int = 1) -> int:
        """Have the program started anew, and kill -9 its main process so long after it has so many; return its id."""
        old = set(self.pids(program))
        self.kill(program)
        end = time.monotonic() + START_SECONDS
        while len(pids := [pid for pid in self.pids(program) if pid not in old]) < processes:
            assert time.monotonic() < end, f"{program} has no {processes} processes after {START_SECONDS} s"
            time.sleep(0.02)
        time.sleep(seconds)
        with suppress(ProcessLookupError):  # it ended by itself meanwhile: a neighbour was away
            os.kill(pids[0], signal.SIGKILL)
        return pids[0]

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"the instance ended with {self.process.returncode}: {self._logs()}")
            if answers(f"{self.url}/health/ready") and self._has_practice():
                return
            time.sleep(0.2)
        raise AssertionError(f"not ready after {seconds} s: {self._logs()}")

    def _has_practice(self) -> bool:
        return bool(httpx.get(f"{self.url}/health/ready", timeout=5).json().get("practice") == "up")

    def _logs(self) -> str:
        return "\n".join(
            f"{path.name}: {path.read_text()[-2000:]}" for path in sorted(self.data_directory.logs.glob("*.log"))
        )


@contextmanager
def running(  # noqa: PLR0917 - as they were before the last one
    folder: Path,
    bank: Path,
    benchmarks: str = "",
    port: int | None = None,
    bank_name: str = "builtin",
    models_file: Path | None = None,
    gateway_port: int | None = None,
    python: Path = Path(sys.executable),
    more_sources: str = "",
) -> Iterator[Instance]:
    """Start an instance in the folder and stop it, and only it, at the end; it reads the sources in `bank`, too.

    `models_file`: the gateway's models, instead of those that are shipped. `python`: what runs all its processes.
    `more_sources`: a further store, by its address.
    """
    with starting(
        folder, bank, benchmarks, port, bank_name, models_file, gateway_port, python, more_sources
    ) as instance:
        instance.wait_ready()
        yield instance


@contextmanager
def starting(  # noqa: PLR0917 - as above
    folder: Path,
    bank: Path,
    benchmarks: str = "",
    port: int | None = None,
    bank_name: str = "builtin",
    models_file: Path | None = None,
    gateway_port: int | None = None,
    python: Path = Path(sys.executable),
    more_sources: str = "",
    more_variables: Mapping[str, str] = NOTHING,
) -> Iterator[Instance]:
    """Start an instance as `running` does, and don't wait until it is ready.

    `more_variables` take the place of others.
    It has a umask that closes nothing: that its files are closed is its own doing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ports = {"port": port or free_port(), "gateway_port": gateway_port or free_port(), "metrics_port": free_port()}
    data = DataDirectory(folder=folder.resolve(), **ports)
    environment = os.environ | {
        "TETRAD_HOME": str(data.folder),
        "TETRAD_PORT": str(data.port),
        "TETRAD_GATEWAY_PORT": str(data.gateway_port),
        "TETRAD_METRICS_PORT": str(data.metrics_port),
        "TETRAD_BENCHMARK_FOLDERS": benchmarks,
        "TETRAD_BANK": bank_name,
        "TETRAD_SHARED_SOURCES": ",".join([f"file://{bank.resolve()}", *filter(None, [more_sources])]),
        "TETRAD_PATIENCE_SECONDS": str(PATIENCE_SECONDS),
        "TETRAD_PEOPLE_FROM": "none",  # tests fetch nothing
        "TETRAD_PHOTOGRAPHS_FROM": "none",
        "TETRAD_MODELS_FILE": "" if models_file is None else str(models_file),
        **more_variables,
    }
    with (folder / "up.log").open("ab") as log:
        process = subprocess.Popen(
            [str(python), "-m", "tetrad", "up"], cwd=ROOT, env=environment, stdout=log, stderr=log, umask=0
        )
    instance = Instance(data, process)
    try:
        yield instance
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def _command(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        pid = _parent(pid)
        if pid == ancestor:
            return True
    return False

"""Runs the chart's objects as processes on loopback: command, arguments and variables of every Job and container.

Addresses of Services become ports of this machine, folders of containers become folders of the test. The entry point is
deploy/entrypoint.sh over the project's own Python. What processes can't show (read-only roots, policies, images)
tests/deployed/manifest_checks.py looks at.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.deployed.chart import (
    LASTING,
    VALUES,
    Object,
    Pod,
    Secrets,
    environment_of,
    made_secrets,
    of_kind,
    pods_of,
    render,
)
from tests.deployed.servers import PROGRAMS, Servers, run_servers
from tests.object_store import SECRETS
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
READY_SECONDS = 300.0
JOB_SECONDS = 120.0
STOP_SECONDS = 60.0
UPGRADED = ["the database has the tables of this version", "the record has the tables of this version"]
HERE = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")
DATABASE = re.compile(r"@tetrad-postgres:5432/(\w+)")
NUMBERS = "0.0.0.0:9100"  # where a pod tells its numbers
# As the pod's own address: the server's port is one of this machine's.
PYTHON = """#!/bin/sh
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1; shift; count=$((count - 1))
    case "$argument" in 0.0.0.0) argument=127.0.0.1 ;; 8000) argument=$POD_PORT ;; esac
    set -- "$@" "$argument"
done
exec {python} "$@"
"""


class PodError(Exception):
    """A pod did not do what it was made for; the message ends with its log."""


class Process:
    """A container of a pod as a process."""

    def __init__(
        self, pod: Pod, container: Object, command: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self.pod, self.container = pod, container
        self._environment, self._log = environment, folder / f"{container['name']}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def is_ready(self) -> bool:
        """Ask as the readiness probe does. Raises: PodError: the process has ended."""
        if self.process.poll() is not None:
            raise PodError(f"{self.pod.name} ended with {self.process.returncode}: {self.log[-2000:]}")
        probe = self.container["readinessProbe"]
        if "httpGet" in probe:
            try:
                url = f"http://127.0.0.1:{self._environment['POD_PORT']}{probe['httpGet']['path']}"
                return httpx.get(url, timeout=10).is_success
            except httpx.TransportError:
                return False
        command = [part.replace("/usr/local/bin", str(ROOT / "deploy")) for part in probe["exec"]["command"]]
        return not subprocess.run(command, env=self._environment, capture_output=True, check=False).returncode

    def finish(self) -> str:
        """Wait until it ends, and return the last line of its log. Raises: PodError: it failed, or takes too long."""
        try:
            status = self.process.wait(JOB_SECONDS)
        except subprocess.TimeoutExpired:
            self.stop()
            raise PodError(f"{self.pod.name} does not end: {self.log[-2000:]}") from None
        if status:
            raise PodError(f"{self.pod.name} ended with {status}: {self.log[-2000:]}")
        return (self.log.strip().splitlines() or [""])[-1]

    def stop(self) -> float:
        """Tell it to end, as a cluster does, and return the seconds that it took. Raises: PodError: too many."""
        self.process.terminate()
        return self.wait_end()

    def wait_end(self) -> float:
        """Wait until it ends, once it was told to, and return the seconds. Raises: PodError: too many.

        It is told once: Granian may hang where two signals come within a millisecond.
        """
        begun = time.monotonic()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            raise PodError(f"{self.pod.name} did not end within {STOP_SECONDS:.0f} s: {self.log[-2000:]}") from None
        return time.monotonic() - begun


class Cluster:
    """The pods of a rendered chart, one process a container."""

    def __init__(self, objects: Sequence[Object], secrets: Secrets, servers: Servers, folder: Path) -> None:
        self.objects, self._secrets, self.servers, self._folder = objects, secrets, servers, folder
        self.backups = folder / "backups"
        services = [service["metadata"]["name"].removeprefix("tetrad-") for service in of_kind(objects, "Service")]
        self.ports = {name: free_port() for name in services}
        self.processes: dict[str, Process] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("sources", "backups", "bin"):
            (folder / name).mkdir(exist_ok=True)
        (folder / "bin" / "python").write_text(PYTHON.format(python=sys.executable))
        (folder / "bin" / "python").chmod(0o755)

    def run_hooks(self) -> list[str]:
        """Run the Jobs that come before an installation, in their order, and return the last line of each.

        Raises:
            PodError: one failed, or took too long.
        """
        jobs = [pod for pod in pods_of(self.objects) if _is_before_installation(pod.owner)]
        jobs.sort(key=lambda pod: int(pod.owner["metadata"]["annotations"]["helm.sh/hook-weight"]))
        return [line for pod in jobs for line in self.run_to_end(pod)]

    def run_to_end(self, pod: Pod) -> list[str]:
        """Run a pod's containers one after the other; return the last line of each. Raises: PodError: one failed."""
        return [self.begin(pod, container).finish() for container in pod.containers]

    def start(self) -> None:
        """Start every pod that lasts, all at once."""
        for pod in pods_of(self.objects):
            if pod.owner["kind"] in LASTING:
                self.processes[pod.part] = self.begin(pod, pod.containers[0])

    def wait_ready(self) -> dict[str, float]:
        """Wait until every pod is ready; return the seconds that each took. Raises: PodError: one is not in time."""
        begun, ready = time.monotonic(), dict[str, float]()
        while waiting := self.processes.keys() - ready.keys():
            for part in sorted(waiting):
                if self.processes[part].is_ready():
                    ready[part] = round(time.monotonic() - begun, 1)
            if time.monotonic() - begun > READY_SECONDS:
                logs = "\n".join(f"{part}: {self.processes[part].log[-2000:]}" for part in waiting)
                raise PodError(f"{', '.join(sorted(waiting))} are not ready:\n{logs}")
            time.sleep(0.5)
        return ready

    def stop(self) -> dict[str, float]:
        """End every pod, and return the seconds that each took. Raises: PodError: some took too long."""
        for process in self.processes.values():
            process.process.terminate()
        return {part: round(process.wait_end(), 1) for part, process in self.processes.items()}

    def url(self, part: str) -> str:
        return f"http://127.0.0.1:{self.ports[part]}"

    def begin(self, pod: Pod, container: Object) -> Process:
        """Start a container of a pod."""
        folder = self._folder / pod.part
        folder.mkdir(exist_ok=True)
        entry = ["sh", str(ROOT / "deploy" / "entrypoint.sh")]
        command = [*container.get("command", entry), *container.get("args", [])]
        moved = [self._move(part, folder) for part in command]
        return Process(pod, container, moved, self._environment(pod, container, folder), folder)

    def _environment(self, pod: Pod, container: Object, folder: Path) -> dict[str, str]:
        """Return what the image, the manifest and this machine give it, and nothing of the test's own environment."""
        image = container["image"].rpartition("/")[2].partition(":")[0].removeprefix("tetrad-")
        given = environment_of(container, self._secrets)
        return {
            **{name: os.environ[name] for name in HERE if name in os.environ},
            "PATH": ":".join(
                map(str, (self._folder / "bin", Path(sys.executable).parent, PROGRAMS, os.environ["PATH"]))
            ),
            "SERVICE": image,
            "POD_PORT": str(self.ports.get(pod.part, 0)),
            "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
            **{name: self._move(value, folder) for name, value in given.items()},
        }

    def _move(self, value: str, folder: Path) -> str:
        """Return a value with the addresses and folders of this machine."""
        value = DATABASE.sub(rf"@/\1?host={self.servers.postgres}", value)
        if NUMBERS in value:
            value = value.replace(NUMBERS, f"127.0.0.1:{free_port()}")
        moved = {
            "tetrad-valkey:6379": f"127.0.0.1:{self.servers.valkey}",
            "http://tetrad-objects:9000": self.servers.objects,
            **{f"http://tetrad-{part}:8000": self.url(part) for part in self.ports},
            "http://127.0.0.1:8000": self.url("api"),
            "/var/lib/tetrad/built-in": str(ROOT / "var" / "sources"),
            "/var/lib/tetrad/sources": str(self._folder / "sources"),
            "/var/lib/tetrad/": f"{folder}/",
            "/backup": str(self.backups),
        }
        if value.startswith(str(ROOT)):
            return value
        if value.startswith("/tmp/"):  # noqa: S108 -- the container's
            return f"{folder}/{value.removeprefix('/tmp/')}"  # noqa: S108
        for place, here in moved.items():
            value = value.replace(place, here)
        return value


def make_store_secrets(folder: Path) -> Secrets:
    """Return the Secrets of a chart for one node, with the keys that the tests' object store gave before."""
    (folder / "secrets.env").write_text("".join(f"{name}={value}\n" for name, value in SECRETS.items()))
    return made_secrets(folder, "one-node")


@contextmanager
def start_cluster(folder: Path, secrets: Secrets, *settings: str) -> Iterator[Cluster]:
    """Install the chart for one node with these settings, over servers of its own; end it all at the end.

    Raises:
        PodError: a Job failed, or a pod is not ready in time.
    """
    objects = render(next(path for path in VALUES if path.stem == "one-node"), *settings)
    with run_servers(folder / "servers", {**secrets["tetrad-postgres"], **secrets["tetrad-valkey"]}) as servers:
        cluster = Cluster(objects, secrets, servers, folder / "pods")
        try:
            if (said := cluster.run_hooks()) != UPGRADED:
                raise PodError(f"the Jobs before an installation said {said}")
            cluster.start()
            sys.stderr.write(f"seconds until ready: {cluster.wait_ready()}\n")
            yield cluster
        finally:
            cluster.stop()


def _is_before_installation(owner: Object) -> bool:
    return "pre-install" in owner["metadata"].get("annotations", {}).get("helm.sh/hook", "")

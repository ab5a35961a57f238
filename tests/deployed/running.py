"""Starts a deployment as containers of this machine, in the order that it asks for, and ends it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests.deployed.containers import Container, Fabric
from tests.deployed.workloads import Deployment, Workload, order
from tests.ports import free_port

START_SECONDS = 120.0
WORLD = "world"
"""The container of whoever is outside: clients, providers. It is on every network that leads there."""


class UnhealthyError(Exception):
    """A container ended, or is not ready in time; the message has its name and the end of its log."""


class Running:
    """A deployment that runs; each workload may run several times."""

    def __init__(self, deployment: Deployment, folder: Path) -> None:
        self.deployment = deployment
        self._folder = folder
        self._fabric = Fabric(deployment.networks)
        self.containers: dict[str, list[Container]] = {}
        self._number = count()
        self._published: list[subprocess.Popen[bytes]] = []
        outside = frozenset(network.name for network in deployment.networks if not network.inside)
        self.world = self.add(Workload(name=WORLD, command=("sleep", "1000000"), networks=outside))

    def add(self, workload: Workload) -> Container:
        """Make a container of the workload, one more of its name, which does not run yet."""
        container = Container(workload, self._fabric, self._folder / f"{workload.name}-{next(self._number)}")
        self.containers.setdefault(workload.name, []).append(container)
        return container

    def start(self, *names: str) -> None:
        """Start these workloads, or all, each once those that it needs are as it asks.

        Raises:
            UnhealthyError: one ends, or is not as others need it.
        """
        chosen = [one for one in self.deployment.workloads if not names or one.name in names]
        for workload in chosen:
            self.add(workload)  # all have their addresses before any looks for another
        if self.world.status() is None:
            self.world.start()
        for workload in order(tuple(chosen)):
            for needed, state in workload.needs.items():
                if state == "healthy" and needed in self.containers:
                    self.wait_until_healthy(needed)
            for container in self.containers[workload.name]:
                container.start()

    def wait_until_healthy(self, *names: str) -> None:
        """Wait for these, or all.

        Raises:
            UnhealthyError: one ended, or is not healthy in time.
        """
        end = time.monotonic() + START_SECONDS
        for name in names or tuple(self.containers):
            for container in self.containers[name]:
                while not container.is_healthy():
                    if container.status() is not None:
                        raise UnhealthyError(f"{name} ended with {container.status()}: {container.log[-2000:]}")
                    if time.monotonic() > end:
                        raise UnhealthyError(f"{name} is not healthy: {container.log[-2000:]}")
                    time.sleep(0.3)

    @contextmanager
    def trying(self, workload: Workload) -> Iterator[Container]:
        """Start one more container, of a workload that may fail, for as long as the block runs."""
        container = self.add(workload)
        try:
            container.start()
            yield container
        finally:
            container.kill()
            container.stop()
            self.containers[workload.name].remove(container)

    def publish(self, name: str, port: int) -> str:
        """Return an address on this machine's loopback that leads to a port of a workload, from outside."""
        address = self.world.address_of(name)
        here = free_port()
        program = Path(__file__).with_name("forwarder.py")
        self._published.append(
            subprocess.Popen([sys.executable, str(program), str(here), self.world.space, address, str(port)])
        )
        return f"http://127.0.0.1:{here}"

    def close(self) -> None:
        for process in self._published:
            process.terminate()
            process.wait()
        for containers in self.containers.values():
            for container in containers:
                container.kill()
                container.stop()
        self._fabric.close()


@contextmanager
def running(deployment: Deployment, folder: Path) -> Iterator[Running]:
    """Start everything, wait until all is healthy, and end it with the block.

    Raises:
        UnhealthyError: see `Running.start`.
    """
    started = Running(deployment, folder)
    try:
        started.start()
        started.wait_until_healthy()
        yield started
    finally:
        started.close()

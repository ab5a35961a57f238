"""Starts a deployment as containers of this machine, in the order that it asks for, and ends it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from tests.deployed.containers import Container, Fabric, find_obstacle, make_volume
from tests.deployed.workloads import Deployment, Workload, order
from tests.ports import free_port
from tests.waiting import wait_until

START_SECONDS = 300.0
CONTAINED = pytest.mark.skipif(find_obstacle() != "", reason=f"containers can't be made here: {find_obstacle()}")
"""Of tests that need containers."""
NO_COPIES: Mapping[str, int] = {}
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
        self.world.start()

    def add(self, workload: Workload) -> Container:
        """Make a container of the workload, one more of its name, which does not run yet."""
        container = Container(workload, self._fabric, self._folder / f"{workload.name}-{next(self._number)}")
        self.containers.setdefault(workload.name, []).append(container)
        return container

    def start(self, *names: str, copies: Mapping[str, int] = NO_COPIES) -> None:
        """Start these workloads, or all, each once those that it needs are as it asks; some in several copies.

        A copy has folders of its own for what it writes, as on a host of its own.

        Raises:
            UnhealthyError: one ends, or is not as others need it.
        """
        chosen = [workload for workload in self.deployment.workloads if not names or workload.name in names]
        for workload in chosen:  # all have their addresses before any looks for another
            for number in range(copies.get(workload.name, 1)):
                self.add(copy_of(workload, number) if number else workload)
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

    def publish(self, name: str, port: int, *, seen_by: Container | None = None, number: int = 0) -> str:
        """Return an address on this machine's loopback that leads to a port of a workload.

        Connections come from outside, or from where `seen_by` is; `number` chooses one of several copies.
        """
        client = seen_by or self.world
        there = self.containers[name][number]
        address = next(iter(there.addresses[each] for each in sorted(there.addresses) if each in client.addresses))
        here = free_port()
        program = Path(__file__).with_name("forwarder.py")
        self._published.append(
            subprocess.Popen([sys.executable, str(program), str(here), client.space, address, str(port)])
        )
        wait_until(lambda: _accepts(here), 60, "the forwarder listens")
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


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 5):
            return True
    except OSError:
        return False


def copy_of(workload: Workload, number: int) -> Workload:
    """Return the workload with folders of its own for what it writes; what it only reads is shared."""
    mounts = []
    for mount in workload.mounts:
        own = mount
        if mount.writable:
            own = replace(
                mount, source=make_volume(mount.source.with_name(f"{mount.source.name}-{number}"), workload.user)
            )
        mounts.append(own)
    return replace(workload, mounts=tuple(mounts))


@contextmanager
def running(deployment: Deployment, folder: Path, copies: Mapping[str, int] = NO_COPIES) -> Iterator[Running]:
    """Start everything, wait until all is healthy, and end it with the block.

    Raises:
        UnhealthyError: see `Running.start`.
    """
    started = Running(deployment, folder)
    try:
        started.start(copies=copies)
        started.wait_until_healthy()
        yield started
    finally:
        started.close()

"""What a deployment starts, without the words of compose or of Kubernetes: programs with all that they are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A file or folder of this machine at a path of the container."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One container: what runs in it, as whom, with what, beside whom.

    networks: those that it is on. needs: workloads that come before it, and whether they must be "started" or
    "healthy". health: the command that exits 0 once it is ready; none is ready when it has started.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: tuple[int, int] = (0, 0)
    mounts: tuple[Mount, ...] = ()
    networks: frozenset[str] = frozenset()
    needs: Mapping[str, str] = field(default_factory=dict)
    health: tuple[str, ...] | None = None
    read_only: bool = False
    scratch: tuple[str, ...] = ("/tmp",)  # noqa: S108 -- the container's
    init: bool = False
    """Whether process number 1 is one that passes signals on, and not the program."""
    asks_names: bool = False
    """Whether it asks a server of names, where others read /etc/hosts."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """A network. From one that is `inside` nobody reaches the world outside."""

    name: str
    inside: bool
    subnet: str = ""


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """Everything that is started together."""

    workloads: tuple[Workload, ...]
    networks: tuple[Network, ...]

    def find(self, name: str) -> Workload:
        return next(workload for workload in self.workloads if workload.name == name)


def order(workloads: tuple[Workload, ...]) -> list[Workload]:
    """Return them so that each comes after those that it needs.

    Raises:
        ValueError: some need each other, or one that is not there; the message names them.
    """
    placed: list[Workload] = []
    left = list(workloads)
    while left:
        names = {workload.name for workload in placed}
        ready = [workload for workload in left if set(workload.needs) <= names]
        if not ready:
            needs = {workload.name: sorted(set(workload.needs) - names) for workload in left}
            raise ValueError(f"nothing can start next: what is left needs {needs}")
        placed += ready
        left = [workload for workload in left if workload not in ready]
    return placed

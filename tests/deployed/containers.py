"""Workloads as processes in namespaces of this machine: each with networks, files and processes of its own.

A container sees the system's /usr, which it can't write, a root of its own, and what is mounted for it. It is on its
networks alone, by virtual cables to one bridge a network. Only root can make these, with the tools of TOOLS;
`find_obstacle` says what is missing. Nothing of this machine's own network changes.
"""

import ipaddress
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from tests.deployed.workloads import Mount, Network, Workload

TOOLS = ("ip", "unshare", "nsenter", "setpriv", "mount", "chroot")
USERS = {10001: "tetrad", 999: "database", 101: "proxy"}
ETC = ("ld.so.cache", "nsswitch.conf", "ssl", "localtime", "protocols", "services")
FREE = ipaddress.IPv4Network("10.77.0.0/16")
STOP_SECONDS = 20.0
INIT = """{} &
child=$!
trap 'kill -TERM $child' TERM
wait $child || true
wait $child
"""
DOCKERS_NAMES = "127.0.0.11"
PATH = "/opt/venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin"


def find_obstacle() -> str:
    """Return "" where containers can be made here, else what is missing."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} (Debian's iproute2 and util-linux)"
    tried = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "the right to make namespaces (root has it)"


def make_volume(folder: Path, user: tuple[int, int]) -> Path:
    """Return the folder of a volume, which belongs to who is the first to mount it."""
    if not folder.exists():
        folder.mkdir(parents=True)
        shutil.chown(folder, *user)
    return folder


def open_folder(folder: Path) -> Path:
    """Return a folder of pytest's that containers, which have users of their own, may enter."""
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    return folder


class Fabric:
    """The networks of a deployment: one bridge each, in a namespace of their own, and who has which address there."""

    def __init__(self, networks: Iterable[Network]) -> None:
        self._mark = f"t{os.getpid()}-{time.monotonic_ns() // 1_000_000 % 100_000}"
        self._spaces: list[str] = []
        self._cables = 0
        free = FREE.subnets(new_prefix=24)
        self._subnets = {
            network.name: ipaddress.IPv4Network(network.subnet) if network.subnet else next(free)
            for network in networks
        }
        self._bridges = {name: f"bridge{at}" for at, name in enumerate(self._subnets)}
        self._addresses: dict[str, list[tuple[str, str]]] = {name: [] for name in self._subnets}
        self._bridged = self.add_space("bridges")
        for bridge in self._bridges.values():
            self._ip(self._bridged, f"link add {bridge} type bridge", f"link set {bridge} up")

    def add_space(self, name: str) -> str:
        """Return a new namespace of networks, which has loopback alone."""
        space = f"{self._mark}-{name}"
        subprocess.run(["ip", "netns", "add", space], check=True)
        self._spaces.append(space)
        self._ip(space, "link set lo up")
        return space

    def connect(self, space: str, name: str, networks: Iterable[str]) -> dict[str, str]:
        """Put a namespace on these networks, where others find it under the name; return its addresses by network."""
        addresses: dict[str, str] = {}
        for network in sorted(networks):
            cable, held = self._cables, self._addresses[network]
            self._cables += 1
            subnet = self._subnets[network]
            address = str(subnet[2 + len(held)])
            held.append((name, address))
            addresses[network] = address
            self._ip(
                space,
                f"link add c{cable} type veth peer name b{cable} netns {self._bridged}",
                f"address add {address}/{subnet.prefixlen} dev c{cable}",
                f"link set c{cable} up",
            )
            self._ip(self._bridged, f"link set b{cable} master {self._bridges[network]} up")
        return addresses

    def hosts_of(self, networks: Iterable[str]) -> str:
        """Return the names of all who are on these networks, each with its addresses on one of them."""
        lines, known = ["127.0.0.1 localhost"], {"localhost"}
        for network in sorted(networks):
            found = [(name, address) for name, address in self._addresses[network] if name not in known]
            lines += [f"{address} {name}" for name, address in found]
            known |= {name for name, _ in found}
        return "\n".join(lines) + "\n"

    def close(self) -> None:
        for space in reversed(self._spaces):
            with suppress(subprocess.CalledProcessError):
                subprocess.run(["ip", "netns", "delete", space], check=True, capture_output=True)

    def _ip(self, space: str, *lines: str) -> None:
        batch = "\n".join(lines)
        subprocess.run(["ip", "-netns", space, "-batch", "-"], input=batch, text=True, check=True, capture_output=True)


class Container:
    """A workload that runs, or ran. Its folder holds its log, its file of names, and what is mounted nowhere else."""

    def __init__(self, workload: Workload, fabric: Fabric, folder: Path) -> None:
        self.workload = workload
        self._fabric, self._folder = fabric, folder
        folder.mkdir(parents=True)
        _write_etc(folder / "etc")
        self.space = fabric.add_space(folder.name)
        self.addresses = fabric.connect(self.space, workload.name, workload.networks)
        self._names: subprocess.Popen[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        path = self._folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def address_of(self, name: str) -> str:
        """Return an address of another that is on one of its networks.

        Raises:
            LookupError: there is none.
        """
        lines = [line.split() for line in self._fabric.hosts_of(self.workload.networks).splitlines()]
        try:
            return next(address for address, known in lines if known == name)
        except StopIteration:
            raise LookupError(f"{self.workload.name} shares no network with {name}") from None

    def start(self) -> None:
        """Start it. Who is on its networks by now is in its file of names."""
        hosts = self._folder / "etc" / "hosts"
        hosts.write_text(self._fabric.hosts_of(self.workload.networks))
        if self.workload.asks_names and self._names is None:
            program = [sys.executable, str(Path(__file__).with_name("names.py")), str(hosts)]
            self._names = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", self.space, *program]
            )
        (self._folder / "root.sh").write_text(self._make_root())
        inner = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", str(self._folder / "root.sh")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", self.space, *inner],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def run(self, command: Iterable[str], **more: str) -> "subprocess.CompletedProcess[str]":
        """Run a command beside the program, with what the program sees."""
        enter = ["nsenter", "--target", str(self._first_process()), "--mount", "--net", "--pid"]
        inside = [*enter, *_as_user(self.workload, str(self._folder / "root")), *command]
        environment = {**self._environment(), **more}
        return subprocess.run(
            inside, env=environment, capture_output=True, text=True, errors="replace", check=False, timeout=120
        )

    def is_healthy(self) -> bool:
        """Return whether its check of health passes; without one, whether it runs."""
        if self.status() is not None:
            return False
        health = self.workload.health
        try:
            return health is None or self.run(health).returncode == 0
        except (ProcessLookupError, FileNotFoundError, subprocess.TimeoutExpired):
            return False

    def status(self) -> int | None:
        """Return its exit status, None while it runs."""
        return None if self._process is None else self._process.poll()

    def kill(self) -> None:
        """End all its processes at once, as a host that loses its power does."""
        if self._process is not None:
            with suppress(ProcessLookupError, FileNotFoundError):
                os.kill(self._first_process(), 9)
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """End it as compose does: SIGTERM, and SIGKILL later; return its exit status."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError, FileNotFoundError):
                os.kill(self._first_process(), 15)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._names is not None:
            self._names.kill()
            self._names.wait()
            self._names = None
        return self.status() or 0

    def _first_process(self) -> int:
        """Return the number, on this machine, of the process that is number 1 in the container."""
        pid = self._process.pid if self._process is not None else 0
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()  # `ip` became `unshare`, which forked
        if not children:
            raise ProcessLookupError(f"{self.workload.name} has no process")
        return int(children[0])

    def _environment(self) -> Mapping[str, str]:
        return {"PATH": PATH, "HOME": "/tmp", **self.workload.environment}  # noqa: S108 -- the container's

    def _make_root(self) -> str:
        """Return the script that mounts what the container sees and becomes its program."""
        root, etc = self._folder / "root", self._folder / "etc"
        root.mkdir(exist_ok=True)
        new = shlex.quote(str(root))
        uid, gid = self.workload.user
        lines = [
            "set -e",
            "mount --make-rprivate /",
            f"mount -t tmpfs -o mode=755 tmpfs {new}",
            f"cd {new}",
            "mkdir -p usr etc dev proc sys tmp var/run run opt srv root",
            "chmod 1777 tmp",
            "for name in bin lib lib64 sbin; do [ ! -L /$name ] || ln -s usr/$name $name; done",
            "mount --rbind /usr usr && mount -o remount,ro,bind usr",
            f"mount --bind {shlex.quote(str(etc))} etc",
            "mount --rbind /dev dev",
            "mount -t proc proc proc",
        ]
        for mount in (*self.workload.mounts, *_interpreter()):
            lines += _mount(mount)
        for scratch in self.workload.scratch:
            lines += [f"mkdir -p .{scratch}", f"mount -t tmpfs -o mode=1777 tmpfs .{scratch}"]
        lines += ["mkdir -p var/run/postgresql", f"chown {uid}:{gid} var/run/postgresql"]
        if self.workload.read_only:
            lines.append(f"mount -o remount,ro {new}")
        command = [*_as_user(self.workload, str(root)), *self.workload.command]
        last = INIT if self.workload.init else "exec {}\n"
        return "\n".join([*lines, last.format(shlex.join(command))])


def _as_user(workload: Workload, root: str) -> list[str]:
    """Return the words before a command that run it under the root, in the folder, as the user, without any right."""
    uid, gid = workload.user
    rights = ["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    become = [_find("setpriv"), f"--reuid={uid}", f"--regid={gid}", *rights]
    return [_find("chroot"), root, *become, _find("env"), "--chdir", workload.folder]


def _find(tool: str) -> str:
    """Return where a tool of the system is: a container's own PATH may not lead there."""
    return shutil.which(tool) or tool


def _interpreter() -> list[Mount]:
    """Return the mounts of this Python and its packages, where an image has its own."""
    base = Path(sys.base_prefix)
    found = [Mount(source=Path(sys.prefix), target="/opt/venv")]
    return found if base.is_relative_to("/usr") else [*found, Mount(source=base, target=str(base))]


def _mount(mount: Mount) -> list[str]:
    source, target = shlex.quote(str(mount.source)), shlex.quote(f".{mount.target}")
    parent = shlex.quote(f".{Path(mount.target).parent}")
    make = f"mkdir -p {target}" if mount.source.is_dir() else f"mkdir -p {parent} && touch {target}"
    bound = [f"[ -e {target} ] || {{ {make}; }}", f"mount --bind {source} {target}"]
    return bound if mount.writable else [*bound, f"mount -o remount,ro,bind {target}"]


def _write_etc(etc: Path) -> None:
    """Write what a container has of /etc, but for the names of others."""
    etc.mkdir()
    for name in ETC:
        source = Path("/etc", name)
        if source.is_dir():
            shutil.copytree(source, etc / name, symlinks=True)
        elif source.exists():
            shutil.copy(source, etc / name)
    people = [f"{name}:x:{number}:{number}::/tmp:/bin/sh" for number, name in {0: "root", **USERS}.items()]
    (etc / "passwd").write_text("\n".join(people) + "\n")
    (etc / "group").write_text("".join(f"{name}:x:{number}:\n" for number, name in {0: "root", **USERS}.items()))
    (etc / "host.conf").write_text("multi on\n")  # all addresses of a name, as a server of names gives them
    (etc / "resolv.conf").write_text(f"nameserver {DOCKERS_NAMES}\n")

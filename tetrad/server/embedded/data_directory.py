"""The folder that holds everything an embedded instance keeps ($TETRAD_HOME, ./var by default)."""

import os
import secrets
import socket
import stat
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from tetrad.errors import TetradError
from tetrad.files import whole_file
from tetrad.server.embedded import process_records
from tetrad.server.locks import hold_lock

DEFAULT_PORT = 8000
LOWEST_FREE, USUAL_EPHEMERAL = 15_000, 32_768  # of ports that are drawn
START_LOCK_SECONDS = 60.0
OTHERS = stat.S_IRWXG | stat.S_IRWXO
ORPHAN_SECONDS = 30.0  # a process that waits for a slow disk ends when the disk has answered
Secret: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{32,}$")]
SecretList: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{32,}(,[A-Za-z0-9_-]{32,})*$")]


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """Made at random at the first start and kept: losing `seed_secret` makes open draws unanswerable.

    `seed_secret` may hold several, joined by commas: the first one seals new draws, and open draws need the others.
    """

    seed_secret: SecretList
    practice_token: Secret
    sealed_token: Secret
    keys_token: Secret
    gateway_token: Secret
    gateway_token_secret: SecretList
    ledger_token: Secret
    redis_gateway: Secret
    redis_admin: Secret
    redis_api: Secret
    redis_scoring: Secret
    redis_bulk: Secret
    operator_token: Secret
    judge_token: Secret
    metrics_token: Secret


class EmbeddedError(TetradError):
    """A command on an embedded instance failed. The message names the variable or file, and the remedy."""


class DataDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """The places in the data directory, and the ports that its instance, its gateway and its metrics listen on."""

    folder: Path
    port: int
    gateway_port: int = DEFAULT_PORT + 1
    metrics_port: int = DEFAULT_PORT + 100

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def logs(self) -> Path:
        return self.folder / "log"

    @property
    def sources(self) -> Path:
        return self.folder / "sources"

    @property
    def secrets(self) -> Path:
        return self.folder / "secrets.json"

    @property
    def database(self) -> Path:
        return self.folder / "tetrad.sqlite"

    @property
    def record(self) -> Path:
        return self.folder / "generator.sqlite"

    @property
    def objects(self) -> Path:
        return self.folder / "objects"

    @property
    def datasets(self) -> Path:
        return self.folder / "datasets"

    @property
    def days(self) -> Path:
        return self.folder / "days"

    @property
    def metrics(self) -> Path:
        return self.run / "metrics"

    @property
    def last_backup(self) -> Path:
        return self.run / "last-backup.json"

    @property
    def unfinished_restore(self) -> Path:
        return self.folder / "restore-unfinished"

    @property
    def supervisor_conf(self) -> Path:
        return self.run / "supervisord.conf"

    @property
    def pid_file(self) -> Path:
        return self.run / "supervisord.pid"


def find_data_directory(environ: Mapping[str, str]) -> DataDirectory:
    """Return the data directory named by TETRAD_HOME and TETRAD_PORT; nothing is made.

    Raises:
        EmbeddedError: the port is not a port number.
    """
    port = _port("TETRAD_PORT", environ.get("TETRAD_PORT", str(DEFAULT_PORT)))
    gateway_port = _port("TETRAD_GATEWAY_PORT", environ.get("TETRAD_GATEWAY_PORT", str(port + 1)))
    metrics_port = _port("TETRAD_METRICS_PORT", environ.get("TETRAD_METRICS_PORT", str(port + 100)))
    if gateway_port == port:
        raise EmbeddedError(f"TETRAD_GATEWAY_PORT is {port}, and so is TETRAD_PORT; use two numbers")
    if metrics_port in {port, gateway_port}:
        raise EmbeddedError(f"TETRAD_METRICS_PORT is {metrics_port}, and so is another port; use three numbers")
    folder = Path(environ.get("TETRAD_HOME") or "var").resolve()  # "" would be the current folder
    return DataDirectory(folder=folder, port=port, gateway_port=gateway_port, metrics_port=metrics_port)


def _port(variable: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise EmbeddedError(f"{variable} is {text!r}; use a number from 1 to 65535")
    return int(text)


def open_data_directory(environ: Mapping[str, str]) -> DataDirectory:
    """Return the data directory named by TETRAD_HOME and TETRAD_PORT, its folders made, and closed to other users.

    Raises:
        EmbeddedError: the port is no port, or the folder is not one of its own.
    """
    data = find_data_directory(environ)
    for folder in (data.folder, data.run, data.logs, data.objects, data.folder / "valkey"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(data)
    return data


def make_private_files() -> None:
    """Let this process and its children make files that only their owner can read, whatever the umask was."""
    os.umask(0o077)


def close_to_others(data: DataDirectory) -> None:
    """Close the data directory to other users, who could read replies, or block all writing by holding a lock.

    Raises:
        EmbeddedError: the folder is shared with others, as /tmp is, or belongs to another user.
    """
    mode = data.folder.stat().st_mode
    if mode & stat.S_ISVTX or data.folder == data.folder.parent:
        raise EmbeddedError(f"TETRAD_HOME is {data.folder}, which is shared with others; set it to a folder of its own")
    if not mode & OTHERS:
        return
    try:
        data.folder.chmod(stat.S_IMODE(mode) & ~OTHERS)
    except PermissionError as error:
        raise EmbeddedError(
            f"{data.folder} can't be closed to others ({error}); start it as the user it belongs to"
        ) from error


def load_secrets(data: DataDirectory) -> Secrets:
    """Return the data directory's secrets, made at the first call.

    Raises:
        EmbeddedError: the file is there and damaged, or gone from an instance that had one; nothing is overwritten.
    """
    if not data.secrets.exists():
        if data.record.exists():
            raise EmbeddedError(
                f"{data.folder} holds an instance, and its {data.secrets.name} is missing: put that file back. A "
                "backup has it only if made with --with-secrets; without its seed secret no open draw can be answered"
            )
        _write_secrets(data, Secrets(**{name: new_secret() for name in Secrets.__struct_fields__}), replace=False)
    try:
        return msgspec.json.decode(data.secrets.read_bytes(), type=Secrets)
    except (msgspec.MsgspecError, OSError) as error:
        remedy = "restore it: open draws need its seed secret"
        raise EmbeddedError(f"{data.secrets} can't be read ({error}); {remedy}") from error


def rotate_seed_secret(data: DataDirectory, *, keep: Collection[str] | None = None) -> Secrets:
    """Put a new seed secret before the others; with `keep`, only drop the older ones that are not in it.

    Raises:
        EmbeddedError: the data directory has no secrets, or they are damaged.
    """
    if not data.secrets.exists():
        raise EmbeddedError(f"{data.folder} has no secrets to rotate; `tetrad up` makes them at its first start")
    known = load_secrets(data)
    current, *older = known.seed_secret.split(",")
    ring = (
        [new_secret(), current, *older] if keep is None else [current, *(secret for secret in older if secret in keep)]
    )
    changed = msgspec.structs.replace(known, seed_secret=",".join(ring))
    _write_secrets(data, changed, replace=True)
    return changed


def new_secret() -> str:
    return secrets.token_hex(32)


def is_running(data: DataDirectory) -> bool:
    """Return whether a supervisor of this data directory runs, or a command that becomes one."""
    if any(process.name == process_records.SUPERVISOR for process in process_records.live(data.folder)):
        return True
    return data.pid_file.exists() and _runs(data.pid_file.read_text().strip(), data)


def take(data: DataDirectory) -> list[str]:
    """Make this process the supervisor of the data directory, and end processes that an earlier one left behind.

    Return the names of the ended processes. If two start at the same time, one is refused.

    Raises:
        EmbeddedError: it runs already, something else listens on the port, a restore into it was broken off, or an
            orphan can't be ended.
        LockHeldError: another start has held the lock for a minute.
    """
    with hold_lock(data.run / "start-lock", START_LOCK_SECONDS):
        _check_not_running(data)
        orphans = process_records.live(data.folder)
        try:
            process_records.end(orphans, ORPHAN_SECONDS)
        except process_records.UnendedProcessError as error:
            raise EmbeddedError(f"an earlier start of {data.folder} left a process behind: {error}") from error
        check_free(data)
        process_records.record(data.folder, process_records.SUPERVISOR)
    return [f"{process.name} (process {process.pid})" for process in orphans]


def check_free(data: DataDirectory) -> None:
    """Check that this data directory is not running and that its ports are free.

    Raises:
        EmbeddedError: it runs already, something else listens on a port, or a restore into it was broken off.
    """
    _check_not_running(data)
    ports = {"TETRAD_PORT": data.port, "TETRAD_GATEWAY_PORT": data.gateway_port}
    for variable, port in {**ports, "TETRAD_METRICS_PORT": data.metrics_port}.items():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise EmbeddedError(f"port {port} is in use; set {variable} to a free one") from error


def _check_not_running(data: DataDirectory) -> None:
    if data.unfinished_restore.exists():
        raise EmbeddedError(f"a restore into {data.folder} was broken off; run `tetrad admin restore` again")
    if is_running(data):
        raise EmbeddedError(f"{data.folder} is running already; stop it, or set TETRAD_HOME to another folder")


def free_ports(count: int, reserved: Collection[int] = ()) -> list[int]:
    """Return loopback ports that were free a moment ago, all different, and none of the reserved ones.

    They are below those that the operating system gives to outgoing connections: one of these could take a port between
    the look at it and the server's start. They are drawn, so that two who look at once hardly ever meet.
    """
    highest = _first_ephemeral_port()
    with ExitStack() as probes:
        found: list[int] = []
        while len(found) < count:
            port = LOWEST_FREE + secrets.randbelow(highest - LOWEST_FREE)
            if port in reserved:
                continue
            try:
                probes.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:  # it is taken
                continue
            found.append(port)
        return found


def _first_ephemeral_port() -> int:
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    except OSError:  # not Linux
        return USUAL_EPHEMERAL
    return first if first > LOWEST_FREE else USUAL_EPHEMERAL


def _write_secrets(data: DataDirectory, made: Secrets, *, replace: bool) -> None:
    with whole_file(data.secrets, replace=replace) as file:
        file.write(msgspec.json.format(msgspec.json.encode(made)))


def _runs(pid: str, data: DataDirectory) -> bool:
    command = Path("/proc") / pid / "cmdline"
    try:
        return str(data.supervisor_conf).encode() in command.read_bytes()
    except OSError:
        return False

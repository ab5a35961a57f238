"""The folder that holds everything an embedded instance keeps ($TETRAD_HOME, ./var by default)."""

import os
import secrets
import socket
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, TypeAlias

import msgspec

DEFAULT_PORT = 8000
Secret: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{32,}$")]
SecretList: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{32,}(,[A-Za-z0-9_-]{32,})*$")]
ADDED = frozenset({"operator_token", "judge_token"})  # since the first version: an older home's file lacks some


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """Made at random at the first start and kept: losing `seed_secret` makes open draws unanswerable.

    `seed_secret` may be several, joined by commas: the first seals new draws, open ones need the others.
    """

    seed_secret: SecretList
    practice_token: Secret
    sealed_token: Secret
    keys_token: Secret
    gateway_token: Secret
    redis_admin: Secret
    redis_api: Secret
    redis_scoring: Secret
    operator_token: Secret
    judge_token: Secret


class EmbeddedError(Exception):
    """The instance can't be started; the message names the variable or file and the remedy."""


class Home(msgspec.Struct, frozen=True, kw_only=True):
    folder: Path
    port: int

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
    def bank(self) -> Path:
        """The object banks of earlier versions, which are taken over."""
        return self.folder / "bank"

    @property
    def corpora(self) -> Path:
        """The corpora of earlier versions, which are taken over."""
        return self.folder / "corpora"

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
    def unfinished_restore(self) -> Path:
        return self.folder / "restore-unfinished"

    @property
    def supervisor_conf(self) -> Path:
        return self.run / "supervisord.conf"

    @property
    def pid_file(self) -> Path:
        return self.run / "supervisord.pid"


def find_home(environ: Mapping[str, str]) -> Home:
    """Return the home named by TETRAD_HOME and TETRAD_PORT; nothing is made.

    Raises:
        EmbeddedError: the port is no port.
    """
    text = environ.get("TETRAD_PORT", str(DEFAULT_PORT))
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise EmbeddedError(f"TETRAD_PORT is {text!r}; use a number from 1 to 65535")
    return Home(folder=Path(environ.get("TETRAD_HOME", "var")).resolve(), port=int(text))


def open_home(environ: Mapping[str, str]) -> Home:
    """Return the home named by TETRAD_HOME and TETRAD_PORT, its folders made.

    Raises:
        EmbeddedError: the port is no port.
    """
    home = find_home(environ)
    for folder in (home.folder, home.run, home.logs, home.objects, home.folder / "valkey"):
        folder.mkdir(parents=True, exist_ok=True)
    home.run.chmod(0o700)  # configurations with passwords live here
    return home


def load_secrets(home: Home) -> Secrets:
    """Return the home's secrets, made at the first call.

    Raises:
        EmbeddedError: the file is there and damaged; nothing is overwritten.
    """
    if not home.secrets.exists():
        write_file(home.secrets, _encoded(Secrets(**{name: new_secret() for name in Secrets.__struct_fields__})))
    try:
        kept = msgspec.json.decode(home.secrets.read_bytes(), type=dict[str, str])
        lacking = set(Secrets.__struct_fields__) - kept.keys()
        if lacking and lacking <= ADDED:
            kept |= {name: new_secret() for name in lacking}
            write_file(home.secrets, _encoded(msgspec.convert(kept, type=Secrets)), replace=True)
        return msgspec.convert(kept, type=Secrets)
    except (msgspec.MsgspecError, OSError) as error:
        remedy = "restore it: open draws need its seed secret"
        raise EmbeddedError(f"{home.secrets} can't be read ({error}); {remedy}") from error


def rotate_seed_secret(home: Home, *, keep: Collection[str] | None = None) -> Secrets:
    """Put a new seed secret before the others; with `keep`, only drop the older ones that are not in it.

    Raises:
        EmbeddedError: the home has no secrets, or they are damaged.
    """
    if not home.secrets.exists():
        raise EmbeddedError(f"{home.folder} has no secrets to rotate; `tetrad up` makes them at its first start")
    known = load_secrets(home)
    current, *older = known.seed_secret.split(",")
    ring = [new_secret(), current, *older] if keep is None else [current, *(one for one in older if one in keep)]
    changed = msgspec.structs.replace(known, seed_secret=",".join(ring))
    write_file(home.secrets, _encoded(changed), replace=True)
    return changed


def new_secret() -> str:
    return secrets.token_hex(32)


def is_running(home: Home) -> bool:
    return home.pid_file.exists() and _runs(home.pid_file.read_text().strip(), home)


def check_free(home: Home) -> None:
    """Make sure that this home is not running and that its port is free.

    Raises:
        EmbeddedError: it runs already, something else listens on the port, or a restore into it was broken off.
    """
    if home.unfinished_restore.exists():
        raise EmbeddedError(f"a restore into {home.folder} was broken off; run `tetrad admin restore` again")
    if is_running(home):
        raise EmbeddedError(f"{home.folder} is running already; stop it, or set TETRAD_HOME to another folder")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", home.port))
        except OSError as error:
            raise EmbeddedError(f"port {home.port} is in use; set TETRAD_PORT to a free one") from error


def free_ports(count: int) -> list[int]:
    """Return loopback ports that were free a moment ago, all different."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def write_file(path: Path, body: bytes, *, replace: bool = False) -> None:
    """Write the file whole, readable by its owner only; one that is there stays unless it is to be replaced."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.stem}-") as part:  # mode 600
        part.write(body)
        part.flush()
        os.fsync(part.fileno())
        if replace:
            whole = Path(f"{part.name}.whole")
            os.link(part.name, whole)
            whole.replace(path)
        else:
            with suppress(FileExistsError):
                os.link(part.name, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _encoded(made: Secrets) -> bytes:
    return msgspec.json.format(msgspec.json.encode(made))


def _runs(pid: str, home: Home) -> bool:
    command = Path("/proc") / pid / "cmdline"
    try:
        return str(home.supervisor_conf).encode() in command.read_bytes()
    except OSError:
        return False

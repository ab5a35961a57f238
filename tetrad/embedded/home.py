"""The folder that holds everything an embedded instance keeps ($TETRAD_HOME, ./var by default)."""

import os
import secrets
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, TypeAlias

import msgspec

DEFAULT_PORT = 8000
Secret: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{32,}$")]


class Secrets(msgspec.Struct, frozen=True, kw_only=True):
    """Made at random at the first start and kept: losing `seed_secret` makes open draws unanswerable."""

    seed_secret: Secret
    practice_token: Secret
    sealed_token: Secret
    keys_token: Secret
    gateway_token: Secret
    redis_admin: Secret
    redis_api: Secret
    redis_scoring: Secret


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
    def bank(self) -> Path:
        return self.folder / "bank"

    @property
    def corpora(self) -> Path:
        return self.folder / "corpora"

    @property
    def supervisor_conf(self) -> Path:
        return self.run / "supervisord.conf"

    @property
    def pid_file(self) -> Path:
        return self.run / "supervisord.pid"


def open_home(environ: Mapping[str, str]) -> Home:
    """Return the home named by TETRAD_HOME and TETRAD_PORT, its folders made.

    Raises:
        EmbeddedError: the port is no port.
    """
    text = environ.get("TETRAD_PORT", str(DEFAULT_PORT))
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise EmbeddedError(f"TETRAD_PORT is {text!r}; use a number from 1 to 65535")
    home = Home(folder=Path(environ.get("TETRAD_HOME", "var")).resolve(), port=int(text))
    for folder in (home.folder, home.run, home.logs, home.bank, home.folder / "objects", home.folder / "valkey"):
        folder.mkdir(parents=True, exist_ok=True)
    home.run.chmod(0o700)  # configurations with passwords live here
    return home


def load_secrets(home: Home) -> Secrets:
    """Return the home's secrets, made at the first call.

    Raises:
        EmbeddedError: the file is there and damaged; nothing is overwritten.
    """
    path = home.folder / "secrets.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Secrets)
    except FileNotFoundError:
        pass
    except (msgspec.DecodeError, OSError) as error:
        raise EmbeddedError(f"{path} can't be read ({error}); restore it: open draws need its seed secret") from error
    _write_once(path, Secrets(**{name: secrets.token_hex(32) for name in Secrets.__struct_fields__}))
    return load_secrets(home)


def check_free(home: Home) -> None:
    """Make sure that this home is not running and that its port is free.

    Raises:
        EmbeddedError: it runs already, or something else listens on the port.
    """
    if home.pid_file.exists() and _runs(home.pid_file.read_text().strip(), home):
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


def _write_once(path: Path, made: Secrets) -> None:
    """Write the file whole, readable by its owner only; one that is there by now stays."""
    with NamedTemporaryFile(dir=path.parent, prefix=".secrets-") as part:  # mode 600
        part.write(msgspec.json.format(msgspec.json.encode(made)))
        part.flush()
        os.fsync(part.fileno())
        with suppress(FileExistsError):
            os.link(part.name, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _runs(pid: str, home: Home) -> bool:
    command = Path("/proc") / pid / "cmdline"
    try:
        return str(home.supervisor_conf).encode() in command.read_bytes()
    except OSError:
        return False

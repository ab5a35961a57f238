"""Keys by address, in a file of the user's own ($TETRAD_CONFIG or ~/.config/tetrad/keys.json, mode 600)."""

import os
from pathlib import Path

import msgspec

from tetrad.client import Client, TetradError

DEFAULT_URL = "http://127.0.0.1:8000"


class NoKeyError(TetradError):
    """A command needs a key and there is none for this address."""


def address(url: str | None) -> str:
    """Return the service's address: the option, else $TETRAD_URL, else this machine's default."""
    return (url or os.environ.get("TETRAD_URL") or DEFAULT_URL).rstrip("/")


def keys_file() -> Path:
    configured = os.environ.get("TETRAD_CONFIG")
    return Path(configured) if configured else Path.home() / ".config" / "tetrad" / "keys.json"


def known_key(url: str) -> str | None:
    """Return $TETRAD_KEY, else the key kept for this address."""
    return os.environ.get("TETRAD_KEY") or _kept().get(url)


def keep_key(url: str, key: str) -> Path:
    """Remember the key for this address; the file is readable by its owner only."""
    path = keys_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    body = msgspec.json.format(msgspec.json.encode({**_kept(), url: key}))
    part = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(body)
    part.replace(path)
    return path


def connect(url: str | None) -> Client:
    """Return a client for the address, with its key where there is one."""
    where = address(url)
    return Client(where, known_key(where))


def connect_with_key(url: str | None) -> Client:
    """Return a client with a key.

    Raises:
        NoKeyError: there is none; the message says how to get one.
    """
    where = address(url)
    key = known_key(where)
    if key is None:
        raise NoKeyError(f"no key for {where}; make one with `tetrad keys new --team NAME`, or set TETRAD_KEY")
    return Client(where, key)


def _kept() -> dict[str, str]:
    try:
        return msgspec.json.decode(keys_file().read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
